#pragma once
/// What particles bring that come in a run, and take along that go.
#include "device/vector_math.h"

MERGANSER_BEGIN

/// What an emitter or the start of a body added before a step; negative: what a kill box took away. Held
/// particles count for nothing but their number.
struct Emission {
  int particles;
  double mass;     ///< [kg]
  double energy;   ///< [J] kinetic and potential
  Vec3d momentum;  ///< [kg m/s]
  Emission operator-() const { return {-particles, -mass, -energy, -momentum}; }
  MERGANSER_METHOD friend Emission operator+(const Emission& a, const Emission& b) {
    return {a.particles + b.particles, a.mass + b.mass, a.energy + b.energy, a.momentum + b.momentum};
  }
};

/// Of one particle: energy m (v^2/2 - g x).
MERGANSER_FN Emission emission_of(double mass, const Vec3& velocity, const Vec3& position,
                                  const Vec3& gravity) {
  const Vec3d v = to_double(velocity);
  return {1, mass, mass * (0.5 * norm_squared(v) - dot(to_double(gravity), to_double(position))), mass * v};
}

MERGANSER_END
