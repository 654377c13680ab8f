#include "solvers/benchmarks/elastic_matrix.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "device/random.h"

MERGANSER_BEGIN

namespace {

/// Neighbors within the radius, the particle itself first, and the gradient's weight of each.
struct Stencil {
  std::vector<int> row;
  std::vector<Point3> weight;
};

Point3 minus(const Point3& a, const Point3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double product(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// grad_j x = sum_k (x_k - x_j) w(r) (r_k - r_j) with w(r) = (1 - r/radius)^2, as SPH's spiky kernel has it.
std::vector<Stencil> gradient_stencils(const std::vector<Point3>& positions, double radius) {
  std::map<std::array<int, 3>, std::vector<int>> cells;
  const auto cell_of = [&](const Point3& x) {
    return std::array<int, 3>{int(std::floor(x[0] / radius)), int(std::floor(x[1] / radius)),
                              int(std::floor(x[2] / radius))};
  };
  for (size_t i = 0; i < positions.size(); ++i) cells[cell_of(positions[i])].push_back(static_cast<int>(i));
  std::vector<Stencil> stencils(positions.size());
  for (size_t j = 0; j < positions.size(); ++j) {
    Stencil& stencil = stencils[j];
    stencil.row.push_back(static_cast<int>(j));
    stencil.weight.push_back({0, 0, 0});
    const std::array<int, 3> centre = cell_of(positions[j]);
    for (int n = 0; n < 27; ++n) {
      const auto cell = cells.find({centre[0] + n % 3 - 1, centre[1] + n / 3 % 3 - 1, centre[2] + n / 9 - 1});
      if (cell == cells.end()) continue;
      for (int k : cell->second) {
        const Point3 d = minus(positions[size_t(k)], positions[j]);
        const double r = std::sqrt(product(d, d));
        if (size_t(k) == j || r >= radius) continue;
        const double w = (1 - r / radius) * (1 - r / radius);
        stencil.row.push_back(k);
        stencil.weight.push_back({w * d[0], w * d[1], w * d[2]});
        for (size_t axis = 0; axis < 3; ++axis) stencil.weight[0][axis] -= w * d[axis];
      }
    }
  }
  return stencils;
}

}  // namespace

std::vector<Point3> jittered_block(int x, int y, int z, int count) {
  std::vector<Point3> positions;
  const int points = count < 0 ? x * y * z : count;
  for (int i = 0; i < points; ++i) {
    const RandomBits bits = random_draw(7, RandomPurpose::test, static_cast<unsigned>(i), 0);
    const auto moved = [&](int lattice, int axis) {
      return lattice + 0.2 * (2.0 * static_cast<double>(uniform_float(bits.word[axis])) - 1.0);
    };
    positions.push_back({moved(i % x, 0), moved(i / x % y, 1), moved(i / x / y, 2)});
  }
  return positions;
}

HostSparseMatrix elastic_matrix(const std::vector<Point3>& positions, double stiffness, double radius) {
  const std::vector<Stencil> stencils = gradient_stencils(positions, radius);
  HostSparseMatrix matrix;
  matrix.first.push_back(0);
  std::vector<double> sum(positions.size(), 0);
  std::vector<int> columns;
  std::vector<bool> touched(positions.size(), false);
  for (size_t i = 0; i < positions.size(); ++i) {
    columns.clear();
    for (int j : stencils[i].row) {  // neighbors are mutual
      const Stencil& stencil = stencils[size_t(j)];
      const auto at =
          std::find(stencil.row.begin(), stencil.row.end(), static_cast<int>(i)) - stencil.row.begin();
      const Point3& own = stencil.weight[size_t(at)];
      for (size_t e = 0; e < stencil.row.size(); ++e) {
        const int k = stencil.row[e];
        if (k > static_cast<int>(i)) continue;
        if (!touched[size_t(k)]) columns.push_back(k), touched[size_t(k)] = true;
        sum[size_t(k)] += stiffness * product(own, stencil.weight[e]);
      }
    }
    std::sort(columns.begin(), columns.end());
    for (int k : columns) {
      matrix.column.push_back(k);
      matrix.value.push_back(sum[size_t(k)] + (size_t(k) == i ? 1.0 : 0.0));
      sum[size_t(k)] = 0;
      touched[size_t(k)] = false;
    }
    matrix.first.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }
  return matrix;
}

MERGANSER_END
