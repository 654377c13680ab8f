#pragma once
/// Poisson problems on a cube of n^3 cells of edge 1/n for tests: unknowns where a level set is negative,
/// walls around the cube, a free surface inside it.
#include <array>
#include <cmath>
#include <functional>

#include "solvers/linear/krylov/grid_conjugate_gradient.h"

MERGANSER_BEGIN

using Field = std::function<double(const Vec3d&)>;

/// -laplacian p = source with p = 0 where level_set = 0 and no flux through the cube's walls.
struct GridPoisson {
  int n;
  RedBlackBox box;
  Multigrid matrix;
  std::vector<char> unknown;
  std::vector<float> right_side;  ///< h^2 source, by slot

  Vec3d centre(int x, int y, int z) const { return {(x - 0.5) / n, (y - 0.5) / n, (z - 0.5) / n}; }
  template <class Visit>
  void for_each_cell(const Visit& visit) const {
    for (int z = 1; z <= n; ++z)
      for (int y = 1; y <= n; ++y)
        for (int x = 1; x <= n; ++x) visit(x, y, z);
  }

  GridPoisson(int cells, const Field& level_set, const Field& source) : n(cells) {
    matrix.resize({n, n, n});
    box = matrix.box();
    const size_t count = size_t(box.count());
    unknown.assign(count, 0);
    right_side.assign(count, 0);
    std::vector<float> face[3], dirichlet(count, 0);
    for (auto& w : face) w.assign(count, 0);
    for_each_cell([&](int x, int y, int z) {
      const double phi = level_set(centre(x, y, z));
      if (phi >= 0) return;
      const size_t c = size_t(box.slot(x, y, z));
      unknown[c] = 1;
      right_side[c] = float(source(centre(x, y, z)) / n / n);
      for (int axis = 0; axis < 3; ++axis)
        for (int side : {-1, 1}) {
          int next[3] = {x, y, z};
          next[axis] += side;
          if (next[axis] < 1 || next[axis] > n) continue;
          const double other = level_set(centre(next[0], next[1], next[2]));
          if (other >= 0)
            dirichlet[c] += float(1 / std::max(phi / (phi - other), 0.01));
          else if (side < 0)
            face[axis][c] = 1;
        }
    });
    const GridCoefficients to = matrix.coefficients();
    for (int axis = 0; axis < 3; ++axis) copy_to_device(to.face[axis].data, face[axis].data(), 4 * count);
    copy_to_device(to.dirichlet.data, dirichlet.data(), 4 * count);
    matrix.build();
  }

  LinearSolveResult solve(double tolerance, int max_iterations = 100) {
    Array<float> b(right_side);
    solution.resize(box.count());
    solution.zero();
    GridConjugateGradient cg;
    return cg.solve(matrix, b.view(), solution.view(), {tolerance, max_iterations, 0});
  }
  /// Largest |p - exact|, both with their mean taken off where the problem is singular.
  double error(const Field& exact) const {
    const auto p = solution.to_host();
    double mean = 0, count = 0, worst = 0;
    for_each_cell([&](int x, int y, int z) {
      if (!unknown[size_t(box.slot(x, y, z))]) return;
      mean += p[size_t(box.slot(x, y, z))] - exact(centre(x, y, z));
      ++count;
    });
    mean = matrix.singular() ? mean / count : 0;
    for_each_cell([&](int x, int y, int z) {
      if (unknown[size_t(box.slot(x, y, z))])
        worst = std::max(worst, std::abs(p[size_t(box.slot(x, y, z))] - exact(centre(x, y, z)) - mean));
    });
    return worst;
  }
  Array<double> solution;
};

MERGANSER_END
