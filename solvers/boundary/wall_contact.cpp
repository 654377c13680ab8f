#include "solvers/boundary/wall_contact.h"

#include "solvers/boundary/wrap_positions.h"

MERGANSER_BEGIN

namespace {
Vec3 to_vec3(const Point3& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}
}  // namespace

WallContact::WallContact(const InitialState& initial)
    : walls_(initial.walls),
      periodic_origin_(to_vec3(initial.periodic_origin)),
      periodic_length_(to_vec3(initial.periodic_length)) {
  for (const SystemState& system : initial.systems) is_fluid_.push_back(is_fluid(system.type));
}

void WallContact::apply(ParticleStore& particles) const {
  if (periodic_length_.x > 0 || periodic_length_.y > 0 || periodic_length_.z > 0)
    launch(particles.count(), WrapPositions{periodic_origin_, periodic_length_, particles.position.view()});
  if (walls_.count() == 0) return;
  for (int s = 0; s < particles.system_count(); ++s)
    launch(particles.range(s).count, ResolveWallContact{.walls = walls_.view(),
                                                        .range = particles.range(s),
                                                        .radius = particles.radius.const_view(),
                                                        .inverse_mass = particles.inverse_mass.const_view(),
                                                        .position = particles.position.view(),
                                                        .velocity = particles.velocity.view(),
                                                        .use_radius = !is_fluid_[static_cast<size_t>(s)]});
}

MERGANSER_END
