#include "solvers/linear/grid_conjugate_gradient.h"

#include <algorithm>
#include <limits>

MERGANSER_BEGIN

namespace {

constexpr double drop_before_refinement = 1e-4;
constexpr double least_progress = 0.5;  ///< of the true residual in one refinement

/// Base of sums over cells in runs, each run in a fixed order.
struct DoubleSum {
  using Value = double;
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};
MERGANSER_FN int run_end(int run, int count) {
  const int begin = run * cells_per_index;
  return begin + (count - begin < cells_per_index ? count - begin : cells_per_index);
}

struct Dot : DoubleSum {
  static constexpr const char* name = "grid cg dot";
  const float *a, *b;
  int count;
  MERGANSER_METHOD double operator()(int run) const {
    double sum = 0;
    const int end = run_end(run, count);
#if !MERGANSER_GPU_HALF
#pragma omp simd reduction(+ : sum)
#endif
    for (int i = run * cells_per_index; i < end; ++i) sum += double(a[i]) * double(b[i]);
    return sum;
  }
};

/// Sum over the unknowns, and their number.
struct SumOverUnknowns {
  static constexpr const char* name = "grid cg mean";
  using Value = SumAndUnknowns;
  View<const float> vector, diagonal;
  MERGANSER_METHOD Value operator()(int i) const {
    return diagonal[i] > 0 ? Value{vector[i], 1} : identity();
  }
  MERGANSER_METHOD static Value identity() { return {0, 0}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.sum + b.sum, a.unknowns + b.unknowns};
  }
};
struct TakeOffMean {
  static constexpr const char* name = "grid cg take off mean";
  View<const SumAndUnknowns> sum;
  View<const float> diagonal;
  View<float> vector;
  MERGANSER_METHOD void operator()(int i) const {
    if (diagonal[i] > 0) vector[i] -= static_cast<float>(sum[0].sum / sum[0].unknowns);
  }
};

/// r = b - A x in double.
struct TrueResidual {
  static constexpr const char* name = "grid cg residual";
  ColorOperator matrix;
  const float* b;
  const double *x, *other;
  float* r;
  MERGANSER_METHOD void operator()(int k) const {
    r[k] = static_cast<float>(double(b[k]) + matrix.neighbors(k, other) - double(matrix.diagonal[k]) * x[k]);
  }
};

/// p = z + beta p, beta = r.z over the last iteration's; without a last one p = z.
struct Direction {
  static constexpr const char* name = "grid cg direction";
  View<const double> now, before;
  const float* z;
  float* p;
  bool first;
  MERGANSER_METHOD void operator()(int i) const {
    const float beta = first ? 0.0f : static_cast<float>(now.data[0] / before.data[0]);
    p[i] = z[i] + beta * p[i];
  }
};

/// q = A p on one color, and p.q over it.
struct Multiply : DoubleSum {
  static constexpr const char* name = "grid cg operator";
  ColorOperator matrix[2];       ///< from the first cell inside on
  const float *p[2], *other[2];  ///< the color's and the other's half from there on
  float* q[2];
  int count[2];

  MERGANSER_METHOD double operator()(int index) const {
    const int runs = (count[0] + cells_per_index - 1) / cells_per_index;
    return index < runs ? of_color(0, index) : of_color(1, index - runs);
  }
  MERGANSER_METHOD double of_color(int c, int run) const {
    double sum = 0;
    const int end = run_end(run, count[c]);
    const ColorOperator& a = matrix[c];
    const float *own = p[c], *neighbors = other[c];
    float* to = q[c];
#if !MERGANSER_GPU_HALF
#pragma omp simd reduction(+ : sum)
#endif
    for (int k = run * cells_per_index; k < end; ++k) {
      const float product = a.diagonal[k] * own[k] - a.neighbors(k, neighbors);
      to[k] = product;
      sum += double(product) * double(own[k]);
    }
    return sum;
  }
};

/// x += alpha p, r -= alpha q with alpha = r.z/p.q; sums r.r.
struct Update : DoubleSum {
  static constexpr const char* name = "grid cg update";
  View<const double> rz, curvature;
  const float *p, *q;
  double* x;
  float* r;
  int count;
  MERGANSER_METHOD double operator()(int run) const {
    const double curve = curvature.data[0];
    const float alpha = curve > 0 ? static_cast<float>(rz.data[0] / curve) : 0.0f;
    double sum = 0;
    const int end = run_end(run, count);
#if !MERGANSER_GPU_HALF
#pragma omp simd reduction(+ : sum)
#endif
    for (int i = run * cells_per_index; i < end; ++i) {
      x[i] += double(alpha * p[i]);
      const float rest = r[i] - alpha * q[i];
      r[i] = rest;
      sum += double(rest) * double(rest);
    }
    return sum;
  }
};

}  // namespace

void GridConjugateGradient::take_off_mean(const Multigrid& matrix, View<float> vector) {
  mean_.run(vector.count, SumOverUnknowns{vector, matrix.diagonal()});
  launch(vector.count, TakeOffMean{mean_.result(), matrix.diagonal(), vector});
}

double GridConjugateGradient::update_residual(const Multigrid& matrix, bool singular, View<const float> b,
                                              View<const double> x) {
  const RedBlackBox& box = matrix.box();
  for (int color = 0; color < 2; ++color) {
    const int first = box.first_inside(color), own = color * box.half() + first;
    launch_runs(box.count_inside(color), TrueResidual{.matrix = matrix.color_operator(color).from(first),
                                                      .b = b.data + own,
                                                      .x = x.data + own,
                                                      .other = x.data + (1 - color) * box.half() + first,
                                                      .r = r_.data() + own});
  }
  if (singular) take_off_mean(matrix, r_.view());
  Dot norm{{}, r_.data(), r_.data(), r_.size()};
  norm_.run(runs_of_cells(r_.size()), norm);
  return norm_.read();
}

LinearSolveResult GridConjugateGradient::solve(Multigrid& matrix, View<const float> b, View<double> x,
                                               LinearSolveLimits limits) {
  const RedBlackBox& box = matrix.box();
  const int count = box.count(), runs = runs_of_cells(count);
  for (Array<float>* vector : {&r_, &z_, &p_, &q_}) {
    vector->resize(count);
    vector->zero();
  }
  const bool singular = matrix.singular();
  if (!(limits.reference > 0)) {
    norm_.run(runs, Dot{{}, b.data, b.data, count});
    limits.reference = std::sqrt(norm_.read());
  }
  const double goal = limits.tolerance * limits.tolerance * limits.reference * limits.reference;
  Multiply multiply{
      {},
      {matrix.color_operator(0).from(box.first_inside(0)), matrix.color_operator(1).from(box.first_inside(1))},
      {},
      {},
      {},
      {box.count_inside(0), box.count_inside(1)}};
  for (int color = 0; color < 2; ++color) {
    const int offset = color * box.half() + box.first_inside(color);
    multiply.p[color] = p_.data() + offset;
    multiply.other[color] = p_.data() + (1 - color) * box.half() + box.first_inside(color);
    multiply.q[color] = q_.data() + offset;
  }
  const int multiply_runs = runs_of_cells(multiply.count[0]) + runs_of_cells(multiply.count[1]);

  int iterations = 0;
  double rr = update_residual(matrix, singular, b, x), before = std::numeric_limits<double>::infinity();
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
      norm_.run(
          runs,
          Update{{}, now.result(), curvature_.result(), p_.data(), q_.data(), x.data, r_.data(), count});
      const double last_rr = rr;
      rr = norm_.read();
      ++iterations;
      if (rr == last_rr) break;  // p.q was not positive
    }
    rr = update_residual(matrix, singular, b, x);
  }
  const double residual = std::sqrt(rr);
  return {.iterations = iterations,
          .residual = limits.reference > 0 ? residual / limits.reference : residual,
          .tolerance_met = rr <= goal};
}

MERGANSER_END
