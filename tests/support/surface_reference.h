#pragma once
/// The surface field in double precision, straight from the formulas of [TN] sec. 4, and clouds to try it on.
#include <cmath>
#include <vector>

#include "device/vector_math.h"
#include "solvers/geometry/surface/surface_parameters.h"

MERGANSER_BEGIN

inline double reference_kernel(double d, double h) {
  return std::pow(std::max(0.0, 1 - d * d / (4 * h * h)), 5);
}

/// Particles, and which pairs of them are linked with which age; age < 0: not linked.
struct SurfaceReference {
  std::vector<Vec3d> position;
  std::vector<double> mass;
  std::vector<std::vector<std::pair<int, double>>> links;  ///< neighbor, age
  double h = 1;

  /// Links all pairs within 2h for which `linked(i, j)` gives an age >= 0.
  template <class Age>
  void link(const Age& age) {
    links.assign(position.size(), {});
    for (size_t i = 0; i < position.size(); ++i)
      for (size_t j = 0; j < position.size(); ++j)
        if (i != j && norm(position[i] - position[j]) < 2 * h && age(int(i), int(j)) >= 0)
          links[i].push_back({int(j), age(int(i), int(j))});
  }
  /// m/rho with the density of all Euclidean neighbors, [TN] eq. 2, or of the links, eq. 7.
  std::vector<double> volumes(bool topological) const {
    std::vector<double> volume;
    for (size_t i = 0; i < position.size(); ++i) {
      double density = mass[i];
      if (topological)
        for (const auto& [j, age] : links[i])
          density += age * mass[size_t(j)] * reference_kernel(norm(position[i] - position[size_t(j)]), h);
      else
        for (size_t j = 0; j < position.size(); ++j)
          if (j != i) density += mass[j] * reference_kernel(norm(position[i] - position[j]), h);
      volume.push_back(mass[i] / density);
    }
    return volume;
  }
  /// Sum of [TN] eq. 1.
  double sum(const Vec3d& x, const std::vector<double>& volume) const {
    double sum = 0;
    for (size_t j = 0; j < position.size(); ++j)
      sum += volume[j] * reference_kernel(norm(x - position[j]), h);
    return sum;
  }
  /// phi of [TN] eq. 4 with eq. 8, over all particles, or with all neighbors within 2h in every g_i; |G_i|
  /// counts links by their weight.
  double blend(const Vec3d& x, const std::vector<double>& volume, bool all_neighbors = false) const {
    double sum = 0;
    for (size_t i = 0; i < position.size(); ++i) {
      double g = volume[i] * reference_kernel(norm(x - position[i]), h), count = 1;
      for (const auto& [j, age] : links[i]) {
        const double weight = 1 - std::pow(1 - age, 3);
        if (!all_neighbors)
          g += weight * volume[size_t(j)] * reference_kernel(norm(x - position[size_t(j)]), h);
        count += weight;
      }
      for (size_t j = 0; all_neighbors && j < position.size(); ++j)
        if (j != i && norm(position[i] - position[j]) < 2 * h)
          g += volume[j] * reference_kernel(norm(x - position[j]), h);
      sum += std::pow(g, 20) / count;
    }
    return std::pow(sum, 1.0 / 20);
  }
  /// S phi/phi_N.
  double topological(const Vec3d& x, const std::vector<double>& volume) const {
    return sum(x, volume) * blend(x, volume) / blend(x, volume, true);
  }
  FluidPoints points() const {
    FluidPoints points;
    for (size_t i = 0; i < position.size(); ++i) {
      points.position.push_back({float(position[i].x), float(position[i].y), float(position[i].z)});
      points.velocity.push_back({0, 0, 0});
      points.mass.push_back(float(mass[i]));
    }
    return points;
  }
  TopologyLinks topology_links() const {
    TopologyLinks pairs;
    pairs.first.push_back(0);
    for (const auto& row : links) {
      for (const auto& [j, age] : row) pairs.neighbor.push_back(j), pairs.age.push_back(float(age));
      pairs.first.push_back(int(pairs.neighbor.size()));
    }
    return pairs;
  }
  /// Adds the points of a cubic lattice for which inside(x) holds.
  template <class Inside>
  void add_lattice(const Vec3d& low, const Vec3d& high, double spacing, const Inside& inside) {
    for (double z = low.z; z <= high.z; z += spacing)
      for (double y = low.y; y <= high.y; y += spacing)
        for (double x = low.x; x <= high.x; x += spacing)
          if (inside(Vec3d{x, y, z})) {
            // What the float half is given is what the reference works on.
            position.push_back({double(float(x)), double(float(y)), double(float(z))});
            mass.push_back(1);
          }
  }
};

MERGANSER_END
