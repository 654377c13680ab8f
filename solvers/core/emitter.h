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

/// Places of a layer's particles in the lattice: the first so many of it, the rest on the next ring.
struct EmittedLayer {
  int count;    ///< particles
  int inner;    ///< of them, those inside the ring; the ring's first place
  int on_ring;  ///< places of the ring
  int turn;     ///< place of the ring to begin with
  MERGANSER_METHOD int place(int k) const {
    if (k < inner) return k;
    const long long along = static_cast<long long>(k - inner) * on_ring / (count - inner);
    return inner + static_cast<int>((turn + along) % on_ring);
  }
};

/// Emits layers of a square lattice, one particle spacing d apart across the disc and along its direction, so
/// that the emitted fluid has its rest density. The disc's area is that of N = pi r^2/d^2 particles: before
/// layer k so many as k N rounded have left, so the flow is pi r^2 velocity. A layer takes the places next to
/// the axis; of equally distant ones those that a layer has too few particles for change from layer to layer.
/// Layer k leaves at t_k = start_time + k spacing/velocity, whatever the time steps are: a call at time t
/// places it velocity (t - t_k) ahead of the disc. The number of layers so far, lapsed ones included, and of
/// particles that are still there is the whole state.
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
  /// Stops at end_time and before max_particles would be exceeded by a layer. Where a kill box may make room
  /// again, layers that leave without room lapse.
  Emitted emit(double time, const Vec3& gravity, ParticleStore& particles);

  /// So many of its body's particles are there from the beginning, as another run has left them.
  void begin_with(std::int64_t count) { particles_ = count; }
  /// So many of its particles have been removed: it may emit as many more.
  void removed(std::int64_t count) { particles_ -= std::min(count, particles_); }
  int body() const { return parameters_.body; }

  double speed() const { return parameters_.velocity; }
  /// [1] N, in the mean.
  double particles_per_layer() const { return layer_; }
  std::int64_t particles_before(std::int64_t layer) const;
  /// Less those that have been removed.
  std::int64_t emitted_particles() const { return particles_; }

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  EmittedLayer layer_of(std::int64_t layer) const;

  EmitterParameters parameters_;
  double spacing_, density0_;
  int system_index_;
  bool replaces_;  ///< what a kill box removes
  Vec3d direction_{0, 0, 0};
  std::vector<Vec3d> lattice_;  ///< [m] from the disc's centre, by distance
  Array<Vec3d> points_;         ///< the same on the device, from the first layer on
  std::vector<int> ring_;       ///< first place of each distance
  double layer_ = 0;            ///< N
  std::int64_t layers_ = 0, particles_ = 0;
};

MERGANSER_END
