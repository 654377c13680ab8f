#include "solvers/core/emitter_disc.h"

#include <cmath>
#include <map>
#include <numbers>

namespace merganser {

namespace {
constexpr double searched = 16;  // [spacings] beyond, every circle of lattice points is round enough
constexpr double counted = 4000;
}  // namespace

EmitterDisc::EmitterDisc(double radius, double spacing) {
  const double r = radius / spacing, area = std::numbers::pi * r * r;
  if (r < 0.5 * (1 - 1e-9)) return;
  const auto take = [&](double from, std::int64_t limit, std::int64_t points) {
    if (count > 0 && std::abs(std::log(double(count) / area)) <= std::abs(std::log(double(points) / area)))
      return;
    offset = from, reach2 = limit, count = points;
  };
  if (r > counted) {
    take(0, std::int64_t(4 * r * r), std::llround(area));
  } else if (r > searched) {
    const std::int64_t limit = std::int64_t(4 * r * r);
    std::int64_t points = 0;
    for (std::int64_t b = -std::int64_t(r); b <= std::int64_t(r); ++b)
      points += 2 * std::int64_t(std::sqrt(double(limit / 4 - b * b))) + 1;
    take(0, limit / 4 * 4, points);
  } else {
    const int most = int(r) + 2;
    for (int even : {0, 1}) {
      std::map<std::int64_t, std::int64_t> circles;  // points of each distance
      for (int b = -most; b <= most; ++b)
        for (int a = -most; a <= most; ++a) ++circles[square(2 * a + even) + square(2 * b + even)];
      std::int64_t points = 0;
      for (const auto& [distance2, more] : circles) {
        if (distance2 > square(2 * most - 1)) break;  // circles of which some points are missing
        take(0.5 * even, distance2, points += more);
      }
    }
  }
  lattice = spacing * std::sqrt(area / double(count));
  layer = spacing * double(count) / area;
}

}  // namespace merganser
