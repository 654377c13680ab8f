#pragma once
/// Particles that move as the scene says.
#include <vector>

#include "device/particle_store.h"
#include "solvers/core/initial_state.h"

MERGANSER_BEGIN

class PrescribedMotions {
 public:
  /// Throws InputError where a motion names a particle that does not exist or is not immobile.
  explicit PrescribedMotions(const SystemState& state);
  /// Velocity of every prescribed particle over [time, time + dt]: the sum of its motions' velocities, each
  /// for the part of the step that lies within its times, so the way travelled is right whatever the step (a
  /// turn ends on its circle); zero outside all of them.
  void set_velocities(ParticleStore& particles, int first_particle, double time, double dt) const;

 private:
  struct Motion {
    Vec3d velocity;
    double start_time, end_time;
    Vec3d angular_velocity, centre;
    /// [m] way of a particle at x from time `from` to `to`, both within the motion's times.
    MERGANSER_METHOD Vec3d way(const Vec3& x, double from, double to) const;
  };
  friend struct SetPrescribedVelocity;
  Array<int> particle_;  ///< local indices, each once
  Array<int> first_;     ///< start of a particle's entries in motion_, one more at the end
  Array<int> motion_;    ///< indices into motions_
  Array<Motion> motions_;
};

MERGANSER_END
