#pragma once
/// Conjugate gradients over bodies (Saad, Iterative Methods, alg. 9.1), six unknowns each, vectors in double.
/// The residual r is measured by r.M^-1 r, the energy of the velocities that it would give the bodies. The
/// first step goes along a guessed direction as far as is best, so a guess never does harm.
#include "device/launch_graph.h"
#include "solvers/linear/krylov/conjugate_gradient.h"
#include "solvers/methods/rigid/body_equations.h"

MERGANSER_BEGIN

/// What the kernels of a solve share; one entry a body.
struct BodyVectors {
  RigidView bodies;
  View<SolveState> state;
  View<const TwistMatrix> inverse;  ///< of the bodies' blocks of S; zero where the body has no tie
  View<Twist> x, r, z, p, q;        ///< solution, residual, B r, direction, S p
  MERGANSER_METHOD static ResidualDots identity() { return ResidualDots::identity(); }
  MERGANSER_METHOD static ResidualDots combine(const ResidualDots& a, const ResidualDots& b) {
    return ResidualDots::combine(a, b);
  }
  MERGANSER_METHOD double energy(int b) const { return dot(r[b], bodies.velocities(b, r[b])); }
};

/// b.M^-1 b / strength^2, that tolerances refer to: stiff terms make b larger by so much.
struct BodyReference : BodyVectors {
  static constexpr const char* name = "rigid body reference";
  using Value = ResidualDots;
  double strength;
  MERGANSER_METHOD Value operator()(int b) const { return {0, energy(b) / (strength * strength)}; }
  MERGANSER_METHOD void finish(const Value& sum) const { state[0].reference = sum.rr; }
};

/// The step along a direction p that is a guess: p.r / p.S p, or none.
struct GuessStep : BodyVectors {
  static constexpr const char* name = "rigid body guess";
  using Value = ResidualDots;
  MERGANSER_METHOD Value operator()(int b) const { return {dot(p[b], r[b]), dot(p[b], q[b])}; }
  MERGANSER_METHOD void finish(const Value& sum) const {
    state[0].alpha = sum.rr > 0 ? static_cast<float>(sum.rz / sum.rr) : 0;
    state[0].active = 1;
  }
};

/// x += alpha p, r -= alpha q, z = B r; r.z and r.M^-1 r.
struct BodyStep : BodyVectors {
  static constexpr const char* name = "rigid body step";
  using Value = ResidualDots;
  MERGANSER_METHOD Value operator()(int b) const {
    if (!state[0].active) return identity();
    const double alpha = state[0].alpha;
    x[b] += alpha * p[b];
    r[b] = r[b] - alpha * q[b];
    z[b] = inverse[b] * r[b];
    return {dot(r[b], z[b]), energy(b)};
  }
};
/// The same as the start of a solve.
struct FirstBodyStep : BodyStep {
  LinearSolveLimits limits;
  MERGANSER_METHOD void finish(const Value& sum) const { state[0].start(limits, sum.rz, sum.rr); }
};
struct NextBodyStep : BodyStep {
  MERGANSER_METHOD void finish(const Value& sum) const {
    SolveState& s = state[0];
    if (!s.active) return;
    s.stepped(sum.rr);
    s.beta = static_cast<float>(sum.rz / s.rz);
    s.rz = sum.rz;
  }
};

/// p = z + beta p.
struct TurnBodyDirection : BodyVectors {
  static constexpr const char* name = "rigid body direction";
  MERGANSER_METHOD void operator()(int b) const {
    if (state[0].active) p[b] = z[b] + double(state[0].beta) * p[b];
  }
};

struct BodyCurvature : BodyVectors {
  static constexpr const char* name = "rigid body curvature";
  using Value = ResidualDots;
  MERGANSER_METHOD Value operator()(int b) const { return {state[0].active ? dot(p[b], q[b]) : 0.0, 0}; }
  MERGANSER_METHOD void finish(const Value& sum) const { state[0].find_step(sum.rz); }
};

class BodyGradient : public SolverOnDevice {
 public:
  void resize(int bodies) {
    for (Array<Twist>* vector : {&residual_, &preconditioned_, &direction_, &product_})
      vector->resize(bodies);
  }
  View<Twist> residual() { return residual_.view(); }    ///< b - S x, given to solve()
  View<Twist> direction() { return direction_.view(); }  ///< the guessed direction, likewise
  /// Tolerances refer to the residual as it is now.
  void refer_to_residual(const RigidView& bodies, double strength) {
    sums_.run(residual_.size(), BodyReference{vectors(bodies, {}, {}), strength});
  }
  /// Solves S x = b from x; blocking. `multiply` takes S as in BodyProduct, whose x and y are set here.
  LinearSolveResult solve(BodyProduct multiply, View<const TwistMatrix> inverse, View<Twist> x,
                          const LinearSolveLimits& limits) {
    const int count = x.count;
    const BodyVectors v = vectors(multiply.bodies, inverse, x);
    multiply.x = v.p;
    multiply.y = v.q;
    launch_group_sums(count, multiply);
    sums_.run(count, GuessStep{v});
    sums_.run(count, FirstBodyStep{{v}, limits});
    multiply.progress = {v.state};
    int blind = MERGANSER_GPU_HALF ? std::min(limits.expected, limits.max_iterations) : 0;
    while (blind > 0 || look()) {
      iteration_.run(key(multiply, v), [&] {
        launch(count, TurnBodyDirection{v});
        launch_group_sums(count, multiply);
        sums_.run(count, BodyCurvature{v});
        sums_.run(count, NextBodyStep{{v}});
      });
      --blind;
    }
    return result();
  }

 private:
  BodyVectors vectors(const RigidView& bodies, View<const TwistMatrix> inverse, View<Twist> x) {
    return {.bodies = bodies,
            .state = state_.view(),
            .inverse = inverse,
            .x = x,
            .r = residual_.view(),
            .z = preconditioned_.view(),
            .p = direction_.view(),
            .q = product_.view()};
  }
  /// The bodies' own arrays never move.
  LaunchKey key(const BodyProduct& multiply, const BodyVectors& v) const {
    LaunchKey made = {sums_.scratch(), v.inverse.data, v.x.data, multiply.own.data};
    add_to_key(made, v.x.count);
    add_to_key(made, multiply.tie.strength);
    add_to_key(made, multiply.list.before);
    add_to_key(made, multiply.list.particle);
    add_to_key(made, multiply.list.next);
    add_to_key(made, multiply.list.whole);
    add_to_key(made, multiply.list.mass);
    add_to_key(made, multiply.list.stiffness);
    add_to_key(made, multiply.list.multiplier);
    add_to_key(made, multiply.list.pushed);
    return made;
  }
  Array<Twist> residual_, preconditioned_, direction_, product_;
  Reduction<ResidualDots> sums_;
  LaunchGraph iteration_;
};

MERGANSER_END
