#pragma once
/// What fluid at rest among its neighbors feels: gravity less the acceleration of the fluid.
#include "device/launch.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Where fluid does not deform, grad p = rho (g - a) with its own acceleration a: in a tank at rest a = 0, in
/// free fall a = g, in a vessel that turns a = -omega^2 r. The density diffusion compares densities with that
/// gradient, see density.h. a is the mean over T = 20 h/c, because waves of sound must not count. It follows
/// from a mean velocity m of each particle:
///   dm/dt = (v - m)/T,   a = (v - m)/T,   g - a = g - (v - m)/T.
/// Steps are implicit, m' = m + dt (v - m')/T, so a constant acceleration is exact for steps of any size.
/// Particles start with a = g: they have no pressure yet.
struct HydrostaticDrift {
  Vec3 gravity;  ///< [m/s^2]
  float time;    ///< [s] T

  static HydrostaticDrift of(const Vec3& gravity, float smoothing_length, float sound_speed) {
    return {gravity, 20 * smoothing_length / sound_speed};
  }
  MERGANSER_METHOD Quad start(const Vec3& v) const {
    const Vec3 mean = v - time * gravity;
    return {mean.x, mean.y, mean.z, 0};
  }
  MERGANSER_METHOD Quad after(const Quad& m, const Vec3& v, float dt) const {
    const float share = dt / (time + dt);
    return {m.x + share * (v.x - m.x), m.y + share * (v.y - m.y), m.z + share * (v.z - m.z), 0};
  }
  /// (g - a).d of the mean a of two particles; `lead`: sum of both v - m.
  template <class Real>
  MERGANSER_METHOD Real along(const Vector3<Real>& lead, const Vector3<Real>& d) const {
    return gravity.x * d.x + gravity.y * d.y + gravity.z * d.z - (0.5f / time) * dot(lead, d);
  }
};

/// Of particles that are new.
struct StartMeanVelocity {
  static constexpr const char* name = "sph start mean velocity";
  HydrostaticDrift drift;
  View<const Vec3> velocity;  ///< [m/s]
  View<Quad> mean_velocity;   ///< [m/s] written
  MERGANSER_METHOD void operator()(int i) const { mean_velocity[i] = drift.start(velocity[i]); }
};

/// Of particles that have moved with the velocity for `dt`.
struct UpdateMeanVelocity {
  static constexpr const char* name = "sph mean velocity";
  HydrostaticDrift drift;
  float dt;                   ///< [s]
  View<const Vec3> velocity;  ///< [m/s]
  View<Quad> mean_velocity;   ///< [m/s] updated
  MERGANSER_METHOD void operator()(int i) const {
    mean_velocity[i] = drift.after(mean_velocity[i], velocity[i], dt);
  }
};

MERGANSER_END
