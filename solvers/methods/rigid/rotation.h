#pragma once
/// Rotations as unit quaternions, and how a body turns that nothing touches.
#include "device/vector_math.h"

MERGANSER_BEGIN

/// w + xi + yj + zk.
struct Quaternion {
  double w = 1;
  Vec3d v{0, 0, 0};
  MERGANSER_METHOD friend Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - dot(a.v, b.v), a.w * b.v + b.w * a.v + cross(a.v, b.v)};
  }
  /// Of a rotation.
  MERGANSER_METHOD friend Quaternion inverse(const Quaternion& a) { return {a.w, -1.0 * a.v}; }
  friend bool operator==(const Quaternion& a, const Quaternion& b) {
    return a.w == b.w && a.v.x == b.v.x && a.v.y == b.v.y && a.v.z == b.v.z;
  }
};

/// The rotation by `angle` [rad] about a unit vector.
MERGANSER_FN Quaternion rotation_about(const Vec3d& axis, double angle) {
  return {cos(0.5 * angle), sin(0.5 * angle) * axis};
}
MERGANSER_FN Quaternion normalized(const Quaternion& q) {
  const double scale = 1 / sqrt(q.w * q.w + norm_squared(q.v));
  return {scale * q.w, scale * q.v};
}
MERGANSER_FN Vec3d rotated(const Quaternion& q, const Vec3d& a) {
  const Vec3d t = 2.0 * cross(q.v, a);
  return a + q.w * t + cross(q.v, t);
}
MERGANSER_FN Vec3d rotated_back(const Quaternion& q, const Vec3d& a) { return rotated({q.w, -q.v}, a); }

/// Where `turn` is after dt [s] of free rotation with the angular momentum L [kg m^2/s], constant in the
/// world, and the principal moments of inertia I [kg m^2] along the axes of the body's frame. Splitting of
/// the kinetic energy into L_x^2/2I_x, L_y^2/2I_y and L_z^2/2I_z: each alone is a rotation about its axis by
/// dt L_k/I_k, and their symmetric sequence x/2 y/2 z y/2 x/2 is symplectic, reversible and of second order
/// (Dullweber, Leimkuhler, McLachlan, J. Chem. Phys. 107, 5840, 1997, sec. III).
MERGANSER_FN Quaternion turned_freely(Quaternion turn, const Vec3d& angular_momentum, const Vec3d& inertia,
                                      double dt) {
  const auto about_x = [&](double t) {
    turn = turn * rotation_about({1, 0, 0}, t * rotated_back(turn, angular_momentum).x / inertia.x);
  };
  const auto about_y = [&](double t) {
    turn = turn * rotation_about({0, 1, 0}, t * rotated_back(turn, angular_momentum).y / inertia.y);
  };
  about_x(0.5 * dt);
  about_y(0.5 * dt);
  turn = turn * rotation_about({0, 0, 1}, dt * rotated_back(turn, angular_momentum).z / inertia.z);
  about_y(0.5 * dt);
  about_x(0.5 * dt);
  return normalized(turn);
}

MERGANSER_END
