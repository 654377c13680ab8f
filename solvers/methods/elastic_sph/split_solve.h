#pragma once
/// The split step ([ES] alg. 1, lines 3 to 12): stretching and zero-energy control by the factored matrix,
/// then volume by conjugate gradients with rotations of its own, both over the elastic step; walls hold what
/// these would take behind them.
#include "solvers/methods/elastic_sph/split_walls.h"

MERGANSER_BEGIN

class ElasticSplitSolve {
 public:
  ElasticSplitSolve(ElasticModel& model, int count);
  /// As System::integrate, each particle by itself: members of groups get the mean of their changes.
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage, View<Vec3> end_velocity);
  /// After the step, where walls have acted.
  void look_ahead(const StepContext& step) { walls_.look_ahead(step); }
  /// Data from which the next step's solve starts.
  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  /// Lines 3 to 6: change_ of stretching and zero-energy control over the elastic step.
  void solve_stretching(const StepContext& step);
  /// Lines 7 to 9: volume_change_; start: the velocities that line 6 gave.
  LinearSolveResult solve_volume(const StepContext& step, View<const Vec3> start);
  /// to = u and the one velocity per free body that restores its momentum, which right_side_ has given.
  void restore_momentum(View<const Vec3> u, View<Vec3> to);

  ElasticModel& model_;
  StageRows rows_;
  Array<Vec3> change_, volume_change_;  ///< [m/s]
  Array<Vec3> middle_;                  ///< [m/s] between the two solves, and scratch
  Array<Vec3> right_side_, residual_;   ///< [N s]
  Array<SymmetricMatrix3> block_;       ///< [1/kg]
  ConjugateGradient volume_solver_;
  SplitWalls walls_;
  int expected_ = 8;  ///< iterations of its solve, those of the last one
};

MERGANSER_END
