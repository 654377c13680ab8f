#pragma once
/// Offsets in a periodic domain.
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

MERGANSER_END
