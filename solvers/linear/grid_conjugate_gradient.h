#pragma once
/// Conjugate gradients for seven-point operators on a box, preconditioned by a multigrid V-cycle (Hestenes &
/// Stiefel 1952; Saad, Iterative Methods, alg. 9.1).
///
/// The unknowns are double, work vectors float, dot products double over a fixed tree. The recursive residual
/// of float vectors departs from the true one by rounding, so after each drop by 1e-4 the true residual is
/// computed in double and the iteration starts again from it: iterative refinement, which reaches any
/// tolerance.
#include "solvers/linear/conjugate_gradient.h"
#include "solvers/linear/multigrid.h"

MERGANSER_BEGIN

/// Of a vector over the unknowns.
struct SumAndUnknowns {
  double sum, unknowns;
};

class GridConjugateGradient {
 public:
  /// Solves A x = b from the guess in x; vectors by slot, zero in cells that are no unknowns.
  /// limits.reference <= 0: |b|. Where A is singular, b's mean over the unknowns is taken off first, and x is
  /// one of the solutions. Blocking. tolerance_met is false where max_iterations came first or refinement got
  /// no further.
  LinearSolveResult solve(Multigrid& matrix, View<const float> b, View<double> x, LinearSolveLimits limits);

 private:
  void take_off_mean(const Multigrid& matrix, View<float> vector);
  double update_residual(const Multigrid& matrix, bool singular, View<const float> b, View<const double> x);

  Array<float> r_, z_, p_, q_;
  Reduction<SumAndUnknowns> mean_;
  Reduction<double> norm_, rz_[2], curvature_;
};

MERGANSER_END
