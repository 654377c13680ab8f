#include <algorithm>
#include <cmath>
#include <map>

#include "host/check.h"

namespace merganser {

namespace {

struct CellParticle {
  std::array<long long, 3> cell;
  Float3 position;
  float radius;
  int body;
  bool operator<(const CellParticle& other) const { return cell < other.cell; }
};

std::vector<CellParticle> sorted_into_cells(const InitialState& initial, double width) {
  std::vector<CellParticle> particles;
  for (const SystemState& system : initial.systems)
    for (size_t i = 0; i < system.position.size(); ++i) {
      CellParticle p{
          .cell = {}, .position = system.position[i], .radius = system.radius[i], .body = system.body[i]};
      for (size_t axis = 0; axis < 3; ++axis)
        p.cell[axis] = std::llround(std::floor(p.position[axis] / width));
      particles.push_back(p);
    }
  std::sort(particles.begin(), particles.end());
  return particles;
}

double depth(const CellParticle& a, const CellParticle& b) {
  double square = 0;
  for (size_t axis = 0; axis < 3; ++axis) square += std::pow(double(a.position[axis]) - b.position[axis], 2);
  return double(a.radius) + b.radius - std::sqrt(square);
}

/// Positive where particles may be.
double signed_distance(const WallParameters& wall, const Float3& position) {
  double r[3], along = 0, square = 0, outside = 0, nearest = 1e300;
  for (size_t axis = 0; axis < 3; ++axis) {
    r[axis] = position[axis] - wall.point[axis];
    along += r[axis] * wall.direction[axis];
    square += r[axis] * r[axis];
    const double into = std::min(position[axis] - wall.low[axis], wall.high[axis] - position[axis]);
    nearest = std::min(nearest, into);
    outside += into < 0 ? into * into : 0;
  }
  double inside = 0;
  switch (wall.shape) {
    case WallShape::plane:
      return along;
    case WallShape::box:
      inside = outside > 0 ? -std::sqrt(outside) : nearest;
      break;
    case WallShape::sphere:
      inside = wall.radius - std::sqrt(square);
      break;
    case WallShape::cylinder:
      inside = wall.radius - std::sqrt(std::max(0.0, square - along * along));
      break;
  }
  return wall.inside ? inside : -inside;
}

}  // namespace

std::vector<BodyOverlap> find_overlaps(const InitialState& initial) {
  double largest = 0;
  for (const SystemState& system : initial.systems)
    for (float radius : system.radius) largest = std::max(largest, double(radius));
  if (largest == 0) return {};
  const std::vector<CellParticle> particles = sorted_into_cells(initial, 2 * largest);
  std::map<std::pair<int, int>, BodyOverlap> found;
  // Columns of cells along z are contiguous. The own column and four of its eight neighbors: every pair is
  // met once.
  constexpr std::array<std::array<long long, 2>, 5> columns{{{0, 0}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}};
  for (const auto& [dx, dy] : columns) {
    size_t begin = 0;
    for (size_t i = 0; i < particles.size(); ++i) {
      const CellParticle& a = particles[i];
      const std::array<long long, 3> low{a.cell[0] + dx, a.cell[1] + dy, a.cell[2] - 1};
      const std::array<long long, 3> high{low[0], low[1], low[2] + 2};
      while (begin < particles.size() && particles[begin].cell < low) ++begin;
      for (size_t j = begin; j < particles.size() && particles[j].cell <= high; ++j) {
        const CellParticle& b = particles[j];
        if (a.body == b.body || (dx == 0 && dy == 0 && j <= i)) continue;
        const double overlap = depth(a, b);
        if (overlap <= 1e-3 * (double(a.radius) + b.radius)) continue;  // touching
        BodyOverlap& pair = found[std::minmax(a.body, b.body)];
        ++pair.pairs;
        pair.deepest = std::max(pair.deepest, overlap);
      }
    }
  }
  std::vector<BodyOverlap> overlaps;
  for (const auto& [bodies, overlap] : found) {
    overlaps.push_back(overlap);
    overlaps.back().body_a = bodies.first;
    overlaps.back().body_b = bodies.second;
  }
  return overlaps;
}

std::vector<long long> count_behind_walls(const InitialState& initial) {
  std::vector<long long> counts;
  for (const WallParameters& wall : initial.walls) {
    counts.push_back(0);
    for (const SystemState& system : initial.systems)
      for (const Float3& position : system.position) counts.back() += signed_distance(wall, position) < 0;
  }
  return counts;
}

}  // namespace merganser
