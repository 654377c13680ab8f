#include "solvers/methods/flip/place_box.h"

#include <algorithm>
#include <cmath>

MERGANSER_BEGIN

namespace {

constexpr int margin = 2, granularity = 4;
constexpr double cells_per_particle = 16, least_limit = 1 << 22, most_cells = 1 << 29;
/// From where on it is worth while to look for `few` of all particles that are far from the others.
constexpr double roomy_cells_per_particle = 8, least_roomy = 1 << 14, few = 0.1;

/// Of particles in the box of cells.
struct SumPositions {
  static constexpr const char* name = "flip spread";
  using Value = PositionMoments;
  View<const Vec3> position;
  float inverse_dx;
  Vec3 low, high;  ///< [cells], of both ends
  MERGANSER_METHOD Value operator()(int i) const {
    const Vec3 c = position[i] * inverse_dx;
    if (!(c.x >= low.x && c.y >= low.y && c.z >= low.z && c.x <= high.x && c.y <= high.y && c.z <= high.z))
      return identity();
    const Vec3d x = to_double(c);
    return {x, {x.x * x.x, x.y * x.y, x.z * x.z}, 1};
  }
  MERGANSER_METHOD static Value identity() { return {{0, 0, 0}, {0, 0, 0}, 0}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.sum + b.sum, a.squares + b.squares, a.count + b.count};
  }
};

int down(double cell) { return static_cast<int>(std::floor((cell - margin) / granularity)) * granularity; }
int up(double cell) { return static_cast<int>(std::ceil((cell + 1 + margin) / granularity)) * granularity; }
double cells_between(const double* low, const double* high) {
  double cells = 1;
  for (int axis = 0; axis < 3; ++axis) cells *= double(up(high[axis])) - down(low[axis]);
  return cells;
}

}  // namespace

/// Particles in a box of lattice cells.
struct GridBounds::Spread {
  double count = 0, mean[3], deviation[3];  ///< [cells]
};

GridBounds::Spread GridBounds::spread(const std::vector<View<const Vec3>>& positions, const double* low,
                                      const double* high, float inverse_dx) {
  const auto point = [](const double* c, double more) {
    return Vec3{static_cast<float>(c[0] + more), static_cast<float>(c[1] + more),
                static_cast<float>(c[2] + more)};
  };
  PositionMoments m = SumPositions::identity();
  for (const View<const Vec3>& position : positions) {
    moments_.run(position.count, SumPositions{position, inverse_dx, point(low, 0), point(high, 1)});
    m = SumPositions::combine(m, moments_.read());
  }
  const double sum[3] = {m.sum.x, m.sum.y, m.sum.z}, squares[3] = {m.squares.x, m.squares.y, m.squares.z};
  Spread found;
  found.count = m.count;
  for (int axis = 0; axis < 3; ++axis) {
    found.mean[axis] = sum[axis] / m.count;
    found.deviation[axis] =
        std::sqrt(std::max(0.0, squares[axis] / m.count - found.mean[axis] * found.mean[axis]));
  }
  return found;
}

std::pair<Int3, Int3> GridBounds::around(const std::vector<View<const Vec3>>& positions, const Bounds& bounds,
                                         float dx) {
  const float inverse = 1 / dx;
  const float lowest[3] = {bounds.low.x, bounds.low.y, bounds.low.z};
  const float highest[3] = {bounds.high.x, bounds.high.y, bounds.high.z};
  double low[3], high[3], all = 0;
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = GridShape::axis_cell(lowest[axis], inverse);
    high[axis] = GridShape::axis_cell(highest[axis], inverse);
  }
  for (const View<const Vec3>& position : positions) all += position.count;
  const auto cut = [&](const Spread& at, double width) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::max(low[axis], std::floor(at.mean[axis] - width * at.deviation[axis]));
      high[axis] = std::min(high[axis], std::floor(at.mean[axis] + width * at.deviation[axis]));
    }
  };
  // Few that are far away: without them as long as they are few.
  const double roomy = std::max(least_roomy, roomy_cells_per_particle * all);
  for (int k = 0; k < 8 && cells_between(low, high) > roomy; ++k) {
    const double before = cells_between(low, high);
    const double wide_low[3] = {low[0], low[1], low[2]}, wide_high[3] = {high[0], high[1], high[2]};
    cut(spread(positions, low, high, inverse), 4);
    if (spread(positions, low, high, inverse).count < (1 - few) * all) {
      std::copy(wide_low, wide_low + 3, low);
      std::copy(wide_high, wide_high + 3, high);
      break;
    }
    if (cells_between(low, high) == before) break;
  }
  const double limit = std::min(most_cells, std::max(least_limit, cells_per_particle * all));
  if (cells_between(low, high) > limit) {
    const Spread at = spread(positions, low, high, inverse);
    for (double width = 8; cells_between(low, high) > limit; width *= 0.8) cut(at, width);
  }
  const Int3 first{down(low[0]), down(low[1]), down(low[2])};
  return {first, {up(high[0]) - first.x, up(high[1]) - first.y, up(high[2]) - first.z}};
}

MERGANSER_END
