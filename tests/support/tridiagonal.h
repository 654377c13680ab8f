#pragma once
/// A tridiagonal system that a direct elimination solves in double.
#include <algorithm>
#include <cmath>

#include "solvers/linear/krylov/conjugate_gradient.h"

MERGANSER_BEGIN
namespace gradient_test {

/// Row i of A x: 2.5 x_i - x_(i-1) - x_(i+1); row `fixed` comes out as zero.
struct Tridiagonal {
  int fixed = -1, count = 0;
  float sign = 1;
  View<int> distance;
  MERGANSER_METHOD Vec3 operator()(int i, View<const Vec3> x) const {
    const Vec3 zero{0, 0, 0};
    if (i == fixed) return zero;
    return sign * (2.5f * x[i] - (i > 0 ? x[i - 1] : zero) - (i + 1 < count ? x[i + 1] : zero));
  }
  void widen(const ActiveRows& reach) const;
  void add_to_key(LaunchKey& key) const {
    for (int number : {fixed, count}) merganser::MERGANSER_BACKEND::add_to_key(key, number);
    merganser::MERGANSER_BACKEND::add_to_key(key, sign);
    merganser::MERGANSER_BACKEND::add_to_key(key, distance);
  }
};
struct WidenTridiagonal {
  static constexpr const char* name = "test widen";
  View<int> distance;
  int limit;
  MERGANSER_METHOD void operator()(int i) const {
    const bool next =
        (i > 0 && distance[i - 1] == limit - 1) || (i + 1 < distance.count && distance[i + 1] == limit - 1);
    if (next && distance[i] > limit) distance[i] = limit;
  }
};
inline void Tridiagonal::widen(const ActiveRows& reach) const {
  launch(count, WidenTridiagonal{distance, reach.limit});
}

struct Jacobi {
  int fixed = -1;
  MERGANSER_METHOD Vec3 operator()(int i, const Vec3& r) const { return (i == fixed ? 0.0f : 0.4f) * r; }
  void add_to_key(LaunchKey& key) const { merganser::MERGANSER_BACKEND::add_to_key(key, fixed); }
};

/// r = b - A x.
struct InitialResidual {
  static constexpr const char* name = "test residual";
  Tridiagonal a;
  View<const Vec3> b, x;
  View<Vec3> r;
  MERGANSER_METHOD void operator()(int i) const { r[i] = i == a.fixed ? Vec3{0, 0, 0} : b[i] - a(i, x); }
};

struct Problem {
  static constexpr int count = 3000;
  std::vector<Vec3> b = std::vector<Vec3>(count);
  std::vector<int> representative = std::vector<int>(count);
  Tridiagonal a{.fixed = -1, .count = count, .sign = 1, .distance = {}};
  Jacobi preconditioner;
  std::vector<Vec3> start = std::vector<Vec3>(count, Vec3{0, 0, 0});
  Problem() {
    for (int i = 0; i < count; ++i) {
      const float s = static_cast<float>(i);
      representative[size_t(i)] = i;
      b[size_t(i)] = {std::sin(0.1f * s), 1.0f, std::cos(0.7f * s)};
    }
  }
  void fix(int row, Vec3 value) {
    a.fixed = preconditioner.fixed = row;
    representative[size_t(row)] = -1;
    start[size_t(row)] = value;
  }
  /// x component by elimination in double (Thomas).
  std::vector<double> direct() const {
    std::vector<double> diagonal(count, 2.5), right(count), x(count);
    for (int i = 0; i < count; ++i) right[size_t(i)] = b[size_t(i)].x;
    auto coupling = [&](int i, int j) { return i == a.fixed || j == a.fixed ? 0.0 : -1.0; };
    if (a.fixed >= 0) {
      const double value = start[size_t(a.fixed)].x;
      diagonal[size_t(a.fixed)] = 1;
      right[size_t(a.fixed)] = value;
      right[size_t(a.fixed) - 1] += value;
      right[size_t(a.fixed) + 1] += value;
    }
    for (size_t i = 1; i < count; ++i) {
      const double f = coupling(int(i), int(i) - 1) / diagonal[i - 1];
      diagonal[i] -= f * coupling(int(i) - 1, int(i));
      right[i] -= f * right[i - 1];
    }
    for (size_t i = count; i-- > 0;)
      x[i] = (right[i] - (i + 1 < count ? coupling(int(i), int(i) + 1) * x[i + 1] : 0)) / diagonal[i];
    return x;
  }
  LinearSolveResult solve(std::vector<Vec3>& x, double tolerance, int max_iterations, ActiveRows reach = {}) {
    Array<Vec3> device_b(b), device_x(x), residual(count);
    Array<int> device_representative(representative);
    launch(count, InitialResidual{a, device_b.view(), device_x.view(), residual.view()});
    const SolveRows rows{.representative = device_representative.view(), .count = count, .reach = reach};
    ConjugateGradient cg;
    const double reference =
        cg.norm({.representative = rows.representative, .count = count, .reach = {}}, device_b.view());
    const auto result = cg.solve(a, preconditioner, rows, residual.view(), device_x.view(),
                                 {tolerance, max_iterations, reference});
    x = device_x.to_host();
    return result;
  }
};

inline double largest_error(const std::vector<Vec3>& x, const std::vector<double>& exact) {
  double error = 0;
  for (size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(double(x[i].x) - exact[i]));
  return error;
}

/// A problem on the device whose solves share one solver.
struct RepeatedSolve {
  Problem problem;
  Array<Vec3> b{problem.b}, x{Problem::count}, residual{Problem::count};
  Array<int> representative{problem.representative};
  SolveRows rows{.representative = representative.view(), .count = Problem::count, .reach = {}};
  ConjugateGradient cg;
  std::vector<Vec3> solution;
  LinearSolveResult run(const LinearSolveLimits& limits) {
    x.zero();
    residual.assign(b.const_view());
    const auto result = cg.solve(problem.a, problem.preconditioner, rows, residual.view(), x.view(), limits);
    solution = x.to_host();
    return result;
  }
};

}  // namespace gradient_test
MERGANSER_END
