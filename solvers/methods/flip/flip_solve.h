#pragma once
/// The solve on the grid of a FLIP fluid, or of several that fill the same space: cells, velocities on faces,
/// pressure, rigid bodies, volume, loads of walls.
#include <cmath>
#include <vector>

#include "solvers/core/wall_loads.h"
#include "solvers/methods/flip/face_mass.h"
#include "solvers/methods/flip/flip_bodies.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "solvers/methods/flip/flip_sheets.h"
#include "solvers/methods/flip/flip_velocities.h"
#include "solvers/methods/flip/other_particles.h"
#include "solvers/methods/flip/place_box.h"
#include "solvers/methods/flip/pressure_solver.h"
#include "solvers/methods/flip/volume_correction.h"

MERGANSER_BEGIN

/// A fluid of the solve in a step; it has particles.
struct SolvedFluid {
  Range own;  ///< of the store
  const UniformGrid* sorted;
  FlipVelocities* velocities;
  Array<Vec3>* displacement;  ///< [m] of own particles; written where the volume is corrected
  double density0;            ///< [kg/m^3]
};

class FlipSolve final : OperatorTerm {
 public:
  /// Particle spacing and edge of a cell [m]; density0 [kg/m^3]: what the unknown p and the faces' densities
  /// refer to.
  FlipSolve(const FlipParameters& parameters, float spacing, float dx, double density0,
            const InitialState& initial)
      : parameters_(parameters),
        spacing_(spacing),
        dx_(dx),
        density0_(density0),
        sheets_(initial),
        loads_(initial.walls),
        near_walls_(initial.walls) {}
  void use(int system, PressedBodies& bodies) { bodies_.use(system, bodies); }
  void use(int system, PressedSheet& sheet) { sheets_.use(system, sheet); }
  /// Rigid bodies that merge.
  void use_other(int system, PressedBodies& bodies) { others_.use(system, bodies); }

  /// Once a step, before all else: nothing is solved yet.
  void begin_step();
  /// Grid, cells and displacements for particles where they are now. `without`: systems in the solve.
  /// crossing_rate [1/s]: cells that the fastest particle may cross.
  void mark(const StepContext& step, std::vector<SolvedFluid> fluids, const std::vector<int>& without,
            double crossing_rate);
  /// Velocities of the fluids of mark() on faces, and what pressure changes of them; bodies get their part in
  /// end_velocity.
  void project(const StepContext& step, const MetaParticleView& groups, int stage, View<Vec3> end_velocity);

  /// Once fluids have their velocities: other particles get theirs.
  void push_others(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity) {
    if (others_.any()) others_.give(step, groups, end_velocity);
  }

  /// True where cloths take part; these must have integrated before project().
  bool has_sheets() const { return !sheets().empty(); }
  const std::vector<int>& sheets() const { return sheets_.systems(); }
  const FlipPressure& pressure() const { return pressure_; }
  FaceViews<const float> faces() const { return u_.const_view(); }
  bool corrects_volume() const { return parameters_.volume_correction > 0; }
  double largest_density_error() const { return volume_corrected_ ? volume_.largest_error() : 0; }
  /// [s] of the solve that the grid's pressure is of; 0: none in this step.
  double solved_dt() const { return solved_dt_; }
  double density0() const { return density0_; }
  /// Cells that the fastest particle may cross in the step of the last mark().
  double crossings() const { return crossings_; }
  /// After project(), [N s] over the store: what particles of others that are held got in the step.
  void add_held_impulses(const HeldParticles& held, View<Vec3> impulse) const;
  const SystemStatistics& statistics() const { return statistics_; }
  WallLoad wall_load(int k) const {
    return solved_dt_ > 0 ? loads_.fetched(k) + near_walls_.fetched(k) : WallLoad{};
  }

 private:
  FaceViews<const float> passage_of_bodies() const {
    return bodies_.any() ? bodies_.passage() : pressure_.open();
  }
  FaceViews<const float> passage() const { return sheets_.any() ? sheets_.passage() : passage_of_bodies(); }
  /// What bodies and sheets do.
  void add(View<const float> p, View<float> q) override;
  double particle_mass() const { return density0_ * std::pow(double(spacing_), 3); }
  /// [m/s] rho v^2/100 of the fastest particle, as an unknown: tensions below it are errors of the solve.
  double least_tension(double dt) const { return 0.01 * double(dx_) * crossings_ * crossings_ / dt; }
  double cell_mass() const { return density0_ * double(dx_) * double(dx_) * double(dx_); }
  FlipFluids particles() const;
  GatheredFluids gathered() const;
  /// v* on faces: from the fluids' particles, and by extrapolation for faces of fluid cells that none
  /// reaches.
  void set_faces(const StepContext& step, const MetaParticleView& groups);
  /// The right side of the solve.
  void find_convergence(const StepContext& step, FaceViews<const float> u, FaceViews<float> carried);
  LinearSolveResult solve_pressure(bool start_over, int expected, const std::function<void()>& look = {});
  /// Of the last solve, over the step.
  void sum_wall_loads(const StepContext& step);

  FlipParameters parameters_;
  float spacing_, dx_;  ///< [m]
  double density0_;     ///< [kg/m^3]
  std::vector<SolvedFluid> fluids_;
  GridBounds placement_;
  OtherParticles others_;
  FlipPressure pressure_;
  VolumeCorrection volume_;
  FlipBodies bodies_;
  FlipSheets sheets_;
  FaceArrays<float> u_;  ///< [m/s] v* on faces
  FaceMass face_mass_;   ///< where there are bodies or sheets
  FaceArrays<float> carried_;
  FaceArrays<signed char> reached_;
  Array<float> row_weight_, row_momentum_;  ///< CPU: see ParticlesToFaces
  WallLoads loads_, near_walls_;            ///< by pressure; what particles near walls get beyond it
  bool volume_corrected_ = false;           ///< in this step
  double solved_dt_ = 0;                    ///< [s]
  double crossings_ = 0;
  double rounding_ = 0;  ///< [m/s] no residual need be smaller than 1e-8 of the greatest speed, a cell
  SystemStatistics statistics_;
  int expected_[2] = {8, 8};  ///< iterations of a stage, those of the last step
  int expected_parted_ = 4;   ///< of the solve of what has parted from walls
};

MERGANSER_END
