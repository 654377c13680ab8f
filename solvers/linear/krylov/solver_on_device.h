#pragma once
/// Shared parts of solvers with their state on the device: norms over the unknowns, the look at the
/// state.
#include <algorithm>
#include <cmath>

#include "device/reduce.h"
#include "solvers/linear/krylov/solve_state.h"

MERGANSER_BEGIN

/// |r|^2 over the unknowns.
struct ResidualNormSquared {
  static constexpr const char* name = "cg norm";
  using Value = double;
  SolveRows rows;
  View<const Vec3> r;
  MERGANSER_METHOD double operator()(int i) const {
    return rows.counts(i) ? norm_squared(to_double(r[i])) : 0;
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};
/// The same as what tolerances refer to, but no less than a norm that is given.
struct ReferenceNorm : ResidualNormSquared {
  View<SolveState> state;
  double least;
  MERGANSER_METHOD void finish(double norm_squared) const {
    state[0].reference = fmax(norm_squared, least * least);
  }
};

class SolverOnDevice {
 public:
  SolverOnDevice() : state_(1) {}
  /// Root of the sum of |r_i|^2 over the unknowns (blocking).
  double norm(const SolveRows& rows, View<const Vec3> r) {
    norm_squared_.run(rows.count, ResidualNormSquared{rows, r});
    return std::sqrt(norm_squared_.read());
  }
  /// Tolerances of solves without a reference of their own refer to |b| from now on, or to `least` where that
  /// is more.
  void refer_to(const SolveRows& rows, View<const Vec3> b, double least = 0) {
    norm_squared_.run(rows.count, ReferenceNorm{{rows, b}, state_.view(), least});
  }
  /// The norm that the tolerance of the last solve referred to.
  double reference() const { return std::sqrt(seen_.reference); }

 protected:
  /// Looks at the state (blocking); true while there is something to do.
  bool look() {
    seen_ = read_back(state_.const_view(), 0);
    return seen_.active;
  }
  /// Iterations that the goal still takes at the rate that the last look saw, rounded down: one at least, and
  /// no more than eight, for those past the goal cost as much as others.
  int still_expected() const {
    if (seen_.iterations == 0 || !(seen_.rr < seen_.start_rr)) return 1;
    const double an_iteration = std::log(seen_.rr / seen_.start_rr) / seen_.iterations;
    return static_cast<int>(std::clamp(std::log(seen_.goal / seen_.rr) / an_iteration, 1.0, 8.0));
  }
  LinearSolveResult result() const {
    const double residual = std::sqrt(seen_.rr);
    return {.iterations = seen_.iterations,
            .residual = seen_.reference > 0 ? residual / reference() : residual,
            .start = std::sqrt(seen_.start_rr) / (seen_.reference > 0 ? reference() : 1),
            .tolerance_met = seen_.rr <= seen_.goal};
  }
  Array<SolveState> state_;

 private:
  SolveState seen_{};
  Reduction<double> norm_squared_;
};

MERGANSER_END
