#pragma once
/// A disc that emits fluid.
#include <algorithm>
#include <string>

#include "device/bounds.h"
#include "device/particle_store.h"
#include "solvers/base/state_archive.h"
#include "solvers/core/emission.h"
#include "solvers/core/fluid_parameters.h"

MERGANSER_BEGIN

/// Of length 1; zero where the emitter's is.
Vec3d direction_of(const EmitterParameters& emitter);
/// [m/s] of what it emits, to the bit.
Vec3 emitted_velocity(const EmitterParameters& emitter);

/// Emits layers of a square lattice, one particle spacing apart across the disc and along its direction, so
/// that the emitted fluid has its rest density. Layer k leaves at t_k = start_time + k spacing/velocity,
/// whatever the time steps are: a call at time t places it velocity (t - t_k) ahead of the disc. The number
/// of layers so far and of particles that are still there is the whole state.
class Emitter {
 public:
  /// Throws InputError where direction is zero, velocity is not positive, or the disc is smaller than one
  /// particle.
  Emitter(const EmitterParameters& emitter, const FluidParameters& fluid, int system_index);

  struct Emitted {
    Emission brings{0, 0, 0, {0, 0, 0}};
    Bounds box;  ///< [m] of their positions
  };
  /// Adds to the store the particles of all layers that have left by `time` [s] and were not given out yet.
  /// Stops at end_time and before max_particles would be exceeded by a layer.
  Emitted emit(double time, const Vec3& gravity, ParticleStore& particles);

  /// So many of its particles have been removed: it may emit as many more.
  void removed(std::int64_t count) { particles_ -= std::min(count, particles_); }
  int body() const { return parameters_.body; }

  double speed() const { return parameters_.velocity; }
  int particles_per_layer() const { return static_cast<int>(lattice_.size()); }
  /// Less those that have been removed.
  std::int64_t emitted_particles() const { return particles_; }

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  std::vector<Vec3d> layers_left_by(double time);
  EmitterParameters parameters_;
  double spacing_, density0_;
  int system_index_;
  Vec3d direction_{0, 0, 0};
  std::vector<Vec3d> lattice_;  ///< [m] from the disc's centre
  Array<Vec3d> points_;         ///< the same on the device, from the first layer on
  std::int64_t layers_ = 0, particles_ = 0;
};

MERGANSER_END
