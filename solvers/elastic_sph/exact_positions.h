#pragma once
/// Positions to more than float, for forces. A step moves a particle by little against its distance from the
/// origin; rounded there, the error is fresh noise in every step's strain, about 1e-7 |x| over the spacing,
/// and can outweigh the forces that matter in a stiff body. So what rounding takes off is kept: x + rest is
/// the position, in double wherever differences of positions are taken.
#include "solvers/elastic_sph/lane_fields.h"

MERGANSER_BEGIN

/// Components 0 to 2: x + rest + dt v.
struct PrecisePositions {
  static constexpr const char* name = "elastic positions";
  View<const Vec3> position, rest, velocity;  ///< [m], [m] or empty, [m/s] or empty
  double dt;                                  ///< [s]
  LaneView<double> to;
  MERGANSER_METHOD void operator()(int i) const {
    Vec3d x = to_double(position[i]);
    if (!rest.empty()) x += to_double(rest[i]);
    if (!velocity.empty()) x += dt * to_double(velocity[i]);
    to.store_vector(0, i, x);
  }
};

/// After positions have advanced by dt v: what rounding took off, and positions rounded to nearest. Where
/// something else has moved a particle (a wall), its position is what it is.
struct KeepRest {
  static constexpr const char* name = "elastic keep rest";
  View<const Vec3> before, velocity;  ///< [m] at the beginning of the step, [m/s] with which it advanced
  float dt;                           ///< [s]
  View<Vec3> position, rest;          ///< [m], updated
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 x = position[i];
    const Vec3d step = to_double(rest[i]) + double(dt) * to_double(velocity[i]);
    const Vec3d moved = to_double(before[i]) + step, off = moved - to_double(x);
    constexpr double two_roundings = 2.5e-7;
    const double size = fabs(double(x.x)) + fabs(double(x.y)) + fabs(double(x.z));
    if (norm(off) <= two_roundings * size) {
      const Vec3 nearest = to_float(moved);
      position[i] = nearest;
      // The difference in float is exact. (g++ 12 takes double(float(moved)) for moved when it makes
      // vectors.)
      rest[i] = to_float(to_double(before[i] - nearest) + step);
    } else {
      rest[i] = {0, 0, 0};
    }
  }
};

/// u_j - u_i.
template <class Real, class Stored>
struct Difference {
  LaneView<const Stored> vector;
  Vector3<Real> own;
  MERGANSER_METHOD Difference(const LaneView<const Stored>& from, int i)
      : vector(from), own(from.template load_vector<Real>(0, i)) {}
  MERGANSER_METHOD Vector3<Real> operator()(int j) const {
    return vector.template load_vector<Real>(0, j) - own;
  }
};
/// Of positions as PrecisePositions left them.
using PositionDifference = Difference<PreciseLanes, double>;
/// Of any other vector.
using VectorDifference = Difference<Lanes, float>;

MERGANSER_END
