#include "solvers/core/prescribed_motions.h"

#include <map>
#include <string>

#include "device/launch.h"

MERGANSER_BEGIN

/// Rodrigues' rotation of the arm from the centre, which moves with the velocity.
MERGANSER_METHOD Vec3d PrescribedMotions::Motion::way(const Vec3& x, double from, double to) const {
  const double span = to - from, speed = norm(angular_velocity);
  Vec3d moved = span * velocity;
  if (!(speed > 0)) return moved;
  const Vec3d axis = angular_velocity / speed, arm = to_double(x) - centre - (from - start_time) * velocity;
  const double angle = speed * span, half = sin(0.5 * angle);
  moved += sin(angle) * cross(axis, arm) + 2 * half * half * cross(axis, cross(axis, arm));
  return moved;
}

/// v_i = sum over motions of the way within the motion's times / dt; zero while the body waits for its start.
struct SetPrescribedVelocity {
  static constexpr const char* name = "prescribed velocities";
  View<const int> particle, first, motion;
  View<const PrescribedMotions::Motion> motions;
  int first_particle;
  double time, dt;            ///< [s]
  View<const Vec3> position;  ///< [m] of the store
  View<const int> system;     ///< of the store
  View<Vec3> velocity;        ///< [m/s] of the store, written
  MERGANSER_METHOD void operator()(int k) const {
    const Vec3 x = position[first_particle + particle[k]];
    Vec3d sum{0, 0, 0};
    const bool waits = system[first_particle + particle[k]] < 0;
    for (int m = first[k]; m < first[k + 1] && !waits; ++m) {
      const auto& part = motions[motion[m]];
      const double from = fmax(time, part.start_time), to = fmin(time + dt, part.end_time);
      if (to > from) sum += part.way(x, from, to) / dt;
    }
    velocity[first_particle + particle[k]] = to_float(sum);
  }
};

PrescribedMotions::PrescribedMotions(const SystemState& state) {
  std::map<int, std::vector<int>> motions_of;
  std::vector<Motion> motions;
  for (const PrescribedMotion& motion : state.prescribed) {
    for (int particle : motion.particles) {
      if (particle < 0 || static_cast<size_t>(particle) >= state.immobile.size() ||
          !state.immobile[static_cast<size_t>(particle)])
        throw InputError("system '" + state.name + "': particle " + std::to_string(particle) +
                         " has a prescribed motion; it must exist and be immobile");
      motions_of[particle].push_back(static_cast<int>(motions.size()));
    }
    const auto vector = [](const Point3& p) { return Vec3d{p[0], p[1], p[2]}; };
    motions.push_back({vector(motion.velocity), motion.start_time, motion.end_time,
                       vector(motion.angular_velocity), vector(motion.centre)});
  }
  std::vector<int> particle, first{0}, entry;
  for (const auto& [index, list] : motions_of) {
    particle.push_back(index);
    entry.insert(entry.end(), list.begin(), list.end());
    first.push_back(static_cast<int>(entry.size()));
  }
  particle_.assign(particle);
  first_.assign(first);
  motion_.assign(entry);
  motions_.assign(motions);
}

void PrescribedMotions::set_velocities(ParticleStore& particles, int first_particle, double time,
                                       double dt) const {
  launch(particle_.size(), SetPrescribedVelocity{.particle = particle_.view(),
                                                 .first = first_.view(),
                                                 .motion = motion_.view(),
                                                 .motions = motions_.view(),
                                                 .first_particle = first_particle,
                                                 .time = time,
                                                 .dt = dt,
                                                 .position = particles.position.const_view(),
                                                 .system = particles.system.const_view(),
                                                 .velocity = particles.velocity.view()});
}

MERGANSER_END
