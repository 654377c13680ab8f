#pragma once
/// Points along a line, and the last one of them in a fluid.
#include <algorithm>
#include <cmath>

#include "device/reduce.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Share of the kernel that is filled at a surface.
inline constexpr float surface_fill = 0.5f;

/// The last point of a line with at least surface_fill, and the fill of the next one.
struct FilledPoint {
  int index;  ///< -1: none
  float fill, next;
};

struct LevelLine {
  Vec3 start{0, 0, 0}, direction{0, 0, 1};  ///< [m], unit vector
  float length = 0, distance = 0;           ///< [m] of the line; from point to point
  int points = 2;

  LevelLine() = default;
  /// Points at most `spacing` [m] apart, the first and the last at the ends.
  LevelLine(const Vec3d& from, const Vec3d& to, double spacing)
      : start(to_float(from)),
        direction(to_float(normalized_or_zero(to - from))),
        length(float(norm(to - from))),
        points(2 + int(std::min(norm(to - from) / spacing, most_points))) {
    distance = length / float(points - 1);
  }
  MERGANSER_METHOD Vec3 point(int k) const { return start + direction * (float(k) * distance); }
  MERGANSER_METHOD Vec3 middle() const { return start + direction * (0.5f * length); }
  /// What of an offset from the middle is along the line, up to its ends.
  MERGANSER_METHOD Vec3 along(const Vec3& offset) const {
    const float s = dot(offset, direction), half = 0.5f * length;
    return direction * (s < -half ? -half : s > half ? half : s);
  }
  /// Distance [m] from the start at which the fill falls below surface_fill, linear between points; 0 where
  /// no point is in the fluid, the whole length where the last one is.
  double level(const FilledPoint& last) const {
    if (last.index < 0) return 0;
    if (last.index + 1 >= points) return length;
    const double rest = (double(last.fill) - surface_fill) / (double(last.fill) - last.next);
    return distance * (last.index + rest);
  }

 private:
  static constexpr double most_points = 1e5;
};

struct LastFilled {
  static constexpr const char* name = "probe: level";
  using Value = FilledPoint;
  View<const float> fill;  ///< per point of a line
  MERGANSER_METHOD FilledPoint operator()(int k) const {
    if (!(fill[k] >= surface_fill)) return identity();
    return {k, fill[k], k + 1 < fill.count ? fill[k + 1] : 0.0f};
  }
  MERGANSER_METHOD static FilledPoint identity() { return {-1, 0, 0}; }
  MERGANSER_METHOD static FilledPoint combine(const FilledPoint& a, const FilledPoint& b) {
    return a.index > b.index ? a : b;
  }
};

MERGANSER_END
