#pragma once
/// Periodic axes.
#include "device/launch.h"
#include "solvers/core/nearest_image.h"

MERGANSER_BEGIN

/// Brings coordinates on periodic axes back into [origin, origin + period) after an advance. Launch over
/// position.count.
struct WrapPositions {
  static constexpr const char* name = "wrap positions";
  Vec3 origin;          ///< [m]
  Vec3 period;          ///< [m], 0 = axis is open
  View<Vec3> position;  ///< [m]

  MERGANSER_METHOD void operator()(int i) const { position[i] = into_period(position[i], origin, period); }
};

MERGANSER_END
