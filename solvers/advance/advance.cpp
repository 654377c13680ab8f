#include "solvers/advance/advance.h"

#include "device/launch.h"

MERGANSER_BEGIN

namespace {
struct Advance {
  static constexpr const char* name = "advance positions";
  View<const Vec3> end_velocity;
  View<const float> radius;
  float dt;
  Vec3 origin, length;
  ReportView report;
  View<Vec3> position, velocity;

  MERGANSER_METHOD static float wrapped(float x, float origin, float length) {
    if (!(length > 0)) return x;
    const float inside = x - length * floorf((x - origin) / length);
    return inside >= origin + length ? origin : inside;
  }
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 v = end_velocity[i];
    Vec3 x = position[i] + dt * v;
    if (!is_finite(x) || !is_finite(v)) {
      report.raise(Condition::not_a_number, i);
    } else if (fmaxf(fabsf(x.x), fmaxf(fabsf(x.y), fabsf(x.z))) > 1e6f * radius[i]) {
      report.raise(Condition::escape, i);
    }
    x = {wrapped(x.x, origin.x, length.x), wrapped(x.y, origin.y, length.y),
         wrapped(x.z, origin.z, length.z)};
    position[i] = x;
    velocity[i] = v;
  }
};
}  // namespace

void advance_particles(ParticleStore& particles, View<const Vec3> end_velocity, float dt,
                       Vec3 periodic_origin, Vec3 periodic_length, ReportView report) {
  launch(particles.count(),
         Advance{end_velocity, particles.radius.const_view(), dt, periodic_origin, periodic_length, report,
                 particles.position.view(), particles.velocity.view()});
}

MERGANSER_END
