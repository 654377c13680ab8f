#include "solvers/mass_spring/prescribed_motions.h"

#include <map>
#include <string>

#include "device/launch.h"

MERGANSER_BEGIN

/// v_i = sum over motions of velocity * (share of [time, time + dt] within the motion's times).
struct SetPrescribedVelocity {
  static constexpr const char* name = "prescribed velocities";
  View<const int> particle, first, motion;
  View<const PrescribedMotions::Motion> motions;
  int first_particle;
  double time, dt;      ///< [s]
  View<Vec3> velocity;  ///< [m/s] of the store, written
  MERGANSER_METHOD void operator()(int k) const {
    Vec3 sum{0, 0, 0};
    for (int m = first[k]; m < first[k + 1]; ++m) {
      const auto& part = motions[motion[m]];
      const double overlap = fmin(time + dt, part.end_time) - fmax(time, part.start_time);
      if (overlap > 0) sum += float(fmin(1.0, overlap / dt)) * part.velocity;
    }
    velocity[first_particle + particle[k]] = sum;
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
    const Point3& v = motion.velocity;
    motions.push_back({vector_cast<float>(Vec3d{v[0], v[1], v[2]}), motion.start_time, motion.end_time});
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
                                                 .velocity = particles.velocity.view()});
}

MERGANSER_END
