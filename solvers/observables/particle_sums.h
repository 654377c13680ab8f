#pragma once
/// Sums over all particles for the statistics and the step-size limit.
#include "device/particle_store.h"
#include "device/reduce.h"

MERGANSER_BEGIN

/// Sums in double; immobile particles (inverse mass 0) count for nothing but `not_finite`.
struct ParticleSums {
  double mass = 0;                  ///< [kg]
  Vec3d momentum{0, 0, 0};          ///< sum m v [kg m/s]
  Vec3d angular_momentum{0, 0, 0};  ///< sum m x cross v, about the origin [kg m^2/s]
  double kinetic_energy = 0;        ///< sum m v^2/2 [J]
  double potential_energy = 0;      ///< -sum m g.x [J]
  double max_speed = 0;             ///< [m/s]
  int not_finite = 0x7fffffff;      ///< smallest index with a NaN or infinite position or velocity
};

class ParticleSummation {
 public:
  /// Launches the sums. `gravity` [m/s^2].
  void measure(const ParticleConstView& particles, Range range, Vec3 gravity);
  /// Launches the search for the greatest speed alone.
  void measure_speed(const ParticleConstView& particles, Range range);
  /// Of the last fetch_results().
  ParticleSums sums() const { return sums_.fetched(); }
  /// [m/s] likewise, whichever of both measured it last.
  double max_speed() const { return speed_alone_ ? max_speed_.fetched() : sums().max_speed; }

 private:
  Reduction<ParticleSums> sums_;
  Reduction<double> max_speed_;
  bool speed_alone_ = false;
};

MERGANSER_END
