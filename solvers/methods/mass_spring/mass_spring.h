#pragma once
/// Cloth and ropes: particles joined by springs, integrated by backward Euler.
#include <memory>

#include "solvers/core/held_impulses.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/prescribed_motions.h"
#include "solvers/core/system.h"
#include "solvers/coupling/implicit/contact_walls.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/mass_spring/pressed_springs.h"
#include "solvers/methods/mass_spring/second_stage.h"
#include "solvers/methods/mass_spring/spring_operator.h"

MERGANSER_BEGIN

struct SpringExchange;

/// One linearization of backward Euler a step (Baraff & Witkin 1998, eq. 6), for the change of velocity u = v
/// - v0:
///   (M (1 + dt a) + dt C + dt^2 K) u = dt (f(x0) + M g - a M v0 - C v0 - dt K v0)
/// with spring forces f [N], their stiffness K [N/m] and damping C [N s/m] (see LinearizeSprings), air
/// damping a [1/s]. It is solved by conjugate gradients on the unknowns of meta-particles, P^T A P. Written
/// for u, not for v, both rounding and tolerance are relative to the impulses of the step and not to the
/// momentum: a cloth feels the same forces at any speed.
class MassSpring : public System,
                   public HeldImpulses,
                   public ImplicitSystem,
                   public LoneSolve,
                   public PressedSheet {
 public:
  /// Throws InputError where a parameter is out of range, or springs or prescribed motions do not fit the
  /// particles.
  MassSpring(const SystemState& state, int system_index, const ParticleStore& particles);

  bool implicit() const override { return true; }
  void prepare(const StepContext& step) override;
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override {
    alone_.integrate(step, groups, stage, end_velocity);
  }
  void finish(const StepContext& step, View<const Vec3>) override { alone_.look_ahead(step); }
  void save(StateArchive& archive, const std::string& prefix) const override { alone_.save(archive, prefix); }
  void load(const StateArchive& archive, const std::string& prefix) override { alone_.load(archive, prefix); }
  void record_exchange(const StepContext& step, const MetaParticleView& groups,
                       View<const Vec3> end_velocity) override;
  void write_held_impulses(const StepContext& step, const MetaParticleView& groups,
                           View<const Vec3> end_velocity, View<Vec3> impulse) override;
  void measure_before_walls(const StepContext& step, View<const Vec3>) override {
    sum_energy(step.particles, before_walls_);
  }
  double energy_before_walls() const override { return before_walls_.fetched(); }
  void measure(const ParticleStore& particles, Measures what) override {
    if (what == Measures::all) sum_energy(particles, energy_);
  }
  /// Backward Euler is stable at any step.
  double time_step_limit() const override { return 1e30; }
  SystemStatistics measured() const override;
  bool tolerance_met() const override { return statistics_.tolerance_met; }
  WallLoad wall_load(int k) const override { return contact_walls_.load(k); }
  /// Walls with names get what they give within solves.
  void measure_wall_loads(const std::vector<WallParameters>& walls) { contact_walls_.measure_loads(walls); }
  View<const int> bond_first() const override { return springs_.view().first; }
  View<const int> bond_neighbor() const override { return springs_.view().neighbor; }

  // A solve that is shared with other implicit systems; integrate() is not called then.
  ImplicitSystem* implicit_system() override { return this; }
  int system_index() const override { return system_index_; }
  double air_damping() const override { return parameters_.air_damping; }
  double tolerance() const override { return parameters_.tolerance; }
  int max_iterations() const override { return parameters_.max_iterations; }
  void right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) override;
  void diagonal(double dt, View<SymmetricMatrix3> blocks) override;
  void multiply(SolveProgress progress, double dt, const PartRows& rows, View<const Vec3> u,
                View<Vec3> y) override;
  /// The springs' blocks know the step.
  void add_to_key(double, LaunchKey&) const override {}
  void solved(int stage, const LinearSolveResult& result) override;
  View<Vec3> wall_impulse() override { return contact_walls_.impulse(); }
  void contact_walls(const StepContext& step) override {
    contact_walls_.sum_loads(step, step.particles.range(system_index_));
  }
  BodyBalance* balance(bool alone) override { return alone ? &balance_ : nullptr; }

  // A solve of its own, where no wall is near. The second stage changes the first stage's solution near the
  // groups that changed.
  LoneSolve* lone_solve() override { return this; }
  LinearSolveResult solve_alone(const LoneStage& stage) override;
  void balance_alone(const LoneStage& stage, View<Vec3> balanced) override;

  // In the pressure solve of a grid.
  void begin_pressure(const StepContext& step, const MetaParticleView& groups, View<const Vec3> added,
                      double tolerance) override;
  void answer(View<const Vec3> impulse, View<Vec3> u) override { pressed_.answer(impulse, u); }

 private:
  SpringExchange exchange_of(const StepContext& step, const MetaParticleView& groups,
                             View<const Vec3> end_velocity) const;
  void sum_energy(const ParticleStore& particles, Reduction<double>& sum) const;
  /// Right side and preconditioner.
  void assemble(const LoneStage& stage, const ActiveRows& reach);
  SpringRows matrix(const StageRows& rows);
  LinearSolveResult solve_first(const LoneStage& stage);
  LinearSolveResult solve_second(const LoneStage& stage);
  LinearSolveLimits limits(int stage) const;
  /// True where the second stage's changes reach so few rows in so few iterations that looking for them pays.
  bool changes_are_local(const ActiveRows& touched);
  int system_index_;
  MassSpringParameters parameters_;
  SpringLists springs_;
  PrescribedMotions prescribed_;
  BodyBalance balance_;

  Array<SpringBlock> block_;  ///< per half-spring, of this step
  Array<Vec3> impulse_;       ///< [N s] of the springs, of this step

  ContactWalls contact_walls_;

  // a solve of its own
  ImplicitCoupling alone_;
  Array<Vec3> right_side_, residual_;  ///< b and r = b - A u, per row, of this stage
  Array<SymmetricMatrix3> inverse_diagonal_;
  Array<Vec3> near_residual_;  ///< second stage, see SplitResidual
  Array<int> distance_;        ///< second stage, springs from the nearest changed group
  ConjugateGradient solver_;
  PressedSprings pressed_;
  Reduction<double> energy_, before_walls_;
  Reduction<StepExchange> exchange_;
  Reduction<int> rows_within_;
  double reference_norm_ = 0;  ///< |b| of the first stage, for both
  int expected_[2] = {8, 8};   ///< iterations of a stage, those of the last step
  SystemStatistics statistics_;
};

/// The system of the given index of the store; its particles are already there, in the order of `state`.
std::unique_ptr<System> make_mass_spring(const SystemState& state, const InitialState& initial,
                                         int system_index, const ParticleStore& particles);

MERGANSER_END
