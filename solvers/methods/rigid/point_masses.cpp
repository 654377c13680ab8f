#include "solvers/methods/rigid/point_masses.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace merganser {

namespace {

constexpr size_t most = 10, linear = 4;  // terms: all; one, x, y and z
using Terms = std::array<double, most>;
using Matrix = std::array<Terms, most>;

/// 1, x, y, z and the second powers.
Terms terms_of(const Point3& x) {
  return {1, x[0], x[1], x[2], x[0] * x[0], x[1] * x[1], x[2] * x[2], x[0] * x[1], x[0] * x[2], x[1] * x[2]};
}

/// Solves the first `count` rows of a symmetric positive semidefinite system by Cholesky's factors; false
/// where a pivot is less than `least` of its diagonal.
bool solve(Matrix a, Terms& b, size_t count, double least) {
  for (size_t j = 0; j < count; ++j) {
    const double diagonal = a[j][j];
    for (size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > least * diagonal)) return false;
    a[j][j] = std::sqrt(a[j][j]);
    for (size_t i = j + 1; i < count; ++i) {
      for (size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (size_t i = count; i-- > 0;) {
    for (size_t k = i + 1; k < count; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return true;
}

/// Coefficients of all terms for what is missing in their sums. The sums of the first four are met; the six
/// others as least squares, for points in two layers all have the same second moment across them. False where
/// the points lie in a plane.
bool all_coefficients(const Matrix& sums, const Terms& missing, double count, Terms& change) {
  constexpr double least_pivot = 1e-8;
  Matrix linear_parts{}, rest{};  // of the six: what the first four have of them, and what is left
  Terms left{};
  for (size_t k = linear; k < most; ++k) {
    linear_parts[k] = sums[k];
    if (!solve(sums, linear_parts[k], linear, least_pivot)) return false;
  }
  const auto without = [&](const Terms& a, size_t k) {
    double value = a[k];
    for (size_t j = 0; j < linear; ++j) value -= a[j] * linear_parts[k][j];
    return value;
  };
  for (size_t k = linear; k < most; ++k) {
    left[k] = without(missing, k);
    for (size_t l = linear; l < most; ++l) rest[k][l] = without(sums[l], k);
  }
  // (R R + (1e-7 n)^2) c = R left: the directions that R lacks get nothing. Once more with what that leaves
  // of the others, to rounding.
  constexpr size_t others = most - linear;
  Matrix normal{};
  Terms quadratic{};
  for (size_t k = 0; k < others; ++k) {
    normal[k][k] = 1e-14 * count * count;
    for (size_t l = 0; l < others; ++l)
      for (size_t m = linear; m < most; ++m) normal[k][l] += rest[k + linear][m] * rest[m][l + linear];
  }
  for (int pass = 0; pass < 2; ++pass) {
    Terms step{};
    for (size_t m = linear; m < most; ++m) {
      double still = left[m];
      for (size_t l = 0; l < others; ++l) still -= rest[m][l + linear] * quadratic[l];
      for (size_t k = 0; k < others; ++k) step[k] += rest[k + linear][m] * still;
    }
    if (!solve(normal, step, others, 0)) return false;
    for (size_t k = 0; k < others; ++k) quadratic[k] += step[k];
  }
  change = missing;
  for (size_t k = linear; k < most; ++k)
    for (size_t j = 0; j < linear; ++j) change[j] -= sums[j][k] * quadratic[k - linear];
  if (!solve(sums, change, linear, least_pivot)) return false;
  std::copy_n(quadratic.begin(), others, change.begin() + linear);
  return true;
}

}  // namespace

std::vector<double> point_masses(const std::vector<Float3>& points, const MassProperties& solid,
                                 double mass) {
  if (points.empty()) return {};
  const auto n = double(points.size()), mean = mass / n;
  const double size =
      std::sqrt((solid.second[0][0] + solid.second[1][1] + solid.second[2][2]) / solid.volume);
  const auto place = [&](const Float3& x) {
    return Point3{(double(x[0]) - solid.centre[0]) / size, (double(x[1]) - solid.centre[1]) / size,
                  (double(x[2]) - solid.centre[2]) / size};
  };
  const auto moment = [&](size_t i, size_t j) {
    return n * solid.second[i][j] / (solid.volume * size * size);
  };
  Matrix sums{};
  Terms missing{n,           0, 0, 0, moment(0, 0), moment(1, 1), moment(2, 2), moment(0, 1), moment(0, 2),
                moment(1, 2)};
  for (const Float3& x : points) {
    const Terms t = terms_of(place(x));
    for (size_t i = 0; i < most; ++i) {
      missing[i] -= t[i];
      for (size_t j = 0; j < most; ++j) sums[i][j] += t[i] * t[j];
    }
  }
  for (const size_t count : {most, linear}) {
    Terms change = missing;
    if (!(count == most ? all_coefficients(sums, missing, n, change) : solve(sums, change, linear, 1e-8)))
      continue;
    std::vector<double> masses;
    for (const Float3& x : points) {
      const Terms t = terms_of(place(x));
      double share = 1;
      for (size_t i = 0; i < count; ++i) share += change[i] * t[i];
      masses.push_back(mean * share);
    }
    const auto [least, largest] = std::minmax_element(masses.begin(), masses.end());
    if (*least >= mean / 4 && *largest <= 4 * mean) return masses;
  }
  return std::vector<double>(points.size(), mean);
}

}  // namespace merganser
