#pragma once
/// Implicit systems solved as one: what their groups' members share is one unknown of one linear system.
#include <vector>

#include "solvers/coupling/implicit/implicit_system.h"
#include "solvers/coupling/implicit/implicit_walls.h"
#include "solvers/coupling/implicit/near_walls.h"
#include "solvers/coupling/implicit/solution_history.h"
#include "solvers/coupling/implicit/stage_rows.h"
#include "solvers/linear/krylov/preconditioned_conjugate_gradient.h"

MERGANSER_BEGIN

/// Conjugate gradients on P^T A P, A block diagonal over the parts and P the meta-particles ([MS] sec. 4), so
/// that a group whose members belong to several implicit systems feels all their stiffness at once. Solved
/// one by one and averaged, each system's force would be that of a displacement that does not happen, and
/// stiff systems gain energy from it. The parts' particles must follow each other in the store.
class ImplicitCoupling {
 public:
  explicit ImplicitCoupling(std::vector<ImplicitSystem*> parts);
  /// As System::integrate, for all parts. The second stage starts from the first stage's solution; its
  /// tolerance refers to the first stage's |b|.
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage, View<Vec3> end_velocity);
  /// After the step, where walls have acted: whether the next one has to look at walls comes with the results
  /// that the host fetches. Nothing where integrate() was not called.
  void look_ahead(const StepContext& step);
  /// What the next step's guess is made of, and look_ahead().
  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  struct Matrix;
  struct PartPreconditioners;

  void resize(int count);
  void prepare_rows(const StepContext& step, const MetaParticleView& groups);
  void assemble(const StepContext& step);
  bool may_feel_walls(const StepContext& step) const;
  void count_near_walls(const StepContext& step);
  /// Whether rows are near walls; blocking where nobody looked ahead.
  void look_at_walls(const StepContext& step);
  /// Counts rows that shared unknowns make special; blocking where there may be some.
  void look_at_rows(const StepContext& step);
  /// u = 0 or what the last steps' solutions tell, and its residual.
  void guess(const StepContext& step, const Matrix& matrix, const SolveRows& all);
  bool knows_product() const;
  /// For the next step's guess; change_ and its residual are what the solve left.
  void remember(const StepContext& step, int stage, View<const Vec3> solution);
  /// residual_ = b - A u.
  void take_residual(const Matrix& matrix);
  /// With the blocks' inverses, from change_ and its residual; where a part takes over, then with its
  /// preconditioner.
  LinearSolveResult solve_by_blocks(const StepContext& step, const Matrix& matrix,
                                    const LinearSolveLimits& limits);
  bool take_over(const StepContext& step);
  /// With the parts' preconditioners, from change_ and its residual.
  LinearSolveResult solve_preconditioned(const StepContext& step, const Matrix& matrix,
                                         const LinearSolveLimits& limits);
  /// Rows that the solution takes behind a wall; blocking.
  bool catch_rows_behind_walls(const StepContext& step);
  /// What tolerances refer to: |b| with impulses in place of the walls' drive.
  void refer_to_impulses(const SolveRows& all, double least);
  /// The solve of all parts together: change_ and its residual.
  /// `again`: from the last solution of the same stage.
  LinearSolveResult solve(const StepContext& step, int stage, bool again);
  /// Newton's method for a nonlinear part, from the step's first linearization, whose solution change_ holds;
  /// see newton_steps.cpp.
  LinearSolveResult solve_nonlinear(const StepContext& step, const LinearSolveResult& first);
  /// base_ + share direction for the greatest share 1, 1/2, ... that does not raise `potential`; false: none.
  bool search_line(const StepContext& step, View<const Vec3> direction, double& potential);
  double potential(const StepContext& step, View<const Vec3> u);
  void take_gradient(const StepContext& step);
  void linearize(const StepContext& step);
  LinearSolveLimits limits(int stage) const;
  void invert_blocks();
  void find_wall_yield(const StepContext& step);
  static constexpr int most_passes = 16;      ///< solves of a stage
  static constexpr int most_wall_passes = 3;  ///< of them for rows behind walls
  LinearSolveResult solve_with_walls(const StepContext& step, int stage);
  bool solve_again();
  void restore_momentum(const StepContext& step);
  void record_wall_impulses(const StepContext& step);
  PartRows rows_of(const StepContext& step, const ImplicitSystem& part) const;

  std::vector<ImplicitSystem*> parts_;
  bool preconditioned_ = false;                 ///< some part does so, in this stage
  bool warm_start_ = false, balanced_ = false;  ///< some part does so
  Range range_{0, 0};                           ///< particles of all parts
  MetaParticleView groups_;                     ///< of this stage
  LoneSolve* lone_solve_ = nullptr;             ///< of a part that shares the solve with no other
  LoneSolve* lone_ = nullptr;                   ///< the same in a step near no wall that it feels, or nullptr
  StageRows rows_;
  Array<float> unknown_effective_mass_;         ///< [kg] per row, of this stage
  Array<Vec3> right_side_, residual_, change_;  ///< b, r = b - A u and u, per row, of this stage
  Array<Vec3> balanced_change_;                 ///< [m/s] u with the exact momentum
  Array<SymmetricMatrix3> diagonal_, inverse_diagonal_;
  bool own_rows_ = true;     ///< of this stage: every row that moves by itself is an unknown of its own
  Array<int> special_rows_;  ///< rows that share an unknown, of this stage; rows that walls catch
  NearWalls near_;
  bool near_walls_ = false;                 ///< of this step: parts that feel walls have rows near one
  bool integrated_ = false;                 ///< since the last look_ahead()
  Array<SymmetricMatrix3> wall_stiffness_;  ///< W and c, see implicit_walls.h
  Array<Vec3> wall_drive_;
  Array<std::uint32_t> wall_caught_;
  Array<SymmetricMatrix3> wall_yield_, wall_held_;  ///< preconditioned: see wall_preconditioner.h
  Reduction<int> row_count_;
  Array<float> share_;             ///< preconditioned: see ShareGroupRows
  Array<Vec3> shared_residual_;    ///< preconditioned: share r
  Array<Vec3> base_, trial_;       ///< [m/s] nonlinear parts: u so far, and where the line search looks
  Reduction<double> wall_energy_;  ///< [J]
  SolutionHistory history_;
  LaunchGraph guess_;
  ConjugateGradient solver_;
  PreconditionedConjugateGradient preconditioned_solver_;
  int expected_[2][2] = {{8, 8}, {2, 2}};  ///< iterations by blocks and preconditioned, of a stage: the last
};

MERGANSER_END
