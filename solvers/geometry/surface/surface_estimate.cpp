#include "solvers/geometry/surface/surface_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace merganser {
namespace {

constexpr double bytes_per_particle = 200, bytes_per_brick = 3000, bytes_per_candidate = 28;
constexpr double brick_cells = 4;       // along an axis
constexpr double seed_radius = 0.85;    // in h: around a particle at the surface bricks are looked for
constexpr double faces_per_area = 1.5;  // steps of cells over a plane of any direction, on average

using Cell = std::uint64_t;
constexpr int bits = 21;
constexpr double most = (1 << (bits - 1)) - 2;

/// Cells far away share the last one: they are counted as one.
Cell cell_of(const Float3& x, double inverse) {
  Cell cell = 0;
  for (const float coordinate : x)
    cell = cell << bits | Cell(std::clamp(std::floor(coordinate * inverse), -most, most) + most + 1);
  return cell;
}

double exposed_faces(const std::vector<Float3>& position, double side) {
  std::vector<Cell> cells;
  cells.reserve(position.size());
  for (const Float3& x : position) cells.push_back(cell_of(x, 1 / side));
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  double faces = 0;
  for (const Cell cell : cells)
    for (int axis = 0; axis < 3; ++axis) {
      const Cell step = Cell(1) << (bits * axis);
      faces += !std::binary_search(cells.begin(), cells.end(), cell + step);
      faces += !std::binary_search(cells.begin(), cells.end(), cell - step);
    }
  return faces;
}

}  // namespace

SurfaceEstimate estimate_surface(const FluidPoints& points, const SurfaceParameters& parameters) {
  const double h = parameters.h, count = double(points.position.size());
  const double brick = brick_cells * parameters.cell_factor * h;
  SurfaceEstimate estimate;
  // Lone particles are balls of radius h/2.
  estimate.area = std::min(exposed_faces(points.position, 2 * h) * 4 * h * h / faces_per_area,
                           count * std::numbers::pi * h * h);
  estimate.bricks = faces_per_area * estimate.area / (brick * brick);
  const double seeds = std::min(count, estimate.area / (parameters.spacing * parameters.spacing));
  const double bricks_of_seed = std::pow(1 + std::numbers::sqrt2 * seed_radius * h / brick, 3);
  estimate.bytes = count * bytes_per_particle + estimate.bricks * bytes_per_brick +
                   seeds * bricks_of_seed * bytes_per_candidate;
  return estimate;
}

}  // namespace merganser
