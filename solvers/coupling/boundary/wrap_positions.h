#pragma once
/// Periodic axes.
#include "device/launch.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Brings coordinates on periodic axes back into [origin, origin + period) after an advance. Launch over
/// position.count.
struct WrapPositions {
  static constexpr const char* name = "wrap positions";
  Vec3 origin;          ///< [m]
  Vec3 period;          ///< [m], 0 = axis is open
  View<Vec3> position;  ///< [m]

  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 x = position[i];
    position[i] = {wrapped(x.x, origin.x, period.x), wrapped(x.y, origin.y, period.y),
                   wrapped(x.z, origin.z, period.z)};
  }
  MERGANSER_METHOD static float wrapped(float x, float origin, float period) {
    if (!(period > 0) || (x >= origin && x < origin + period)) return x;
    const float y = x - period * floorf((x - origin) / period);
    return y >= origin && y < origin + period ? y : origin;  // rounding at the upper end
  }
};

MERGANSER_END
