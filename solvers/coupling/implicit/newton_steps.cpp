/// Newton's method with a line search for a part whose energy is not quadratic: the potential of the step
/// (NonlinearPart) never rises from one linearization to the next. Corrections are solved for inexactly
/// (Nocedal & Wright 2006, Numerical Optimization, sec. 7.1), by the preconditioner of the first solve.
#include <algorithm>

#include "device/launch.h"
#include "device/sum_of.h"
#include "solvers/coupling/implicit/implicit_matrix.h"

MERGANSER_BEGIN

namespace {
constexpr int most_linearizations = 20, most_halvings = 24;
constexpr double inexact = 0.1;  // of a correction's residual

/// to = base + share direction.
struct StepAlong {
  static constexpr const char* name = "implicit newton step";
  View<const Vec3> base, direction;
  float share;
  View<Vec3> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = base[i] + share * direction[i]; }
};
/// u.W u/2 - c.u of the walls, see implicit_walls.h.
struct WallEnergy {
  static constexpr const char* name = "implicit wall energy";
  View<const SymmetricMatrix3> stiffness;
  View<const Vec3> drive, u;
  MERGANSER_METHOD double operator()(int i) const {
    const Vec3 half = 0.5f * (stiffness[i] * u[i]) - drive[i];
    return dot(to_double(half), to_double(u[i]));
  }
};
/// r += c - W u.
struct AddWallResidual {
  static constexpr const char* name = "implicit wall residual";
  View<const SymmetricMatrix3> stiffness;
  View<const Vec3> drive, u;
  View<Vec3> residual;
  MERGANSER_METHOD void operator()(int i) const { residual[i] += drive[i] - stiffness[i] * u[i]; }
};
/// D += W.
struct AddWallBlocks {
  static constexpr const char* name = "implicit wall blocks";
  View<const SymmetricMatrix3> stiffness;
  View<SymmetricMatrix3> diagonal;
  MERGANSER_METHOD void operator()(int i) const { diagonal[i] += stiffness[i]; }
};
}  // namespace

double ImplicitCoupling::potential(const StepContext& step, View<const Vec3> u) {
  ImplicitSystem& part = *parts_.front();
  const double own = part.nonlinear()->potential(step, rows_of(step, part), u);
  if (!near_walls_) return own;
  wall_energy_.run(u.count, sum_of(WallEnergy{wall_stiffness_.const_view(), wall_drive_.const_view(), u}));
  return own + wall_energy_.read();
}

bool ImplicitCoupling::search_line(const StepContext& step, View<const Vec3> direction, double& least) {
  float share = 1;
  for (int k = 0; k < most_halvings; ++k, share *= 0.5f) {
    launch(range_.count, StepAlong{base_.const_view(), direction, share, trial_.view()});
    const double found = potential(step, trial_.const_view());
    if (!(found <= least)) continue;
    least = found;
    base_.assign(trial_.const_view());
    return true;
  }
  return false;
}

/// Residual at base_.
void ImplicitCoupling::take_gradient(const StepContext& step) {
  ImplicitSystem& part = *parts_.front();
  part.nonlinear()->gradient(step, rows_of(step, part), base_.const_view(), residual_.view());
  if (near_walls_)
    launch(range_.count, AddWallResidual{wall_stiffness_.const_view(), wall_drive_.const_view(),
                                         base_.const_view(), residual_.view()});
  launch_group_sums(rows_.own().begin.count,
                    SumGroupRows{.own = rows_.own(), .reach = {}, .rows = residual_.view()});
}

/// Matrix and blocks there.
void ImplicitCoupling::linearize(const StepContext& step) {
  ImplicitSystem& part = *parts_.front();
  part.nonlinear()->take_derivative();
  part.diagonal(step.dt, diagonal_.view());
  if (near_walls_) launch(range_.count, AddWallBlocks{wall_stiffness_.const_view(), diagonal_.view()});
  invert_blocks();
}

LinearSolveResult ImplicitCoupling::solve_nonlinear(const StepContext& step, const LinearSolveResult& first) {
  SolverOnDevice& solver = preconditioned_ ? static_cast<SolverOnDevice&>(preconditioned_solver_) : solver_;
  const double reference = solver.reference();
  const LinearSolveLimits whole = limits(0);
  const SolveRows all = rows_.all();
  const Matrix matrix{*this, step, rows_.own()};
  base_.resize(range_.count);
  trial_.resize(range_.count);
  base_.zero();
  double least = potential(step, base_.const_view());
  LinearSolveResult result = first;
  for (int k = 1;; ++k) {
    const bool lower = search_line(step, change_.const_view(), least);
    take_gradient(step);
    const double norm = solver.norm(all, residual_.view());
    result.residual = reference > 0 ? norm / reference : norm;
    result.tolerance_met = norm <= whole.tolerance * reference;  // also where both are zero
    if (!lower || result.tolerance_met || k == most_linearizations) break;
    linearize(step);
    right_side_.assign(residual_.const_view());
    change_.zero();
    LinearSolveLimits correction = whole;
    correction.reference = reference;  // which the second stage refers to as well
    correction.tolerance = std::max(inexact * norm / reference, 0.5 * whole.tolerance);
    const LinearSolveResult corrected =
        preconditioned_ ? solve_preconditioned(step, matrix, correction)
                        : solver_.solve(matrix, BlockJacobi{inverse_diagonal_.view()}, all, residual_.view(),
                                        change_.view(), correction);
    result.iterations += corrected.iterations;
  }
  change_.assign(base_.const_view());
  return result;
}

MERGANSER_END
