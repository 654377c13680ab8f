#pragma once
/// Walls within the split step. [ES] alg. 1 has none in its elastic part; a stiff body that is put back to a
/// wall only after the step has by then sprung into it, and pushing it out again pumps energy into it. With
/// the split step's change of velocity u and the walls' terms W and c (implicit_walls.h), from the impulses
/// b = dt (f(x + dt v) + M g),
///   (A + W) w = c - W u,   A = M + dt^2 K,   u' = u + w,
/// so w is what the whole body, with the rotations of the step, answers to the walls' impulse c - W u'.
/// Conjugate gradients with the factor, which knows of walls by wall_preconditioner.h; nothing is solved for
/// where no row is near a wall.
#include "solvers/coupling/implicit/near_walls.h"
#include "solvers/coupling/implicit/stage_rows.h"
#include "solvers/linear/krylov/preconditioned_conjugate_gradient.h"
#include "solvers/methods/elastic_sph/elastic_model.h"

MERGANSER_BEGIN

class SplitWalls {
 public:
  explicit SplitWalls(ElasticModel& model) : model_(model), near_(1) {}
  /// Before the first stage of a step; blocking where nobody looked ahead.
  void look(const StepContext& step);
  /// u' in the place of `change` u [m/s], of rows that move by themselves; model.contact_walls has what walls
  /// gave.
  LinearSolveResult hold(const StepContext& step, const StageRows& rows, View<Vec3> change);
  /// As ImplicitCoupling::look_ahead().
  void look_ahead(const StepContext& step);
  void save(StateArchive& archive, const std::string& prefix) const { near_.save(archive, prefix); }
  void load(const StateArchive& archive, const std::string& prefix) { near_.load(archive, prefix); }

 private:
  struct Matrix;
  struct Preconditioner;
  void resize(int count);
  void count_near(const StepContext& step);
  /// True where u takes rows behind a wall that have no term of it (blocking).
  bool catch_rows(const WallRows& rows, const StageRows& stage, View<const Vec3> u);
  /// W and c, what tolerances refer to, and the preconditioner's part.
  void find_terms(const StepContext& step, const WallRows& rows, const StageRows& stage, View<const Vec3> u);

  static constexpr int most_passes = 3;
  ElasticModel& model_;
  NearWalls near_;
  bool near_walls_ = false;                                           ///< of this step
  bool looked_ = false;                                               ///< since the last look_ahead()
  int expected_ = 2;                                                  ///< iterations, those of the last solve
  Array<Vec3> right_side_, residual_, drive_;                         ///< [N s]
  Array<Vec3> free_, correction_;                                     ///< [m/s] u of no walls; w of a pass
  Array<Vec3> yielded_;                                               ///< [N s] see YieldToWalls
  Array<SymmetricMatrix3> diagonal_, wall_stiffness_, yield_, held_;  ///< see wall_preconditioner.h
  Array<float> share_;                                                ///< 1: rows move by themselves
  Array<std::uint32_t> caught_;
  Array<int> behind_;
  Reduction<int> row_count_;
  PreconditionedConjugateGradient solver_;
};

MERGANSER_END
