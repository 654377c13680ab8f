#pragma once
/// Brittle solids: bond-based peridynamics, implicit or explicit. See README.md for the equations.
#include <memory>

#include "solvers/initial_state.h"
#include "solvers/linear/conjugate_gradient.h"
#include "solvers/linear/reduced_unknowns.h"
#include "solvers/mass_spring/prescribed_motions.h"
#include "solvers/peridynamics/bonds.h"
#include "solvers/peridynamics/loads.h"
#include "solvers/peridynamics/peridynamic_matrix.h"
#include "solvers/system.h"

MERGANSER_BEGIN

class Peridynamics : public System {
 public:
  /// Throws InputError where parameters, pre-cracks, loads or prescribed motions do not fit the particles.
  /// The particles' positions are the reference state; `seed` is for the scatter of critical stretches.
  Peridynamics(const SystemState& state, int system_index, const ParticleStore& particles,
               std::uint32_t seed);

  const char* type() const override { return "peridynamics"; }
  bool implicit() const override { return parameters_.integration == PeridynamicIntegration::implicit_euler; }
  void prepare(StepContext& step) override;
  /// Implicit: the second stage starts from the first stage's own solution; its tolerance refers to the first
  /// stage's |b|. Explicit: both stages have the same forces. end_velocity is written only.
  void integrate(StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  /// Breaks bonds at the new positions.
  void finish(StepContext& step) override;
  double largest_time_step(const ParticleStore&) override;
  SystemStatistics statistics(const ParticleStore& particles) override;
  View<const int> bond_first() const override { return bonds_.list().first; }
  View<const int> bond_neighbor() const override { return bonds_.list().neighbor; }
  /// "damage" and "fragment".
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  void save(StateArchive& archive, const std::string& prefix) const override { bonds_.save(archive, prefix); }
  void load(const StateArchive& archive, const std::string& prefix) override { bonds_.load(archive, prefix); }

  PeridynamicBonds& bonds() { return bonds_; }

 private:
  /// What the kernels of a stage share.
  struct Stage {
    const StepContext& step;
    const MetaParticleView& groups;
    Range range;
    OwnMembersView own;
  };
  /// Unknowns, see PrepareRows.
  struct Rows {
    Array<int> representative;
    Array<float> mass;
    Array<Vec3> start;
    RowsView view() const { return {representative.view(), mass.view(), start.view()}; }
  };

  float factor(double dt) const { return float(dt * (dt + parameters_.damping)); }
  OwnMembersView find_own_members(const MetaParticleView& groups, Range range);
  void prepare_rows(const Stage& stage);
  PeridynamicMatrix matrix(const Stage& stage);
  /// Right side and preconditioner.
  void assemble(const Stage& stage);
  LinearSolveResult solve(const Stage& stage, int stage_index);
  void integrate_implicit(const Stage& stage, int stage_index, View<Vec3> end_velocity);
  void integrate_explicit(const Stage& stage, View<Vec3> end_velocity);

  int system_index_;
  PeridynamicsParameters parameters_;
  PeridynamicBonds bonds_;
  PrescribedMotions prescribed_;
  PeridynamicLoads loads_;

  Array<Vec3> impulse_;                         ///< [N s] dt f with loads, of this step
  Array<SymmetricMatrix3> stiffness_diagonal_;  ///< [N/m], of this step
  Rows rows_, rows_before_;                     ///< of this stage and of the first
  Array<float> inertia_, unknown_inertia_;      ///< [kg] per row, of this stage
  Array<Vec3> right_side_, residual_, change_;  ///< b, r = b - A u and u, per row, of this stage
  Array<Vec3> balanced_change_;                 ///< [m/s] u with the exact momentum; scratch
  Array<SymmetricMatrix3> inverse_diagonal_;
  Array<int> own_begin_, own_end_;  ///< per group, of this stage

  ConjugateGradient solver_;
  double reference_norm_ = 0;  ///< |b| of the first stage, for both
  SystemStatistics statistics_;
};

/// The system of the given index of the store; its particles are already there, in the order of `state`.
std::unique_ptr<System> make_peridynamics(const SystemState& state, int system_index,
                                          const ParticleStore& particles, std::uint32_t seed = 1);

MERGANSER_END
