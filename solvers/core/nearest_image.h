#pragma once
/// Offsets and places in a periodic domain.
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Shortest image of an offset [m], no longer than 1.5 periods; period 0 = not periodic.
MERGANSER_FN float nearest_image(float d, float period) {
  return 2 * d > period ? d - period : 2 * d < -period ? d + period : d;
}
MERGANSER_FN Vec3 nearest_image(const Vec3& d, const Vec3& period) {
  return {period.x > 0 ? nearest_image(d.x, period.x) : d.x,
          period.y > 0 ? nearest_image(d.y, period.y) : d.y,
          period.z > 0 ? nearest_image(d.z, period.z) : d.z};
}

/// The image of a coordinate [m] in [origin, origin + period); period 0 = not periodic.
MERGANSER_FN float into_period(float x, float origin, float period) {
  if (!(period > 0) || (x >= origin && x < origin + period)) return x;
  const float y = x - period * floorf((x - origin) / period);
  return y >= origin && y < origin + period ? y : origin;  // rounding at the upper end
}
MERGANSER_FN Vec3 into_period(const Vec3& x, const Vec3& origin, const Vec3& period) {
  return {into_period(x.x, origin.x, period.x), into_period(x.y, origin.y, period.y),
          into_period(x.z, origin.z, period.z)};
}

MERGANSER_END
