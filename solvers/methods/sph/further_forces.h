#pragma once
/// Accelerations by forces that change velocities, such as implicit viscosity.
#include "device/launch.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// v* = v + dt (a + g): what the forces start from.
struct ForcedVelocity {
  static constexpr const char* name = "sph forced velocity";
  View<const Vec3> velocity;      ///< [m/s]
  View<const Vec3> acceleration;  ///< [m/s^2]
  Vec3 gravity;                   ///< [m/s^2]
  float dt;                       ///< [s]
  View<Vec3> forced;              ///< [m/s], written

  MERGANSER_METHOD Vec3 start(int i) const { return velocity[i] + dt * (acceleration[i] + gravity); }
  MERGANSER_METHOD void operator()(int i) const { forced[i] = start(i); }
};

/// a += (v - v*)/dt of the v that the forces have made of v*.
struct AddForcedAcceleration {
  static constexpr const char* name = "sph forced acceleration";
  ForcedVelocity from;
  View<Vec3> acceleration;  ///< [m/s^2]
  MERGANSER_METHOD void operator()(int i) const {
    acceleration[i] += (from.forced[i] - from.start(i)) * (1 / from.dt);
  }
};

MERGANSER_END
