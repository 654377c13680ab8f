#pragma once
/// Conjugate gradients for seven-point operators on a box, preconditioned by a multigrid V-cycle (Hestenes &
/// Stiefel 1952; Saad, Iterative Methods, alg. 9.1).
///
/// The unknowns are double, work vectors float, dot products double over a fixed tree. The recursive residual
/// of float vectors departs from the true one by rounding, so after each drop by 1e-4 the true residual is
/// computed in double and the iteration starts again from it: iterative refinement, which reaches any
/// tolerance.
#include <functional>

#include "device/launch_graph.h"
#include "solvers/linear/krylov/conjugate_gradient.h"
#include "solvers/linear/multigrid/multigrid.h"

MERGANSER_BEGIN

/// Of a vector over the unknowns.
struct SumAndUnknowns {
  double sum, unknowns;
};

/// State of a solve that goes on without the host, on the device. Norms are squared.
struct GridSolveState {
  double goal, reference, rr;  ///< rr: of the residual
  double before, stop;         ///< of the true residual at the last refinement; where the next one comes
  double rz;
  float alpha, beta, mean;  ///< mean: of z, zero where the matrix is not singular
  int iterations, max_iterations;
  int singular, first;   ///< first: the next direction is z
  int active, refining;  ///< the next iteration, or the next refinement, has something to do
  int take_mean;         ///< refining a singular matrix
  int done;
};

/// Symmetric and positive semi-definite, added to the matrix: what no stencil holds.
class OperatorTerm {
 public:
  virtual ~OperatorTerm() = default;
  /// q += T p; vectors by slot, zero in cells that are no unknowns.
  virtual void add(View<const float> p, View<float> q) = 0;
};

class GridConjugateGradient {
 public:
  /// Solves A x = b from the guess in x; vectors by slot, zero in cells that are no unknowns.
  /// limits.reference <= 0: |b|, limits.least at least. Where A is singular, b's mean over the unknowns is
  /// taken off first, and x is one of the solutions. Blocking. tolerance_met is false where max_iterations
  /// came first or refinement got no further. With a term the host decides on the GPU as well. look: launches
  /// what the host wants to know of the solution; results are fetched with the solve's own.
  LinearSolveResult solve(Multigrid& matrix, View<const float> b, View<double> x,
                          const LinearSolveLimits& limits, OperatorTerm* term = nullptr,
                          const std::function<void()>& look = {});
  /// Iteration by iteration, the host deciding what comes next: the CPU's way.
  LinearSolveResult solve_plain(Multigrid& matrix, View<const float> b, View<double> x,
                                LinearSolveLimits limits, OperatorTerm* term = nullptr);
#if MERGANSER_GPU_HALF
  /// The GPU's way: every iteration is one launch graph, and decisions are made on the device. The host looks
  /// after limits.expected iterations and then after every fourth; those past the end change nothing.
  LinearSolveResult solve_on_device(Multigrid& matrix, View<const float> b, View<double> x,
                                    const LinearSolveLimits& limits, const std::function<void()>& look = {});
#endif

 private:
  void take_off_mean(const Multigrid& matrix, View<float> vector);
  double update_residual(const Multigrid& matrix, bool singular, View<const float> b, View<const double> x,
                         OperatorTerm* term);

#if MERGANSER_GPU_HALF
  /// Takes the true residual where it is wanted, and decides whether to go on.
  void refine(const Multigrid& matrix, View<const float> b, View<const double> x);
  void iterate(Multigrid& matrix, View<const float> b, View<double> x);

  Int3 size_{0, 0, 0};  ///< of the box that the vectors are for
  DeviceResult<GridSolveState> state_;
  struct DotAndMeans {
    double rz, sum_r;
    SumAndUnknowns z;
  };
  friend struct PreconditionedDot;
  Reduction<DotAndMeans> dot_;
  LaunchGraph iteration_, refinement_;
#endif
  Array<float> r_, z_, p_, q_;
  Reduction<SumAndUnknowns> mean_;
  Reduction<double> norm_, rz_[2], curvature_;
};

MERGANSER_END
