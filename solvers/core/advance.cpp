#include "solvers/core/advance.h"

#include "device/launch.h"
#include "solvers/core/coordinate_range.h"

MERGANSER_BEGIN

namespace {
struct Advance {
  static constexpr const char* name = "advance positions";
  View<const Vec3> end_velocity;
  View<const float> radius;
  float dt;
  ReportView report;
  View<Vec3> position, velocity;

  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 v = end_velocity[i];
    const Vec3 x = advanced(position[i], v, dt);
    if (!is_finite(x) || !is_finite(v)) {
      report.raise(Condition::not_a_number, i);
    } else if (most_of(fabsf(x.x), most_of(fabsf(x.y), fabsf(x.z))) > farthest_in_radii * radius[i]) {
      report.raise(Condition::escape, i);
    }
    position[i] = x;
    velocity[i] = v;
  }
};
}  // namespace

void advance_particles(ParticleStore& particles, View<const Vec3> end_velocity, float dt, ReportView report) {
  launch(particles.count(), Advance{.end_velocity = end_velocity,
                                    .radius = particles.radius.const_view(),
                                    .dt = dt,
                                    .report = report,
                                    .position = particles.position.view(),
                                    .velocity = particles.velocity.view()});
}

MERGANSER_END
