#include "solvers/methods/rigid/point_masses.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace merganser {

namespace {

constexpr size_t most = 10;
using Terms = std::array<double, most>;

/// 1, x, y, z and the second powers.
Terms terms_of(const Point3& x) {
  return {1, x[0], x[1], x[2], x[0] * x[0], x[1] * x[1], x[2] * x[2], x[0] * x[1], x[0] * x[2], x[1] * x[2]};
}

/// Solves the first `count` rows of a symmetric positive semidefinite system by Cholesky's factors; false
/// where a pivot is lost.
bool solve(std::array<Terms, most> a, Terms& b, size_t count) {
  for (size_t j = 0; j < count; ++j) {
    const double diagonal = a[j][j];
    for (size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > 1e-8 * diagonal)) return false;
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
  std::array<Terms, most> sums{};
  Terms missing{n,           0, 0, 0, moment(0, 0), moment(1, 1), moment(2, 2), moment(0, 1), moment(0, 2),
                moment(1, 2)};
  for (const Float3& x : points) {
    const Terms t = terms_of(place(x));
    for (size_t i = 0; i < most; ++i) {
      missing[i] -= t[i];
      for (size_t j = 0; j < most; ++j) sums[i][j] += t[i] * t[j];
    }
  }
  for (const size_t count : {most, size_t(4)}) {
    Terms change = missing;
    if (!solve(sums, change, count)) continue;
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
