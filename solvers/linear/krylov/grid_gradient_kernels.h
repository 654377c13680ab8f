#pragma once
/// Kernels of conjugate gradients on a grid, see grid_conjugate_gradient.h.
#include "solvers/linear/krylov/grid_conjugate_gradient.h"

MERGANSER_BEGIN

namespace grid_gradient {

inline constexpr double drop_before_refinement = 1e-4;
inline constexpr double least_progress = 0.5;  ///< of the true residual in one refinement

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
  /// On one color of whole vectors.
  TrueResidual(const Multigrid& of, int color, const float* all_b, const double* all_x, float* all_r)
      : matrix(of.color_operator(color).from(of.box().first_inside(color))) {
    const int first = of.box().first_inside(color), half = of.box().half();
    b = all_b + color * half + first;
    x = all_x + color * half + first;
    other = all_x + (1 - color) * half + first;
    r = all_r + color * half + first;
  }
  MERGANSER_METHOD void operator()(int k) const {
    r[k] = static_cast<float>(double(b[k]) + matrix.neighbors(k, other) - double(matrix.diagonal[k]) * x[k]);
  }
};

struct Negative {
  static constexpr const char* name = "grid cg negative";
  View<const double> x;
  View<float> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = static_cast<float>(-x[i]); }
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

  Multiply(const Multigrid& of, const float* all_p, float* all_q) {
    const RedBlackBox& box = of.box();
    for (int color = 0; color < 2; ++color) {
      const int first = box.first_inside(color), offset = color * box.half() + first;
      matrix[color] = of.color_operator(color).from(first);
      p[color] = all_p + offset;
      other[color] = all_p + (1 - color) * box.half() + first;
      q[color] = all_q + offset;
      count[color] = box.count_inside(color);
    }
  }
  int runs() const { return runs_of_cells(count[0]) + runs_of_cells(count[1]); }
  MERGANSER_METHOD double operator()(int index) const {
    const int red = runs_of_cells(count[0]);
    return index < red ? of_color(0, index) : of_color(1, index - red);
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

}  // namespace grid_gradient

MERGANSER_END
