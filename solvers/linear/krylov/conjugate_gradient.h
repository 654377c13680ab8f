#pragma once
/// Preconditioned conjugate gradients on vectors of one Vec3 a row, matrix-free (Hestenes & Stiefel 1952;
/// Saad, Iterative Methods, alg. 9.1). Vectors are float, dot products double over a fixed tree. Scalars stay
/// on the device; the host looks at them after every iteration on the CPU. On the GPU kernels of iterations
/// past the goal do nothing, and the host looks after as many as it expects, then after every eighth.
#include <algorithm>

#include "device/launch_graph.h"
#include "device/reduce.h"
#include "solvers/linear/krylov/solver_on_device.h"

MERGANSER_BEGIN

/// r.z and r.r over the unknowns.
struct ResidualDots {
  double rz, rr;
  MERGANSER_METHOD static ResidualDots identity() { return {0, 0}; }
  MERGANSER_METHOD static ResidualDots combine(const ResidualDots& a, const ResidualDots& b) {
    return {a.rz + b.rz, a.rr + b.rr};
  }
};

/// z = M^-1 r, p = z.
template <class Preconditioner>
struct StartDirections {
  static constexpr const char* name = "cg start";
  using Value = ResidualDots;
  SolveRows rows;
  Preconditioner preconditioner;
  View<const Vec3> r;
  View<Vec3> z, p;
  LinearSolveLimits limits;
  View<SolveState> state;
  MERGANSER_METHOD Value operator()(int i) const {
    if (!rows.reach.contains(i)) {
      z[i] = p[i] = {0, 0, 0};  // rows within reach look at those around them
      return Value::identity();
    }
    const Vec3 correction = preconditioner(i, r[i]);
    z[i] = p[i] = correction;
    if (!rows.counts(i)) return Value::identity();
    const Vec3d residual = to_double(r[i]);
    return {dot(residual, to_double(correction)), norm_squared(residual)};
  }
  MERGANSER_METHOD static Value identity() { return Value::identity(); }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return Value::combine(a, b); }
  MERGANSER_METHOD void finish(const Value& sum) const { state[0].start(limits, sum.rz, sum.rr); }
};

/// q_i = row i of A p; sums p.q over all rows, which is p^T P^T A P p before the rows of one unknown are
/// added up.
template <class Operator>
struct MultiplyRows {
  static constexpr const char* name = "cg operator";
  using Value = double;
  SolveRows rows;
  Operator matrix;
  View<SolveState> state;
  View<const Vec3> p;
  View<Vec3> q;
  MERGANSER_METHOD double operator()(int i) const {
    if (!rows.reach.contains(i) || !state[0].active) return 0;
    const Vec3 product = matrix(i, p);
    q[i] = product;
    return dot(to_double(p[i]), to_double(product));
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
  MERGANSER_METHOD void finish(double curvature) const { state[0].find_step(curvature); }
};

/// Sum of p.q over all rows, where the operator has multiplied by itself.
struct DotProduct {
  static constexpr const char* name = "cg curvature";
  using Value = double;
  View<SolveState> state;
  View<const Vec3> p, q;
  MERGANSER_METHOD double operator()(int i) const {
    return state[0].active ? dot(to_double(p[i]), to_double(q[i])) : 0;
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
  MERGANSER_METHOD void finish(double curvature) const { state[0].find_step(curvature); }
};

/// x += alpha p, r -= alpha q, z = M^-1 r with alpha = r.z / p.q, and the next scalars. Past the goal nothing
/// changes.
template <class Preconditioner>
struct UpdateSolution {
  static constexpr const char* name = "cg update";
  using Value = ResidualDots;
  SolveRows rows;
  Preconditioner preconditioner;
  View<SolveState> state;
  View<const Vec3> p, q;
  View<Vec3> x, r, z;
  MERGANSER_METHOD Value operator()(int i) const {
    if (!rows.reach.contains(i) || !state[0].active) return Value::identity();
    const float alpha = state[0].alpha;
    x[i] += alpha * p[i];
    const Vec3 residual = r[i] - alpha * q[i];
    r[i] = residual;
    const Vec3 correction = preconditioner(i, residual);
    z[i] = correction;
    if (!rows.counts(i)) return Value::identity();
    return {dot(to_double(residual), to_double(correction)), norm_squared(to_double(residual))};
  }
  MERGANSER_METHOD static Value identity() { return Value::identity(); }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return Value::combine(a, b); }
  MERGANSER_METHOD void finish(const Value& sum) const {
    SolveState& s = state[0];
    if (!s.active) return;
    s.beta = static_cast<float>(sum.rz / s.rz);
    s.rz = sum.rz;
    s.stepped(sum.rr);
  }
};

/// p = z + beta p, with beta = r.z over the last iteration's.
struct UpdateDirection {
  static constexpr const char* name = "cg direction";
  SolveRows rows;
  View<const SolveState> state;
  View<const Vec3> z;
  View<Vec3> p;
  MERGANSER_METHOD void operator()(int i) const {
    if (!rows.reach.contains(i) || !state[0].active) return;
    p[i] = z[i] + state[0].beta * p[i];
  }
};

/// The solver with its work vectors, reused from step to step.
///
/// Operator: symmetric positive definite; a kernel functor `Vec3 operator()(int i, View<const Vec3> x) const`
/// that gives row i of A x, zero on fixed rows. Where several rows stand for one unknown, its host method
/// `void complete(View<Vec3> y, const ActiveRows&) const` replaces every row within reach by the sum over its
/// unknown's rows. An operator that works on several rows at once has instead of operator() a host method
/// `void multiply(SolveProgress, View<const Vec3> x, View<Vec3> y) const` that writes all rows; it takes no
/// reach. Preconditioner: a kernel functor `Vec3 operator()(int i, const Vec3& r) const`, symmetric
/// positive definite, zero on fixed rows. Where both have a host method `void add_to_key(LaunchKey&) const`
/// with all that they depend on, a GPU replays eight iterations as one launch graph.
class ConjugateGradient : public SolverOnDevice {
 public:
  /// Solves A x = b from the guess in x, given its residual r = b - A x; both are kept up to date. Blocking.
  /// With distances in rows.reach, the operator's host method `void widen(const ActiveRows& reach)` gives the
  /// rows at reach.limit their distance before directions get there; from `widest` on all rows take part.
  template <class Operator, class Preconditioner>
  LinearSolveResult solve(const Operator& matrix, const Preconditioner& preconditioner, SolveRows rows,
                          View<Vec3> r, View<Vec3> x, const LinearSolveLimits& limits) {
    constexpr int at_once = MERGANSER_GPU_HALF ? 8 : 1;
    for (Array<Vec3>* vector : {&z_, &p_, &q_}) vector->resize(x.count);
    dots_.run(rows.count, StartDirections<Preconditioner>{rows, preconditioner, r, z_.view(), p_.view(),
                                                          limits, state_.view()});
    int blind = MERGANSER_GPU_HALF ? std::min(limits.expected, limits.max_iterations) : 0;
    while (blind > 0 || look()) {
      const auto iterations = [&] {
        SolveRows now = rows;
        for (int k = 0; k < at_once; ++k) {
          if constexpr (requires { matrix.widen(now.reach); }) {
            now.reach = widened(now.reach);
            if (!now.reach.distance.empty()) matrix.widen(now.reach);
          }
          iterate(matrix, preconditioner, now, r, x);
        }
      };
      run(matrix, preconditioner, rows, r, x, iterations);
      if constexpr (requires { matrix.widen(rows.reach); })
        for (int k = 0; k < at_once; ++k) rows.reach = widened(rows.reach);
      blind -= at_once;
    }
    return result();
  }

 private:
  /// Of the next iteration.
  static ActiveRows widened(ActiveRows reach) {
    constexpr int widest = 12;
    return !reach.distance.empty() && ++reach.limit < widest ? reach : ActiveRows{};
  }

  template <class Operator, class Preconditioner>
  void iterate(const Operator& matrix, const Preconditioner& preconditioner, const SolveRows& rows,
               View<Vec3> r, View<Vec3> x) {
    const View<Vec3> z = z_.view(), p = p_.view(), q = q_.view();
    const View<SolveState> state = state_.view();
    if constexpr (requires(SolveProgress progress) { matrix.multiply(progress, p, q); }) {
      matrix.multiply({state}, p, q);
      curvature_.run(rows.count, DotProduct{state, p, q});
    } else {
      curvature_.run(rows.count, MultiplyRows<Operator>{rows, matrix, state, p, q});
    }
    if constexpr (requires { matrix.complete(q, rows.reach); }) matrix.complete(q, rows.reach);
    dots_.run(rows.count, UpdateSolution<Preconditioner>{rows, preconditioner, state, p, q, x, r, z});
    launch(rows.count, UpdateDirection{rows, state, z, p});
  }

  /// Some iterations, as a launch graph where the key is known.
  template <class Operator, class Preconditioner, class Work>
  void run(const Operator& matrix, const Preconditioner& preconditioner, const SolveRows& rows, View<Vec3> r,
           View<Vec3> x, const Work& iterations) {
    if constexpr (MERGANSER_GPU_HALF && requires(LaunchKey key) {
                    matrix.add_to_key(key);
                    preconditioner.add_to_key(key);
                  }) {
      LaunchKey key = {z_.data(),       p_.data(),    q_.data(), r.data, x.data, curvature_.scratch(),
                       dots_.scratch(), state_.data()};
      add_to_key(key, rows.representative);
      add_to_key(key, rows.reach.distance);
      for (int number : {x.count, rows.count, rows.reach.limit}) add_to_key(key, number);
      matrix.add_to_key(key);
      preconditioner.add_to_key(key);
      iterations_.run(key, iterations);
    } else {
      iterations();
    }
  }

  Array<Vec3> z_, p_, q_;
  Reduction<double> curvature_;
  Reduction<ResidualDots> dots_;
  LaunchGraph iterations_;
};

MERGANSER_END
