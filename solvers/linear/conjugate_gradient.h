#pragma once
/// Preconditioned conjugate gradients on vectors of one Vec3 a row, matrix-free (Hestenes & Stiefel 1952;
/// Saad, Iterative Methods, alg. 9.1). Vectors are float, dot products double over a fixed tree. Scalars stay
/// on the device; the host looks at them after every iteration on the CPU and after every eighth on the GPU,
/// where kernels of iterations past the goal do nothing.
#include <cmath>

#include "device/reduce.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Rows up to a distance along the matrix's connections from where a solve starts; without distances, all
/// rows.
struct Reach {
  View<const int> distance;  ///< per row, far_away where not yet known; empty: every row is within reach
  int limit = 0;
  static constexpr int far_away = 0x7fffffff;
  MERGANSER_METHOD bool contains(int i) const { return distance.empty() || distance[i] <= limit; }
};

/// Which rows a solve is about. Several rows may stand for one unknown (members of a meta-particle, P^T A P):
/// they hold its value each, representative[i] is the same one of them for all, and only that one counts in
/// dot products. A fixed row has -1.
struct SolveRows {
  View<const int> representative;  ///< per row; empty: every row is an unknown of its own
  int count = 0;                   ///< of rows
  /// Where distances are given, the right side is zero beyond the limit, and so is the k-th direction beyond
  /// limit + k: only rows within reach are computed, with the same result.
  Reach reach;
  MERGANSER_METHOD bool counts(int i) const { return representative.empty() || representative[i] == i; }
};

struct LinearSolveResult {
  int iterations = 0;
  double residual = 0;        ///< |r| over the reference norm when the solve ended
  bool tolerance_met = true;  ///< false: max_iterations came first, or the matrix is not positive definite
};

struct LinearSolveLimits {
  double tolerance;    ///< stop at |r| <= tolerance * reference
  int max_iterations;  ///< and never later
  double reference;    ///< the norm that the tolerance refers to, usually |b|
};

/// What an iteration knows, on the device.
struct SolveScalars {
  double rz, rr;   ///< r.z and r.r
  int iterations;  ///< done
  int broken;      ///< 1: p.Ap was not positive
  MERGANSER_METHOD bool stopped(double goal) const { return rr <= goal || broken != 0; }
  MERGANSER_METHOD static SolveScalars identity() { return {0, 0, 0, 0}; }
  MERGANSER_METHOD static SolveScalars combine(const SolveScalars& a, const SolveScalars& b) {
    return {a.rz + b.rz, a.rr + b.rr, a.iterations + b.iterations, a.broken + b.broken};
  }
};

/// Lets an operator's own kernels see whether the solve has ended; without scalars it goes on.
struct SolveProgress {
  View<const SolveScalars> now;
  double goal = 0;
  MERGANSER_METHOD bool stopped() const { return !now.empty() && now[0].stopped(goal); }
};

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

/// z = M^-1 r, p = z.
template <class Preconditioner>
struct StartDirections {
  static constexpr const char* name = "cg start";
  using Value = SolveScalars;
  SolveRows rows;
  Preconditioner preconditioner;
  View<const Vec3> r;
  View<Vec3> z, p;
  MERGANSER_METHOD SolveScalars operator()(int i) const {
    if (!rows.reach.contains(i)) {
      z[i] = p[i] = {0, 0, 0};  // rows within reach look at those around them
      return Value::identity();
    }
    const Vec3 correction = preconditioner(i, r[i]);
    z[i] = p[i] = correction;
    if (!rows.counts(i)) return Value::identity();
    const Vec3d residual = to_double(r[i]);
    return {dot(residual, to_double(correction)), norm_squared(residual), 0, 0};
  }
  MERGANSER_METHOD static Value identity() { return Value::identity(); }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return Value::combine(a, b); }
};

/// q_i = row i of A p; sums p.q over all rows, which is p^T P^T A P p before the rows of one unknown are
/// added up.
template <class Operator>
struct MultiplyRows {
  static constexpr const char* name = "cg operator";
  using Value = double;
  SolveRows rows;
  Operator matrix;
  double goal;
  View<const SolveScalars> now;
  View<const Vec3> p;
  View<Vec3> q;
  MERGANSER_METHOD double operator()(int i) const {
    if (!rows.reach.contains(i) || now[0].stopped(goal)) return 0;
    const Vec3 product = matrix(i, p);
    q[i] = product;
    return dot(to_double(p[i]), to_double(product));
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};

/// Sum of p.q over all rows, where the operator has multiplied by itself.
struct DotProduct {
  static constexpr const char* name = "cg curvature";
  using Value = double;
  SolveProgress progress;
  View<const Vec3> p, q;
  MERGANSER_METHOD double operator()(int i) const {
    return progress.stopped() ? 0 : dot(to_double(p[i]), to_double(q[i]));
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};

/// x += alpha p, r -= alpha q, z = M^-1 r with alpha = r.z / p.q, and the next scalars. Past the goal nothing
/// changes.
template <class Preconditioner>
struct UpdateSolution {
  static constexpr const char* name = "cg update";
  using Value = SolveScalars;
  SolveRows rows;
  Preconditioner preconditioner;
  double goal;
  View<const SolveScalars> before;
  View<const double> curvature;
  View<const Vec3> p, q;
  View<Vec3> x, r, z;
  MERGANSER_METHOD SolveScalars operator()(int i) const {
    if (i > 0 && !rows.reach.contains(i)) return Value::identity();
    const SolveScalars& old = before[0];
    const bool stopped = old.stopped(goal), positive = curvature[0] > 0;
    if (stopped || !positive) {
      if (i > 0) return Value::identity();
      return {old.rz, old.rr, old.iterations, old.broken != 0 || !stopped};
    }
    SolveScalars next{0, 0, i == 0 ? old.iterations + 1 : 0, 0};
    if (!rows.reach.contains(i)) return next;
    const float alpha = static_cast<float>(old.rz / curvature[0]);
    x[i] += alpha * p[i];
    const Vec3 residual = r[i] - alpha * q[i];
    r[i] = residual;
    const Vec3 correction = preconditioner(i, residual);
    z[i] = correction;
    if (rows.counts(i)) {
      next.rz = dot(to_double(residual), to_double(correction));
      next.rr = norm_squared(to_double(residual));
    }
    return next;
  }
  MERGANSER_METHOD static Value identity() { return Value::identity(); }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return Value::combine(a, b); }
};

/// p = z + beta p, with beta = r.z over the last iteration's.
struct UpdateDirection {
  static constexpr const char* name = "cg direction";
  SolveRows rows;
  double goal;
  View<const SolveScalars> before, now;
  View<const Vec3> z;
  View<Vec3> p;
  MERGANSER_METHOD void operator()(int i) const {
    if (!rows.reach.contains(i) || now[0].stopped(goal)) return;
    p[i] = z[i] + static_cast<float>(now[0].rz / before[0].rz) * p[i];
  }
};

/// The solver with its work vectors, reused from step to step.
///
/// Operator: symmetric positive definite; a kernel functor `Vec3 operator()(int i, View<const Vec3> x) const`
/// that gives row i of A x, zero on fixed rows. Where several rows stand for one unknown, its host method
/// `void complete(View<Vec3> y, const Reach&) const` replaces every row within reach by the sum over its
/// unknown's rows. An operator that works on several rows at once has instead of operator() a host method
/// `void multiply(SolveProgress, View<const Vec3> x, View<Vec3> y) const` that writes all rows; it takes no
/// reach. Preconditioner: a kernel functor `Vec3 operator()(int i, const Vec3& r) const`, symmetric
/// positive definite, zero on fixed rows.
class ConjugateGradient {
 public:
  /// Root of the sum of |r_i|^2 over the unknowns (blocking).
  double norm(const SolveRows& rows, View<const Vec3> r) {
    norm_squared_.run(rows.count, ResidualNormSquared{rows, r});
    return std::sqrt(norm_squared_.read());
  }

  /// Solves A x = b from the guess in x, given its residual r = b - A x; both are kept up to date. Blocking.
  /// With distances in rows.reach, the operator's host method `void widen(const Reach& reach)` gives the rows
  /// at reach.limit their distance before directions get there; from `widest` on all rows take part.
  template <class Operator, class Preconditioner>
  LinearSolveResult solve(const Operator& matrix, const Preconditioner& preconditioner, SolveRows rows,
                          View<Vec3> r, View<Vec3> x, const LinearSolveLimits& limits) {
    constexpr int widest = 12;
    constexpr int check_interval = MERGANSER_GPU_HALF ? 8 : 1;
    for (Array<Vec3>* vector : {&z_, &p_, &q_}) vector->resize(x.count);
    const View<Vec3> z = z_.view(), p = p_.view(), q = q_.view();
    const double goal = limits.tolerance * limits.tolerance * limits.reference * limits.reference;
    scalars_[0].run(rows.count, StartDirections<Preconditioner>{rows, preconditioner, r, z, p});
    SolveScalars seen = scalars_[0].read();
    for (int iteration = 0; iteration < limits.max_iterations && !seen.stopped(goal);) {
      Reduction<SolveScalars>& last = scalars_[iteration % 2];
      Reduction<SolveScalars>& now = scalars_[(iteration + 1) % 2];
      if constexpr (requires { matrix.widen(rows.reach); }) {
        if (!rows.reach.distance.empty() && ++rows.reach.limit < widest)
          matrix.widen(rows.reach);
        else
          rows.reach = {};
      }
      if constexpr (requires(SolveProgress progress) { matrix.multiply(progress, p, q); }) {
        const SolveProgress progress{last.result(), goal};
        matrix.multiply(progress, p, q);
        curvature_.run(rows.count, DotProduct{progress, p, q});
      } else {
        curvature_.run(rows.count, MultiplyRows<Operator>{rows, matrix, goal, last.result(), p, q});
      }
      if constexpr (requires { matrix.complete(q, rows.reach); }) matrix.complete(q, rows.reach);
      now.run(rows.count, UpdateSolution<Preconditioner>{rows, preconditioner, goal, last.result(),
                                                         curvature_.result(), p, q, x, r, z});
      launch(rows.count, UpdateDirection{rows, goal, last.result(), now.result(), z, p});
      ++iteration;
      if (iteration % check_interval == 0 || iteration == limits.max_iterations) seen = now.read();
    }
    const double residual = std::sqrt(seen.rr);
    return {.iterations = seen.iterations,
            .residual = limits.reference > 0 ? residual / limits.reference : residual,
            .tolerance_met = seen.rr <= goal};
  }

 private:
  Array<Vec3> z_, p_, q_;
  Reduction<double> curvature_, norm_squared_;
  Reduction<SolveScalars> scalars_[2];  ///< of this and the last iteration, in turns
};

MERGANSER_END
