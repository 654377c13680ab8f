#pragma once
/// Density and acceleration of a fluid's particles, as sums over their neighbors.
#include "device/uniform_grid.h"
#include "solvers/core/fluid_fields.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/wall_loads.h"
#include "solvers/coupling/boundary/wall_density.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/methods/fluid/central_viscosity.h"
#include "solvers/methods/fluid/forces/packed_fluid.h"
#include "solvers/methods/sph/density.h"
#include "solvers/methods/sph/parting.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "solvers/methods/sph/topology_updates.h"

MERGANSER_BEGIN

/// Where neighbors are found: in a grid of particles that are in its order, or along the rows of a graph.
struct SphNeighbors {
  const UniformGrid& grid;
  const TopologyUpdates* topology;  ///< nullptr: the grid
};

/// One a particle, in the order of the neighbors; written by the sums.
struct SphFields {
  Array<float> compression;   ///< rho/rho0 - 1
  Array<Vec3> acceleration;   ///< [m/s^2] without body forces
  Array<Vec3> xsph;           ///< [m/s], empty where switched off
  Array<Quad> mean_velocity;  ///< [m/s] see hydrostatic_drift.h; empty without density diffusion
};

class SphSums {
 public:
  SphSums(const SphParameters& parameters, const FluidParameters& fluid, const InitialState& initial,
          float sound_speed);

  float spacing() const { return static_cast<float>(h_ / parameters_.smoothing_length_factor); }
  float smoothing_length() const { return h_; }
  float mass() const { return mass_; }
  float sound_speed() const { return sound_speed_; }
  const EquationOfState& equation_of_state() const { return state_; }
  const SmoothingKernel& kernel() const { return kernel_; }
  /// nu [m^2/s] of the continuum limit, see acceleration.h.
  float kinematic_viscosity() const;

  void resize(int count, SphFields& fields);
  /// Mean velocities of the particles from `first` on, of their velocities.
  void start_mean_velocity(int first, View<const Vec3> velocity, SphFields& fields) const;
  /// New order of the particles; those that `kept` names. Packed velocities end there.
  void permute(View<const int> order, SphFields& fields);
  void keep(View<const int> kept, SphFields& fields);
  /// From now on the fluid fills its vessel (../fluid/full_vessel.h).
  void close();
  bool is_closed() const { return closed_; }
  /// [m/s^2] The part of gravity that moves the fluid.
  Vec3 felt(const Vec3& gravity) const { return closed_ ? along_period(gravity, period_) : gravity; }
  /// As they are for all sums until the next call.
  void use_walls(WallView walls) { walls_ = walls; }
  /// What the sums read of the particles; `compression` is that at the beginning of the step.
  void pack(View<const Vec3> position, View<const Vec3> velocity, View<const float> compression);
  void pack_velocity(View<const Vec3> velocity);
  /// Densities of the packed positions, to which particles moved with the velocity in `lag` [s]: the
  /// continuity equation's step. Pressures are packed.
  void update_density(const SphNeighbors& neighbors, View<const Vec3> velocity, double lag,
                      SphFields& fields);
  /// In a full vessel: finds by how far particles part in a step, and the head that walls carry.
  void find_moves(const UniformGrid& grid, double dt);
  /// [m] What find_moves() found; empty where the vessel is not full.
  View<const Vec3> moves() const { return moves_.const_view(); }
  /// Adds the head of rest to pressures of frames.
  void add_head(View<float> pressure) const;
  /// Shepard's filter of the densities (see shepard_filter.h).
  void filter_density(const SphNeighbors& neighbors, SphFields& fields);
  /// Accelerations, and XSPH's corrections where they are switched on. Launches the sums of what a step from
  /// `time` over dt [s] gives to walls with names.
  void update_acceleration(const SphNeighbors& neighbors, double time, double dt, SphFields& fields);
  /// The packed particles for further forces, once accelerations are known; packed velocities end there.
  PackedFluid packed(const UniformGrid& grid, const SphFields& fields, double time) {
    return {grid, position_.view(), velocity_.view(), fields.compression.const_view(), walls_, time};
  }
  /// Of the k-th wall with a name, as of the last fetch_results().
  WallLoad wall_load(int k) const { return loads_.fetched(k); }

 private:
  template <class Term>
  void sum_over(const SphNeighbors& neighbors, const Term& term, View<const Quad> mean_velocity = {});
  template <ViscosityModel model, class Kernel, class Shapes>
  void sum_acceleration(const SphNeighbors& neighbors, const Kernel& kernel, const Shapes& walls, double time,
                        double dt, SphFields& fields);
  DensityOutput density_output(SphFields& fields) {
    return {.state = state_, .compression = fields.compression.view(), .velocity = velocity_.view()};
  }

  /// [s] The step in which XSPH takes all of its factor.
  double longest_xsph_step() const { return 0.4 * double(h_) / double(sound_speed_); }
  HeadOfRest head_of_rest() const {
    return {position_.const_view(), state_.density0 * (gravity_ - felt(gravity_))};
  }

  SphParameters parameters_;
  Vec3 gravity_, period_;                  ///< [m/s^2], [m]
  bool closed_ = false;                    ///< it fills its vessel
  float h_, mass_, volume_, sound_speed_;  ///< [m], [kg], [m^3], [m/s]
  CentralViscosity central_viscosity_;
  HydrostaticDrift drift_;
  EquationOfState state_;
  SmoothingKernel kernel_;
  WallView walls_;
  WallVolumeMap fill_;
  WallDensity of_walls_;  ///< by continuity they are as they are
  WallLoads loads_;
  Array<Vec3> of_pairs_;             ///< [m/s^2] where loads are measured
  Array<Quad> position_, velocity_;  ///< packed, see PackParticles
  Array<float> spare_compression_;
  Reduction<double> compression_sum_;  ///< of a full vessel, as all below
  Reduction<WallHead> wall_head_;
  Array<Quad> wall_;  ///< see SphParting
  Array<Vec3> moves_;
};

MERGANSER_END
