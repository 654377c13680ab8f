#pragma once
/// Forces that change velocities, as something that a method adds to its own: accelerations or changes of
/// velocity.
#include "device/launch.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// v* = v + unit added + fall: what the forces start from.
struct ForcedVelocity {
  static constexpr const char* name = "fluid forced velocity";
  View<const Vec3> velocity;  ///< [m/s]
  View<const Vec3> added;     ///< accelerations [m/s^2] or changes of velocity [m/s] by all else
  float unit;                 ///< [s] the step, or 1
  Vec3 fall;                  ///< [m/s] what gravity adds in the step
  View<Vec3> forced;          ///< [m/s], written

  MERGANSER_METHOD Vec3 start(int i) const { return velocity[i] + unit * added[i] + fall; }
  MERGANSER_METHOD void operator()(int i) const { forced[i] = start(i); }
};

/// added += (v - v*)/unit of the v that the forces have made of v*.
struct AddForced {
  static constexpr const char* name = "fluid add forced";
  ForcedVelocity from;
  View<Vec3> added;
  MERGANSER_METHOD void operator()(int i) const {
    added[i] += (from.forced[i] - from.start(i)) * (1 / from.unit);
  }
};

MERGANSER_END
