#pragma once
/// Conjugate gradients with a preconditioner that is a solve of its own (Saad, Iterative Methods, alg. 9.1):
/// one application costs far more than looking at the residual, so the host does that after every iteration
/// and never applies it in vain. See conjugate_gradient.h for what rows and operators are.
#include "solvers/linear/conjugate_gradient.h"

MERGANSER_BEGIN

/// a.b over the unknowns.
struct DotOverUnknowns {
  static constexpr const char* name = "pcg dot";
  using Value = double;
  SolveRows rows;
  View<const Vec3> a, b;
  MERGANSER_METHOD double operator()(int i) const {
    return rows.counts(i) ? dot(to_double(a[i]), to_double(b[i])) : 0;
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};

/// x += alpha p, r -= alpha q; sums |r|^2 over the unknowns.
struct StepAlongDirection {
  static constexpr const char* name = "pcg update";
  using Value = double;
  SolveRows rows;
  float alpha;
  View<const Vec3> p, q;
  View<Vec3> x, r;
  MERGANSER_METHOD double operator()(int i) const {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    return rows.counts(i) ? norm_squared(to_double(r[i])) : 0;
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};

/// p = z + beta p and, of what the preconditioner inverts, M p = r + beta M p.
struct TurnDirection {
  static constexpr const char* name = "pcg direction";
  float beta;
  View<const Vec3> z, r;
  View<Vec3> p, known;  ///< known: M p, or empty
  MERGANSER_METHOD void operator()(int i) const {
    p[i] = beta == 0 ? z[i] : z[i] + beta * p[i];
    if (!known.empty()) known[i] = beta == 0 ? r[i] : r[i] + beta * known[i];
  }
};

class PreconditionedGradient {
 public:
  /// Solves A x = b from the guess in x, given its residual r = b - A x; both are kept up to date. Blocking.
  /// matrix: host methods multiply() and complete() as for ConjugateGradient, `bool knows()` and, where that
  /// is true, `multiply_known(p, M p, q)`, q = A p with the M that the preconditioner inverts.
  /// preconditioner: host method `void apply(View<const Vec3> r, View<Vec3> z)`, symmetric positive definite
  /// on the unknowns, zero on fixed rows, the same for all rows of one unknown.
  template <class Operator, class Preconditioner>
  LinearSolveResult solve(const Operator& matrix, Preconditioner& preconditioner, const SolveRows& rows,
                          View<Vec3> r, View<Vec3> x, const LinearSolveLimits& limits) {
    for (Array<Vec3>* vector : {&z_, &p_, &q_}) vector->resize(x.count);
    known_.resize(matrix.knows() ? x.count : 0);
    const View<Vec3> z = z_.view(), p = p_.view(), q = q_.view(), known = known_.view();
    const double goal = limits.tolerance * limits.tolerance * limits.reference * limits.reference;
    double rr = dot_product(rows, r, r), rz = 0;
    int iteration = 0;
    for (; iteration < limits.max_iterations && !(rr <= goal); ++iteration) {
      preconditioner.apply(r, z);
      const double before = rz;
      rz = dot_product(rows, r, z);
      launch(x.count, TurnDirection{iteration == 0 ? 0.0f : static_cast<float>(rz / before), z, r, p, known});
      if (known.empty())
        matrix.multiply({}, p, q);
      else
        matrix.multiply_known(p, known, q);
      matrix.complete(q, {});
      const double curvature = dot_product(rows, p, q);
      if (!(curvature > 0)) break;  // r is zero to rounding, or something is not a number
      sum_.run(x.count, StepAlongDirection{rows, static_cast<float>(rz / curvature), p, q, x, r});
      rr = sum_.read();
    }
    const double residual = std::sqrt(rr);
    return {.iterations = iteration,
            .residual = limits.reference > 0 ? residual / limits.reference : residual,
            .tolerance_met = rr <= goal};
  }
  /// Over the unknowns (blocking).
  double dot_product(const SolveRows& rows, View<const Vec3> a, View<const Vec3> b) {
    sum_.run(rows.count, DotOverUnknowns{rows, a, b});
    return sum_.read();
  }

 private:
  Array<Vec3> z_, p_, q_, known_;  ///< known: M p
  Reduction<double> sum_;
};

MERGANSER_END
