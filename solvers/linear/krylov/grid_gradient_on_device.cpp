/// Conjugate gradients on a grid without the host: see GridConjugateGradient::solve_on_device(). The steps
/// are those of solve_plain(); a mean that has to be taken off z is taken off where z is used.
#include "solvers/linear/krylov/grid_gradient_kernels.h"
#include "solvers/linear/multigrid/multigrid_kernels.h"

#if MERGANSER_GPU_HALF
#include <algorithm>
#include <cmath>

MERGANSER_BEGIN

using namespace grid_gradient;

/// Starts the state of a solve, from |b|^2 where no reference is given.
struct StartGridSolve : Dot {
  LinearSolveLimits limits;
  View<const double> dirichlet_sum;
  GridSolveState* state;
  MERGANSER_METHOD void finish(double bb) const {
    const double reference =
        limits.reference > 0 ? limits.reference * limits.reference : fmax(bb, limits.least * limits.least);
    const int singular = dirichlet_sum[0] == 0;
    *state = {.goal = limits.tolerance * limits.tolerance * reference,
              .reference = reference,
              .rr = 0,
              .before = 1e300,
              .stop = 0,
              .rz = 0,
              .alpha = 0,
              .beta = 0,
              .mean = 0,
              .iterations = 0,
              .max_iterations = limits.max_iterations,
              .singular = singular,
              .first = 1,
              .active = 0,
              .refining = 1,
              .take_mean = singular,
              .done = 0};
  }
};

struct ResidualMean : SumOverUnknowns {
  const int* wanted;
  MERGANSER_METHOD Value operator()(int i) const {
    return *wanted ? SumOverUnknowns::operator()(i) : identity();
  }
};

/// |r|^2 of the true residual, and whether to go on from it.
struct TrueNorm : Dot {
  GridSolveState* state;
  MERGANSER_METHOD double operator()(int run) const { return state->refining ? Dot::operator()(run) : 0; }
  MERGANSER_METHOD void finish(double rr) const {
    GridSolveState& s = *state;
    if (!s.refining) return;
    const bool go_on =
        rr > s.goal && s.iterations < s.max_iterations && rr < least_progress * least_progress * s.before;
    const double stop = rr * drop_before_refinement * drop_before_refinement;
    s.rr = s.before = rr;
    s.stop = stop > s.goal ? stop : s.goal;
    s.first = s.active = go_on;
    s.done = !go_on;
    s.refining = s.take_mean = 0;
  }
};

/// r.z with z's mean taken off, that mean, and beta.
struct PreconditionedDot {
  static constexpr const char* name = "grid cg r.z";
  using Value = GridConjugateGradient::DotAndMeans;
  GridSolveState* state;
  const float *r, *z, *diagonal;
  MERGANSER_METHOD Value operator()(int i) const {
    if (!state->active) return identity();
    Value value{double(r[i]) * double(z[i]), 0, {0, 0}};
    if (state->singular && diagonal[i] > 0) {
      value.sum_r = r[i];
      value.z = {z[i], 1};
    }
    return value;
  }
  MERGANSER_METHOD static Value identity() { return {0, 0, {0, 0}}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.rz + b.rz, a.sum_r + b.sum_r, {a.z.sum + b.z.sum, a.z.unknowns + b.z.unknowns}};
  }
  MERGANSER_METHOD void finish(const Value& sum) const {
    GridSolveState& s = *state;
    if (!s.active) return;
    s.mean = s.singular ? static_cast<float>(sum.z.sum / sum.z.unknowns) : 0.0f;
    const double rz = sum.rz - double(s.mean) * sum.sum_r;
    s.beta = s.first ? 0.0f : static_cast<float>(rz / s.rz);
    s.rz = rz;
  }
};

/// p = z - mean + beta p on the unknowns.
struct NextDirection {
  static constexpr const char* name = "grid cg direction";
  const GridSolveState* state;
  const float *z, *diagonal;
  float* p;
  MERGANSER_METHOD void operator()(int i) const {
    const GridSolveState& s = *state;
    if (!s.active) return;
    const float value = s.singular && diagonal[i] > 0 ? z[i] - s.mean : z[i];
    p[i] = s.first ? value : value + s.beta * p[i];
  }
};

/// q = A p, and alpha from p.q; 0 where that is not positive.
struct ProductAndStep : Multiply {
  GridSolveState* state;
  MERGANSER_METHOD double operator()(int i) const { return state->active ? Multiply::operator()(i) : 0; }
  MERGANSER_METHOD void finish(double curvature) const {
    GridSolveState& s = *state;
    if (s.active) s.alpha = curvature > 0 ? static_cast<float>(s.rz / curvature) : 0.0f;
  }
};

/// x += alpha p, r -= alpha q, and whether another iteration or a refinement follows.
struct StepAndNorm : DoubleSum {
  static constexpr const char* name = "grid cg update";
  GridSolveState* state;
  const float *p, *q;
  double* x;
  float* r;
  MERGANSER_METHOD double operator()(int i) const {
    if (!state->active) return 0;
    const float alpha = state->alpha;
    x[i] += double(alpha * p[i]);
    const float rest = r[i] - alpha * q[i];
    r[i] = rest;
    return double(rest) * double(rest);
  }
  MERGANSER_METHOD void finish(double rr) const {
    GridSolveState& s = *state;
    if (!s.active) return;
    const bool moved = rr != s.rr;  // p.q was positive
    s.rr = rr;
    s.first = 0;
    ++s.iterations;
    s.active = moved && rr > s.stop && s.iterations < s.max_iterations;
    s.refining = !s.active;
    s.take_mean = s.refining && s.singular;
  }
};

void GridConjugateGradient::refine(const Multigrid& matrix, View<const float> b, View<const double> x) {
  const GridSolveState* state = state_.const_view().data;
  for (int color = 0; color < 2; ++color)
    launch_runs(
        matrix.box().count_inside(color),
        WhileActive<TrueResidual>{TrueResidual(matrix, color, b.data, x.data, r_.data()), &state->refining});
  mean_.run(r_.size(), ResidualMean{{r_.view(), matrix.diagonal()}, &state->take_mean});
  launch(r_.size(),
         WhileActive<TakeOffMean>{{mean_.result(), matrix.diagonal(), r_.view()}, &state->take_mean});
  norm_.run(r_.size(), TrueNorm{{{}, r_.data(), r_.data(), r_.size()}, state_.view().data});
}

void GridConjugateGradient::iterate(Multigrid& matrix, View<const float> b, View<double> x) {
  refine(matrix, b, x);
  const int count = matrix.box().count();
  const float* diagonal = matrix.diagonal().data;
  matrix.precondition(r_.const_view(), z_.view(), &state_.view().data->active);
  dot_.run(count, PreconditionedDot{state_.view().data, r_.data(), z_.data(), diagonal});
  launch(count, NextDirection{state_.view().data, z_.data(), diagonal, p_.data()});
  const ProductAndStep multiply{Multiply(matrix, p_.data(), q_.data()), state_.view().data};
  curvature_.run(multiply.runs(), multiply);
  norm_.run(count, StepAndNorm{{}, state_.view().data, p_.data(), q_.data(), x.data, r_.data()});
}

LinearSolveResult GridConjugateGradient::solve_on_device(Multigrid& matrix, View<const float> b,
                                                         View<double> x, const LinearSolveLimits& limits,
                                                         const std::function<void()>& look) {
  const RedBlackBox& box = matrix.box();
  const int count = box.count();
  if (!(size_ == box.size)) {  // else cells that are no unknowns are zero still
    size_ = box.size;
    for (Array<float>* vector : {&r_, &z_, &p_, &q_}) {
      vector->resize(count);
      vector->zero();
    }
  }
  norm_.run(count,
            StartGridSolve{{{}, b.data, b.data, count}, limits, matrix.dirichlet_sum(), state_.view().data});
  LaunchKey key = {r_.data(), z_.data(), p_.data(), q_.data(), x.data, b.data, matrix.dirichlet_sum().data};
  for (const void* scratch : {dot_.scratch(), curvature_.scratch(), norm_.scratch(), mean_.scratch()})
    key.push_back(scratch);
  matrix.add_to_key(key);
  for (int ahead = std::min(limits.expected, limits.max_iterations);; ahead = 4) {
    for (int k = 0; k < ahead; ++k) iteration_.run(key, [&] { iterate(matrix, b, x); });
    refinement_.run(key, [&] { refine(matrix, b, x); });
    if (look) look();
    state_.written();
    fetch_results();
    const GridSolveState now = state_.fetched();
    if (!now.done) continue;
    const double residual = std::sqrt(now.rr), reference = std::sqrt(now.reference);
    return {.iterations = now.iterations,
            .residual = reference > 0 ? residual / reference : residual,
            .tolerance_met = now.rr <= now.goal};
  }
}

MERGANSER_END
#endif
