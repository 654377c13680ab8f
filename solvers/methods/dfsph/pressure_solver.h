#pragma once
/// The two pressure solves of DFSPH over the particles of a grid.
#include <functional>
#include <optional>
#include <vector>

#include "device/launch_graph.h"
#include "device/particle_store.h"
#include "solvers/core/fluid_fields.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/system.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/methods/dfsph/closed_vessel.h"
#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "solvers/methods/dfsph/image_loads.h"
#include "solvers/methods/dfsph/neighbor_rows.h"
#include "solvers/methods/dfsph/pressure_kernels.h"
#include "solvers/methods/dfsph/solid_drag.h"
#include "solvers/methods/dfsph/wall_images.h"
#include "solvers/methods/dfsph/wall_terms.h"
#include "solvers/methods/dfsph/wall_totals.h"
#include "solvers/methods/fluid/forces/packed_fluid.h"

MERGANSER_BEGIN

struct PressureSolveResult {
  int iterations = 0;
  double error = 0;  ///< mean of what is left above 0, relative to the rest density
  bool tolerance_met = true;
};

/// Changes accelerations after each evaluation: members of groups move as one, bodies stay rigid.
struct PressureConstraint {
  std::function<void(View<Quad>)> apply;
  LaunchKey key;  ///< what its launches depend on; none: they cannot be recorded
};

/// See CompressionBounds; 0: unknown, and no bound.
struct CompressionPace {
  double longest_step = 0;  ///< [s] that the fluid's motion and weight allow
  double gravity = 0;       ///< [m/s^2]
  double head = 0;          ///< [m^2/s^2] in solves with bodies: the greatest p/rho of the fluid at rest
};

class DfsphPressure {
 public:
  DfsphPressure(const DfsphParameters& parameters, const FluidParameters& fluid, const InitialState& initial);

  float smoothing_length() const { return h_; }
  const NearestImage& image() const { return image_; }
  float spacing() const { return spacing_; }
  float volume() const { return volume_; }  ///< [m^3] of a particle at rest

  /// Walls and time for all solves until the next call.
  void begin_step(const StepContext& step) {
    walls_ = step.walls;
    time_ = step.time;
    gravity_ = step.gravity;
    starts_ = step.step == 0;
    for (bool& known : total_known_) known = false;
    headed_total_known_ = false;
  }
  /// How fast compression is taken away, for the solves until the next call.
  void set_pace(const CompressionPace& pace) { pace_ = pace; }
  /// What follows from positions: rows of neighbors, densities, the matrix's diagonal. `grid`: whose owner
  /// has permuted its particles. `mobility` [m^3/kg]: V/m, 0 where immobile. `solves`: pressures follow; else
  /// rest_excess stays.
  void find_factors(const UniformGridView& grid, View<const float> mobility,
                    const PressureShapes& shapes = {}, bool solves = true);

  /// Accelerations that keep `velocity` [m/s] from compressing within dt [s]; of particles with few neighbors
  /// none.
  PressureSolveResult solve_divergence(View<const Vec3> velocity, View<const float> mobility, double dt,
                                       const PressureConstraint& constraint = {});
  /// Accelerations that keep densities at rest density where `velocity` would lead above it within dt.
  PressureSolveResult solve_density(View<const Vec3> velocity, View<const float> mobility, double dt,
                                    const PressureConstraint& constraint);
  /// One word of the density solve and of the divergence solve: 0 once its accelerations are not to change.
  View<const int> density_active() const { return active(density_); }
  View<const int> divergence_active() const { return active(divergence_); }
  /// [m/s^2] of the last solve; what writes velocities [m/s] in their place gives them to add_viscosity().
  View<Quad> acceleration() { return acceleration_.view(); }
  void pack(View<const Vec3> velocity);
  /// Adds to `change` [m/s] what pressure behind walls does within dt beyond the particles' own.
  void add_pressure_behind_walls(View<const float> mobility, const Vec3& gravity, double dt,
                                 View<Vec3> change);
  /// Keeps what has images off walls: changes the velocities [m/s] that particles will move with, of the
  /// store from `first_velocity` on (HoldOffWalls). `store_index`: of each particle; empty: from
  /// `first_velocity` on.
  void hold_off_walls(View<const float> mobility, View<const int> store_index, View<const int> group_of,
                      double dt, int first_velocity, View<Vec3> velocity);
  /// Adds to `change` [m/s] what viscosity does to the packed velocities within dt.
  void add_viscosity(View<const float> mobility, double dt, View<Vec3> change);
  /// Viscosity between fluid and solids (solid_drag.h), as accelerations [m/s^2]: an explicit step, or that
  /// of an implicit step's matrix; its `last` one counts. Where probes of forces measure, drag_impulse() is
  /// the sum since begin_solid_drag().
  void begin_solid_drag(int count);
  void find_explicit_drag(const SolidDragOf& of, View<const Vec3> velocity, View<Quad> acceleration);
  void find_solid_drag(const SolidDragOf& of, View<const Vec3> velocity, SolveProgress progress, bool last,
                       View<Quad> acceleration);
  void find_drag_blocks(const SolidDragOf& of, View<SymmetricMatrix3> block);
  View<const Vec3> drag_impulse() const { return drag_impulse_.const_view(); }

  /// Pressures have no level where a fluid fills all of its vessel, see StartPressures. Not where bodies take
  /// part: a lid gives them one. `for_good`: nothing else is ever in its vessels, no wall moves,
  /// and there is a divergence solve.
  void set_fills_vessels(bool for_good) {
    fills_vessels_ = true;
    may_be_closed_ = for_good;
  }
  /// The head of liquid of the density [kg/m^3] at rest is not found by the density solve (head_at_rest.h).
  void take_off_head(float density) { head_density_ = density; }
  /// Whether the solves are those of a closed vessel (closed_vessel.h): found in the first step of a run.
  bool is_closed() const { return closed_; }
  void set_closed(bool closed) { closed_ = closed; }
  /// [m/s^2] The part of gravity that moves the fluid: in a closed vessel that along periodic axes. The other
  /// part is balanced by the pressure rho g.x, which walls and frames get besides.
  Vec3 felt(const Vec3& gravity) const { return closed_ ? along_period(gravity, image_.period) : gravity; }
  /// [m] By how far places move beside their velocities in this step, after the density solve; empty where
  /// the vessel is not closed.
  View<const Vec3> moves() const { return closed_ ? moves_.const_view() : View<const Vec3>{}; }
  /// What the next solves depend on besides pressures: of each solve the greatest eigenvalue and the level
  /// [Pa].
  std::vector<float> kept_of_solves() const;
  void set_kept_of_solves(const std::vector<float>& kept);

  /// The particles for further forces; the accelerations of the last solve end there.
  PackedFluid packed(const UniformGrid& grid) {
    const int count = compression_.size();
    return {grid,
            position_.view().subview(0, count),
            acceleration_.view().subview(0, count),
            compression(),
            walls_,
            time_};
  }
  View<const float> compression() const { return compression_.const_view(); }
  /// What the last solves, the pressure behind walls and viscosity gave to the k-th wall with a name, as of
  /// the last fetch_results().
  WallLoad wall_load(int k) const {
    WallLoad sum;
    for (const WallLoads& loads : loads_) sum += loads.fetched(k);
    return sum;
  }
  /// For the solves until the next call: what is not free, 0 in `free`, is measured where the scene has
  /// probes of forces on bodies (held_pressure.h).
  void measure_held(View<const float> free) { free_ = free; }
  /// [N s] of the last divergence solve (0) or density solve (1); empty where nothing is measured.
  View<const Vec3> held_impulse(int solve) const { return held_impulse_[solve].const_view(); }
  /// [N s] that all walls gave since begin_step(), as of the last fetch_results(); of solves that were
  /// repeated the last one's.
  Vec3d wall_impulse() const {
    Vec3d sum{0, 0, 0};
    for (int k = 0; k < load_count; ++k)
      if (total_known_[k]) sum += totals_[k].fetched();
    if (!headed_total_known_) return sum;
    const HeadedTotal total = headed_total_.fetched();
    const Vec3d weight = to_double(head_weight_);
    return sum + total.found - (total.taken / norm_squared(weight)) * weight;
  }
  /// [Pa] of both last solves together, see MechanicalPressure; nothing before the first step.
  void find_mechanical_pressure(View<float> pressure);
  const SmoothingKernel& kernel() const { return kernel_; }
  /// New order of the particles; or those that are kept, see keep_elements().
  void permute(View<const int> order) {
    for (Array<float>* a : {&density_pressure, &divergence_pressure, &steady_pressure, &rest_excess})
      permute_array(*a, order, source_);
  }
  void keep(View<const int> kept) {
    for (Array<float>* a : {&density_pressure, &divergence_pressure, &steady_pressure, &rest_excess})
      keep_elements(*a, kept, source_);
  }
  /// [Pa] of the last solves, in the order of the particles: kept from step to step.
  Array<float> density_pressure, divergence_pressure;
  /// [Pa] that the density solve starts from, likewise: see FollowPressures.
  Array<float> steady_pressure;
  /// See RestExcess, likewise.
  Array<float> rest_excess;
  /// Once a step, after find_factors() and before both solves; velocities of its start, gravity [m/s^2].
  /// Finds what the last pressures carry along walls, see CarriedAlongWalls. Where there is a divergence
  /// solve its first kernel does the rest: until then `velocity` must stay.
  void follow_pressures(View<const Vec3> velocity, View<const float> mobility, const Vec3& gravity,
                        double dt);

 private:
  struct Solve {
    Array<PressureState> state{1};
    LaunchGraph iterations;
    double expected = 4;  ///< iterations, after which a host that waits for a GPU looks first
  };
  enum { divergence_load, density_load, head_load, drag_load, hold_load, load_count };
  static View<const int> active(const Solve& solve) { return {&solve.state.data()->active, 1}; }
  template <class Kernel>
  RowPairs<Kernel> pairs(const Kernel& kernel) {
    return {.kernel = kernel,
            .volume = volume_,
            .rows = rows_.view(),
            .position = position_.const_view(),
            .image = image_};
  }
  template <class Visit>
  void visit_solid_fluid(View<const float> viscosity, const Visit& visit);
  template <class Kernel>
  void launch_solid_drag(const SolidFluidPairs<Kernel>& solid_fluid, const SolidDragOf& of,
                         SolveProgress progress, View<const float> rate, View<Quad> acceleration,
                         View<Vec3> impulse);
  ParticlesAtWalls at_walls(const MeasuredWall& wall, const DfsphWallFill& fill) const;
  /// Those of whose solids sums take a share: none where images stand behind them.
  WallView solids() const { return images_ ? WallView{} : walls_; }
  /// Sums what images give to the walls by a formula of the kernel (image_loads.h).
  template <class Impulse>
  void sum_image_load(int of, View<const float> mobility, const Impulse& impulse);
  /// Of the packed velocities; waits for nothing.
  template <class Kernel>
  VelocityField find_gradients(const Kernel& kernel, int particles);
  void add_viscosity_of_images(View<const float> mobility, double dt, View<Vec3> change);
  DfsphWallFill shares() const { return {fill_.view(), wall_density_}; }
  bool find_carried_along_walls(View<const float> mobility, const Vec3& gravity,
                                const PackPressureChanges& pack);
  void sum_pressure_load(int of, View<const float> mobility, View<const float> part, double dt);
  void find_held_impulses(int of, View<const float> part, double dt);
  template <class Total>
  void sum_total(int of, int count, const Total& total);
  CompressionBounds bounds_within(double dt) const;
  float smooth_bound() const { return slow_bound * static_cast<float>(parameters_.max_density_error); }
  /// Of the weight that felt() leaves out.
  HeadOfRest head_of_rest() const {
    return {position_.const_view(), static_cast<float>(density0_) * (gravity_ - felt(gravity_))};
  }
  void find_closed_divergence(View<const float> mobility, double dt);
  /// What find_factors() is to find for the heads; follow_pressures() does the rest.
  FindHeadLine prepare_heads(const ApartView& apart);
  HeadAtRest head() const {
    const float weight = norm(head_weight_);
    return weight > 0 ? HeadAtRest{head_weight_, weight * spacing_, head_.const_view()} : HeadAtRest{};
  }
  /// To the last pressures, for what walls get.
  void add_heads_at_walls(View<const float> mobility, View<const float> part, double dt);
  template <class Total>
  void sum_headed_total(int count, const Total& found, const Total& head, double dt);
  ImagePressure image_pressure(View<const float> part, View<const float> pressure, double dt) const;
  /// [Pa] The last pressures that carry the fluid.
  View<const float> carrying_pressure() const {
    return closed_ ? divergence_pressure.const_view() : density_pressure.const_view();
  }
  /// Packs all but the last of the means that make the smooth part of the compression.
  void pack_compression_mean();
  /// Of the numbers packed with positions.
  void find_neighbor_mean(Array<float>& mean);
  PressureSolveResult run(Solve& solve, View<const float> mobility, View<const float> inverse_diagonal,
                          Array<float>& pressure, double tolerance, double dt,
                          const PressureConstraint& constraint);
  template <class Kernel>
  void iterate(Solve& solve, const Kernel& kernel, View<const float> mobility,
               View<const float> inverse_diagonal, Array<float>& pressure, const HeadAtRest& head,
               const PressureConstraint& constraint);

  DfsphParameters parameters_;
  double density0_;
  float spacing_, h_, volume_;
  SmoothingKernel kernel_;
  CentralViscosity central_viscosity_;
  WallView walls_;
  double time_ = 0;        ///< [s]
  Vec3 gravity_{0, 0, 0};  ///< [m/s^2]
  CompressionPace pace_;
  bool fills_vessels_ = false, may_be_closed_ = false;
  bool closed_ = false;
  bool starts_ = false;       ///< the first step of the run
  FollowPressures follow_{};  ///< what the divergence solve is to do; empty: nothing
  WallVolumeMap fill_;
  WallDensity wall_density_;
  WallLoads loads_[load_count];
  Reduction<Vec3d> totals_[load_count];
  bool total_known_[load_count] = {};
  NearestImage image_;
  std::optional<WallImages> images_;  ///< with DfsphWallPressure::images
  bool measures_held_;
  View<const float> free_{};
  Array<Vec3> held_impulse_[2];  ///< [N s] of divergence_load and density_load
  Array<Vec3> drag_impulse_;     ///< [N s] of SolidDrag; empty where nothing is measured
  NeighborRows rows_;
  View<const int> neighbors_;  ///< of a particle, those left out of its row among them
  Array<int> whole_length_;
  Array<float> carried_along_;  ///< shares of gravity, see CarriedAlongWalls
  Array<Quad> position_;        ///< w: what a sum reads besides
  Array<Quad> acceleration_;    ///< or velocities, where a source is made
  Array<Quad> gradient_;        ///< [1/s] see VelocityField
  Array<Quad> wall_;
  Array<Vec3> moves_;  ///< [m] see closed_vessel.h
  Array<float> compression_, inverse_diagonal_, part_, source_, last_pressure_, last_residual_;
  Reduction<PressureResiduals> residuals_;
  Reduction<double> source_mean_;  ///< the sum
  Reduction<WallHead> wall_head_;
  float head_density_ = 0;     ///< [kg/m^3] see take_off_head()
  Vec3 head_weight_{0, 0, 0};  ///< [N/m^3] in this step; 0: no head
  Array<float> head_;          ///< [Pa]
  Reduction<HeadLine> head_line_;
  FindHeads find_heads_{};
  Reduction<HeadedTotal> headed_total_;
  bool headed_total_known_ = false;
  Solve divergence_, density_;
};

MERGANSER_END
