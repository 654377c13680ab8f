#pragma once
/// Cloth and ropes: particles joined by springs, integrated by backward Euler.
#include <memory>

#include "solvers/initial_state.h"
#include "solvers/linear/conjugate_gradient.h"
#include "solvers/mass_spring/momentum_balance.h"
#include "solvers/mass_spring/prescribed_motions.h"
#include "solvers/mass_spring/reduced_rows.h"
#include "solvers/mass_spring/spring_operator.h"
#include "solvers/system.h"

MERGANSER_BEGIN

/// One linearization of backward Euler a step (Baraff & Witkin 1998, eq. 6, written for the end-of-step
/// velocity v):
///   (M (1 + dt a) + dt C + dt^2 K) v = M v0 + dt (f(x0) + M g)
/// with spring forces f [N], their stiffness K [N/m] and damping C [N s/m] (see LinearizeSprings), air
/// damping a [1/s]. It is solved by conjugate gradients on the unknowns of meta-particles, P^T A P.
class MassSpring : public System {
 public:
  /// Throws InputError where springs or prescribed motions do not fit the particles.
  MassSpring(const SystemState& state, int system_index, const ParticleStore& particles);

  const char* type() const override { return "mass-spring"; }
  bool implicit() const override { return true; }
  void prepare(StepContext& step) override;
  void integrate(StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  /// Backward Euler is stable at any step.
  double largest_time_step(const ParticleStore&) override { return 1e30; }
  SystemStatistics statistics(const ParticleStore& particles) override;
  View<const int> bond_first() const override { return springs_.view().first; }
  View<const int> bond_neighbor() const override { return springs_.view().neighbor; }

 private:
  class Operator;
  class BlockJacobi;
  OwnMembersView find_own_members(const MetaParticleView& groups, Range range);
  void prepare_rows(const StepContext& step, const MetaParticleView& groups, const OwnMembersView& own,
                    Range range);
  void factor_diagonal(const MetaParticleView& groups, const OwnMembersView& own, Range range);

  int system_index_;
  MassSpringParameters parameters_;
  SpringLists springs_;
  PrescribedMotions prescribed_;
  MomentumBalance balance_;

  Array<SpringBlock> block_;           ///< per half-spring, of this step
  Array<Vec3> impulse_;                ///< [N s] of the springs, of this step
  Array<float> inertia_, weight_;      ///< per row, of this stage
  Array<Vec3> right_side_, solution_;  ///< per row, of this stage
  Array<Vec3> first_impulse_;          ///< [N s] per row, what the last solve gave it beside gravity
  Array<SymmetricMatrix3> inverse_diagonal_;
  Array<int> own_begin_, own_end_;  ///< per group, of this stage

  ConjugateGradient solver_;
  Reduction<double> energy_;
  double reference_norm_ = 0;  ///< |b| of the first stage, for both
  SystemStatistics statistics_;
};

/// The system of the given index of the store; its particles are already there, in the order of `state`.
std::unique_ptr<System> make_mass_spring(const SystemState& state, int system_index,
                                         const ParticleStore& particles);

MERGANSER_END
