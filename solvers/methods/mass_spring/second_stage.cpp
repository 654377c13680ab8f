#include "solvers/methods/mass_spring/second_stage.h"

#include <algorithm>
#include <cmath>

#include "device/sum_of.h"
#include "solvers/methods/mass_spring/mass_spring.h"

MERGANSER_BEGIN

LinearSolveResult MassSpring::solve_second(const LoneStage& stage) {
  const int count = stage.u.count;
  launch(count, ForgetDistances{distance_.view()});
  stage.rows.guess_changed_groups(stage.step, stage.u, distance_.view());
  const SpringRows rows = matrix(stage.rows);
  const ActiveRows touched{.distance = distance_.view(),
                           .limit = 1};  // a changed group acts on its neighbors' rows
  rows.widen(touched);
  assemble(stage, touched);
  launch(count, SplitResidual{rows, touched, stage.u, near_residual_.view(), residual_.view()});
  rows.complete(near_residual_.view(), touched);
  launch(count, SubtractFromRightSide{touched, right_side_.view(), near_residual_.view()});

  const SolveRows all = stage.rows.all();
  const BlockJacobi preconditioner{inverse_diagonal_.view()};
  LinearSolveResult near{};
  if (changes_are_local(touched)) {
    // The residual far from the changes stays as the first stage left it. The two parts are all but
    // orthogonal.
    const double far = solver_.norm(all, residual_.view()) / reference_norm_;
    const double left = std::max(0.01, 1 - std::pow(far / parameters_.tolerance, 2));
    SolveRows rows_near = all;
    rows_near.reach = touched;
    near = solver_.solve(
        rows, preconditioner, rows_near, near_residual_.view(), stage.u,
        {0.9 * std::sqrt(left) * parameters_.tolerance, parameters_.max_iterations, reference_norm_});
  }
  launch(count, JoinResiduals{near_residual_.view(), residual_.view()});
  LinearSolveLimits left = limits(1);
  left.max_iterations -= near.iterations;
  LinearSolveResult result = solver_.solve(rows, preconditioner, all, residual_.view(), stage.u, left);
  result.iterations += near.iterations;
  return result;
}

bool MassSpring::changes_are_local(const ActiveRows& touched) {
  // Below this, a GPU's iteration lasts as long as its launches and looking for the rows within reach saves
  // nothing.
  constexpr int least_count = MERGANSER_GPU_HALF ? 200000 : 0;
  if (touched.distance.count < least_count || !(reference_norm_ > 0)) return false;
  rows_within_.run(touched.distance.count, sum_of(CountWithin{touched}));
  return double(rows_within_.read()) * statistics_.iterations[0] < 2.0 * touched.distance.count;
}

MERGANSER_END
