#include "solvers/linear/krylov/grid_conjugate_gradient.h"

#include <algorithm>
#include <limits>

#include "solvers/linear/krylov/grid_gradient_kernels.h"

MERGANSER_BEGIN

using namespace grid_gradient;

void GridConjugateGradient::take_off_mean(const Multigrid& matrix, View<float> vector) {
  mean_.run(vector.count, SumOverUnknowns{vector, matrix.diagonal()});
  launch(vector.count, TakeOffMean{mean_.result(), matrix.diagonal(), vector});
}

double GridConjugateGradient::update_residual(const Multigrid& matrix, bool singular, View<const float> b,
                                              View<const double> x, OperatorTerm* term) {
  for (int color = 0; color < 2; ++color)
    launch_runs(matrix.box().count_inside(color), TrueResidual(matrix, color, b.data, x.data, r_.data()));
  if (term) {
    launch(x.count, Negative{x, z_.view()});
    term->add(z_.const_view(), r_.view());
  }
  if (singular) take_off_mean(matrix, r_.view());
  Dot norm{{}, r_.data(), r_.data(), r_.size()};
  norm_.run(runs_of_cells(r_.size()), norm);
  return norm_.read();
}

LinearSolveResult GridConjugateGradient::solve(Multigrid& matrix, View<const float> b, View<double> x,
                                               const LinearSolveLimits& limits, OperatorTerm* term,
                                               const std::function<void()>& look) {
#if MERGANSER_GPU_HALF
  if (!term) return solve_on_device(matrix, b, x, limits, look);
#endif
  const LinearSolveResult result = solve_plain(matrix, b, x, limits, term);
  if (!look) return result;
  look();
  fetch_results();
  return result;
}

LinearSolveResult GridConjugateGradient::solve_plain(Multigrid& matrix, View<const float> b, View<double> x,
                                                     LinearSolveLimits limits, OperatorTerm* term) {
  const RedBlackBox& box = matrix.box();
  const int count = box.count(), runs = runs_of_cells(count);
  for (Array<float>* vector : {&r_, &z_, &p_, &q_}) {
    vector->resize(count);
    vector->zero();
  }
  const bool singular = matrix.singular();
  if (!(limits.reference > 0)) {
    norm_.run(runs, Dot{{}, b.data, b.data, count});
    limits.reference = std::max(std::sqrt(norm_.read()), limits.least);
  }
  const double goal = limits.tolerance * limits.tolerance * limits.reference * limits.reference;
  const Multiply multiply(matrix, p_.data(), q_.data());
  const int multiply_runs = multiply.runs();

  int iterations = 0;
  double rr = update_residual(matrix, singular, b, x, term), before = std::numeric_limits<double>::infinity();
  while (rr > goal && iterations < limits.max_iterations && rr < least_progress * least_progress * before) {
    before = rr;
    const double stop = std::max(goal, rr * drop_before_refinement * drop_before_refinement);
    for (bool first = true; rr > stop && iterations < limits.max_iterations; first = false) {
      Reduction<double>&last = rz_[iterations % 2], &now = rz_[(iterations + 1) % 2];
      matrix.precondition(r_.const_view(), z_.view());
      if (singular) take_off_mean(matrix, z_.view());
      now.run(runs, Dot{{}, r_.data(), z_.data(), count});
      launch_runs(count, Direction{now.result(), last.result(), z_.data(), p_.data(), first});
      curvature_.run(multiply_runs, multiply);
      if (term) {
        term->add(p_.const_view(), q_.view());
        curvature_.run(runs, Dot{{}, p_.data(), q_.data(), count});
      }
      norm_.run(
          runs,
          Update{{}, now.result(), curvature_.result(), p_.data(), q_.data(), x.data, r_.data(), count});
      const double last_rr = rr;
      rr = norm_.read();
      ++iterations;
      if (rr == last_rr) break;  // p.q was not positive
    }
    rr = update_residual(matrix, singular, b, x, term);
  }
  const double residual = std::sqrt(rr);
  return {.iterations = iterations,
          .residual = limits.reference > 0 ? residual / limits.reference : residual,
          .tolerance_met = rr <= goal};
}

MERGANSER_END
