#include "solvers/methods/flip/place_box.h"

#include <algorithm>
#include <cmath>

MERGANSER_BEGIN

namespace {

constexpr int margin = 2, granularity = 4;
constexpr double cells_per_particle = 16, least_limit = 1 << 22, most_cells = 1 << 29;

struct SumPositions {
  static constexpr const char* name = "flip spread";
  using Value = PositionMoments;
  View<const Vec3> position;
  MERGANSER_METHOD Value operator()(int i) const {
    const Vec3d x = to_double(position[i]);
    if (!is_finite(position[i])) return identity();
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

std::pair<Int3, Int3> GridBounds::around(View<const Vec3> position, const Bounds& bounds, float dx) {
  const float inverse = 1 / dx;
  const float lowest[3] = {bounds.low.x, bounds.low.y, bounds.low.z};
  const float highest[3] = {bounds.high.x, bounds.high.y, bounds.high.z};
  double low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = GridShape::axis_cell(lowest[axis], inverse);
    high[axis] = GridShape::axis_cell(highest[axis], inverse);
  }
  const double limit = std::min(most_cells, std::max(least_limit, cells_per_particle * position.count));
  if (cells_between(low, high) > limit) {
    moments_.run(position.count, SumPositions{position});
    const PositionMoments m = moments_.read();
    const double sum[3] = {m.sum.x, m.sum.y, m.sum.z}, squares[3] = {m.squares.x, m.squares.y, m.squares.z};
    const double all_low[3] = {low[0], low[1], low[2]}, all_high[3] = {high[0], high[1], high[2]};
    for (double width = 8; cells_between(low, high) > limit; width *= 0.8)
      for (int axis = 0; axis < 3; ++axis) {
        const double mean = sum[axis] / m.count;
        const double deviation = std::sqrt(std::max(0.0, squares[axis] / m.count - mean * mean));
        low[axis] = std::max(all_low[axis], std::floor((mean - width * deviation) * double(inverse)));
        high[axis] = std::min(all_high[axis], std::floor((mean + width * deviation) * double(inverse)));
      }
  }
  const Int3 first{down(low[0]), down(low[1]), down(low[2])};
  return {first, {up(high[0]) - first.x, up(high[1]) - first.y, up(high[2]) - first.z}};
}

MERGANSER_END
