#include "solvers/coupling/boundary/wall_contact.h"

#include <algorithm>

#include "device/sum_of.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/method.h"
#include "solvers/coupling/boundary/wrap_positions.h"

MERGANSER_BEGIN

WallContact::WallContact(const InitialState& initial)
    : walls_(initial.walls),
      periodic_origin_(to_vec3(initial.periodic_origin)),
      periodic_length_(to_vec3(initial.periodic_length)) {
  for (const SystemState& system : initial.systems) {
    is_fluid_.push_back(is_fluid(system));
    meets_walls_.push_back(meets_walls(system));
  }
  if (walls_.count() > 0) given_.resize(is_fluid_.size());
  if (!WallLoads(initial.walls).empty())
    for (size_t s = 0; s < is_fluid_.size(); ++s) loads_.emplace_back(initial.walls);
  for (const WallParameters& wall : initial.walls)
    if (wall.motion.moves()) moving_.push_back(wall);
  if (moving_.empty()) return;
  std::vector<Float3> all;
  for (const SystemState& system : initial.systems) {
    all.insert(all.end(), system.position.begin(), system.position.end());
    for (const EmitterParameters& emitter : system.emitters)
      all.push_back({float(emitter.position[0]), float(emitter.position[1]), float(emitter.position[2])});
  }
  particles_ = ball_around(all);
}

double WallContact::greatest_speed(double from, double to) const {
  double most = 0;
  for (const WallParameters& wall : moving_)
    most = std::max(most, merganser::greatest_speed(wall, particles_, from, to));
  return most;
}

void WallContact::begin_step(double time, double dt) {
  begin_ = time;
  end_ = time + dt;
  walls_.place(begin_, begin_, end_);
}

void WallContact::end_step() { walls_.place(end_, begin_, end_); }

void WallContact::save(StateArchive& archive, const std::string& prefix) const {
  if (move()) archive.put(prefix + "/last_step", std::vector<double>{begin_, end_});
}

void WallContact::load(const StateArchive& archive, const std::string& prefix) {
  if (!move()) return;
  const auto last_step = archive.get<double>(prefix + "/last_step");
  begin_ = last_step.at(0), end_ = last_step.at(1);
  if (begin_ < end_) end_step();
}

template <class Shapes>
ResolveWallContact<Shapes> WallContact::contact_of(const Shapes& walls, ParticleStore& particles,
                                                   int system) const {
  return {.walls = walls,
          .range = particles.range(system),
          .radius = particles.radius.const_view(),
          .inverse_mass = particles.inverse_mass.const_view(),
          .position = particles.position.view(),
          .velocity = particles.velocity.view(),
          .use_radius = !is_fluid_[size_t(system)]};
}

bool WallContact::may_move_solid(ParticleStore& particles, int system) {
  if (!acts_on_solid(system)) return false;
  wrap(particles);
  if (MERGANSER_GPU_HALF) return true;
  std::visit(
      [&]<class Shapes>(const Shapes& walls) {
        const ResolveWallContact<Shapes> contact = contact_of(walls, particles, system);
        contacts_.run(contact.range.count, sum_of(CountWallContacts<Shapes>{contact}));
      },
      by_shape(walls_.view()));
  return contacts_.read() > 0;
}

void WallContact::wrap(ParticleStore& particles) const {
  if (periodic_length_.x > 0 || periodic_length_.y > 0 || periodic_length_.z > 0)
    launch(particles.count(), WrapPositions{periodic_origin_, periodic_length_, particles.position.view()});
}

void WallContact::apply(ParticleStore& particles, const Vec3& gravity) {
  wrap(particles);
  std::visit([&](const auto& walls) { resolve(walls, particles, to_double(gravity)); },
             by_shape(walls_.view()));
}

template <class Shapes>
void WallContact::resolve(const Shapes& walls, ParticleStore& particles, const Vec3d& gravity) {
  const View<const float> mass = particles.mass.const_view();
  for (size_t s = 0; s < given_.size(); ++s) {
    if (meets_walls_[s]) continue;
    const ResolveWallContact<Shapes> contact = contact_of(walls, particles, static_cast<int>(s));
    if (!loads_.empty())
      loads_[s].sum(contact.range.count, end_, [&](const MeasuredWall& wall) {
        return ContactLoad<Shapes>{contact, mass, wall};
      });
    given_[s].run(contact.range.count,
                  SumWallContact<Shapes>{.contact = contact, .mass = mass, .gravity = gravity});
  }
}

WallLoad WallContact::load(int k) const {
  WallLoad sum;
  for (const WallLoads& of_system : loads_) sum += of_system.fetched(k);
  return sum;
}

WallExchange WallContact::exchange() const {
  WallExchange sum;
  for (const Reduction<WallExchange>& of_system : given_) sum += of_system.fetched();
  return sum;
}

MERGANSER_END
