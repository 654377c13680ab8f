#pragma once
/// What the density diffusion leaves alone: the density of a fluid that moves as a rigid body would.
#include "device/launch.h"

MERGANSER_BEGIN

/// In a fluid that falls, is shaken or turns without changing its shape, grad e = (g - a)/c^2 with its own
/// acceleration a, e = rho/rho0 - 1. The diffusion 2 delta h c of the density (density.h) leaves that
/// gradient alone; what it would otherwise carry is the drift w = 2 delta h (g - a)/c [m/s]. The acceleration
/// is that of each particle, averaged over the time T:
///   u <- u + dt/(T + dt) (v - u),   a = (v - u)/T.
/// So accelerations by walls and by what other systems give count as they are.
struct HydrostaticDrift {
  static constexpr const char* name = "sph hydrostatic drift";
  static constexpr double averaging = 20;  ///< T c/h
  View<const Vec3> velocity;               ///< [m/s] now
  Vec3 gravity;                            ///< [m/s^2]
  float share;                             ///< dt/(T + dt) of the step that led here
  float rate;                              ///< [1/s] 1/T
  float scale;                             ///< [s] 2 delta h/c
  View<Vec3> slow;                         ///< [m/s] u, updated
  View<Vec3> drift;                        ///< [m/s] w, written
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 u = slow[i] + share * (velocity[i] - slow[i]);
    slow[i] = u;
    drift[i] = scale * (gravity - rate * (velocity[i] - u));
  }
};

/// What starts is taken to fall freely: u = v - T g.
struct StartOfDrift {
  static constexpr const char* name = "sph start of drift";
  View<const Vec3> velocity;  ///< [m/s]
  Vec3 fall;                  ///< [m/s] T g
  View<Vec3> slow;            ///< [m/s] written
  MERGANSER_METHOD void operator()(int i) const { slow[i] = velocity[i] - fall; }
};

MERGANSER_END
