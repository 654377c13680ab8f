#pragma once
/// Conjugate gradients with a preconditioner that is a solve of its own (Saad, Iterative Methods, alg. 9.1):
/// one application costs far more than looking at the residual, so the host does that before every iteration;
/// on the GPU after those that it expects, and then after those that the rate so far lets expect. See
/// conjugate_gradient.h for what rows and operators are.
#include "solvers/linear/krylov/conjugate_gradient.h"

MERGANSER_BEGIN

/// |r|^2 over the unknowns, from which a solve starts.
struct StartFromResidual : ResidualNormSquared {
  LinearSolveLimits limits;
  View<SolveState> state;
  MERGANSER_METHOD void finish(double rr) const { state[0].start(limits, 0, rr); }
};

/// a.b over the unknowns.
struct DotOverUnknowns {
  static constexpr const char* name = "pcg dot";
  using Value = double;
  SolveRows rows;
  View<const Vec3> a, b;
  View<SolveState> state;
  MERGANSER_METHOD double operator()(int i) const {
    return rows.counts(i) && state[0].active ? dot(to_double(a[i]), to_double(b[i])) : 0;
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};
/// r.z and beta.
struct PreconditionedResidual : DotOverUnknowns {
  MERGANSER_METHOD void finish(double rz) const {
    SolveState& s = state[0];
    if (!s.active) return;
    s.beta = s.iterations == 0 ? 0.0f : static_cast<float>(rz / s.rz);
    s.rz = rz;
  }
};
/// p.q and alpha.
struct DirectionCurvature : DotOverUnknowns {
  MERGANSER_METHOD void finish(double curvature) const { state[0].find_step(curvature); }
};

/// x += alpha p, r -= alpha q; sums |r|^2 over the unknowns.
struct StepAlongDirection {
  static constexpr const char* name = "pcg update";
  using Value = double;
  SolveRows rows;
  View<SolveState> state;
  View<const Vec3> p, q;
  View<Vec3> x, r;
  MERGANSER_METHOD double operator()(int i) const {
    if (!state[0].active) return 0;
    const float alpha = state[0].alpha;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    return rows.counts(i) ? norm_squared(to_double(r[i])) : 0;
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
  MERGANSER_METHOD void finish(double rr) const { state[0].stepped(rr); }
};

/// p = z + beta p and, of what the preconditioner inverts, M p = r + beta M p.
struct TurnDirection {
  static constexpr const char* name = "pcg direction";
  View<const SolveState> state;
  View<const Vec3> z, r;
  View<Vec3> p, known;  ///< known: M p, or empty
  MERGANSER_METHOD void operator()(int i) const {
    if (!state[0].active) return;
    const float beta = state[0].beta;
    p[i] = beta == 0 ? z[i] : z[i] + beta * p[i];
    if (!known.empty()) known[i] = beta == 0 ? r[i] : r[i] + beta * known[i];
  }
};

class PreconditionedConjugateGradient : public SolverOnDevice {
 public:
  /// Solves A x = b from the guess in x, given its residual r = b - A x; both are kept up to date. Blocking.
  /// matrix: host methods multiply() and complete() as for ConjugateGradient, `bool knows()` and, where that
  /// is true, `multiply_known(p, M p, q)`, q = A p with the M that the preconditioner inverts.
  /// preconditioner: host method `void apply(View<const Vec3> r, View<Vec3> z)`, symmetric positive definite
  /// on the unknowns, zero on fixed rows, the same for all rows of one unknown. Both have a host method
  /// `void add_to_key(LaunchKey&) const` with all that they depend on: on a GPU an iteration is a launch
  /// graph.
  template <class Operator, class Preconditioner>
  LinearSolveResult solve(const Operator& matrix, Preconditioner& preconditioner, const SolveRows& rows,
                          View<Vec3> r, View<Vec3> x, const LinearSolveLimits& limits) {
    for (Array<Vec3>* vector : {&z_, &p_, &q_}) vector->resize(x.count);
    known_.resize(matrix.knows() ? x.count : 0);
    sum_.run(rows.count, StartFromResidual{{rows, r}, limits, state_.view()});
    int blind = MERGANSER_GPU_HALF ? std::min(limits.expected, limits.max_iterations) : 0;
    while (blind > 0 || look()) {
      if (MERGANSER_GPU_HALF && blind <= 0) blind = still_expected();
      LaunchKey key = {z_.data(), p_.data(), q_.data(),      known_.data(),
                       r.data,    x.data,    sum_.scratch(), state_.data()};
      for (int number : {x.count, rows.count, known_.size()}) add_to_key(key, number);
      add_to_key(key, rows.representative);
      matrix.add_to_key(key);
      preconditioner.add_to_key(key);
      iteration_.run(key, [&] { iterate(matrix, preconditioner, rows, r, x); });
      --blind;
    }
    return result();
  }

 private:
  template <class Operator, class Preconditioner>
  void iterate(const Operator& matrix, Preconditioner& preconditioner, const SolveRows& rows, View<Vec3> r,
               View<Vec3> x) {
    const View<Vec3> z = z_.view(), p = p_.view(), q = q_.view(), known = known_.view();
    const View<SolveState> state = state_.view();
    preconditioner.apply(r, z);
    sum_.run(rows.count, PreconditionedResidual{{rows, r, z, state}});
    launch(x.count, TurnDirection{state, z, r, p, known});
    if (known.empty())
      matrix.multiply({state}, p, q);
    else
      matrix.multiply_known(p, known, q);
    matrix.complete(q, {});
    sum_.run(rows.count, DirectionCurvature{{rows, p, q, state}});
    sum_.run(rows.count, StepAlongDirection{rows, state, p, q, x, r});
  }

  Array<Vec3> z_, p_, q_, known_;  ///< known: M p
  Reduction<double> sum_;
  LaunchGraph iteration_;
};

MERGANSER_END
