#pragma once
/// Reference point and principal axes of a rigid body, from its particles.
#include <algorithm>
#include <string>

#include "device/errors.h"
#include "device/symmetric_eigen.h"
#include "solvers/base/parameter_table.h"
#include "solvers/methods/rigid/rigid_parameters.h"
#include "solvers/methods/rigid/rotation.h"
#include "solvers/methods/rigid/twist.h"

MERGANSER_BEGIN

/// The rotation with these columns, right-handed and orthonormal (Shepperd 1978).
inline Quaternion from_axes(const Vec3d& x, const Vec3d& y, const Vec3d& z) {
  const double w = 1 + x.x + y.y + z.z, a = 1 + x.x - y.y - z.z, b = 1 - x.x + y.y - z.z,
               c = 1 - x.x - y.y + z.z;
  if (w >= a && w >= b && w >= c) return normalized({w, {y.z - z.y, z.x - x.z, x.y - y.x}});
  if (a >= b && a >= c) return normalized({y.z - z.y, {a, x.y + y.x, z.x + x.z}});
  if (b >= c) return normalized({z.x - x.z, {x.y + y.x, b, y.z + z.y}});
  return normalized({x.y - y.x, {z.x + x.z, y.z + z.y, c}});
}

/// Principal moments [kg m^2] and axes.
struct PrincipalMoments {
  SymmetricEigen<3> axes;
  explicit PrincipalMoments(const MassMoments& sum) {
    double a[3][3] = {{sum.xx, sum.xy, sum.xz}, {sum.xy, sum.yy, sum.yz}, {sum.xz, sum.yz, sum.zz}};
    axes = symmetric_eigen(a);
  }
  Vec3d moments() const { return {axes.value[0], axes.value[1], axes.value[2]}; }
  Vec3d axis(int k) const { return {axes.vector[0][k], axes.vector[1][k], axes.vector[2][k]}; }
  /// Whether it can turn about every axis and have an inertia that rounding does not decide.
  bool are_sound() const {
    const Vec3d i = moments();
    return std::min({i.x, i.y, i.z}) > 1e-9 * (i.x + i.y + i.z);
  }
};

struct BodyPose {
  double mass = 0;
  Vec3d centre{0, 0, 0}, place{0, 0, 0}, inertia{1, 1, 1};
  Quaternion turn;

  static Vec3d vector(const Point3& p) { return {p[0], p[1], p[2]}; }
  static Vec3d vector(const Float3& p) { return {p[0], p[1], p[2]}; }
  /// Throws InputError where it could turn without inertia.
  BodyPose(const SystemState& state, const RigidBodyState& body, const std::string& name) {
    const auto particles = [&](const auto& visit) {
      for (int i = body.first; i < body.first + body.count; ++i)
        visit(double(state.mass[size_t(i)]), vector(state.position[size_t(i)]));
    };
    const auto moments_about = [&](const Vec3d& point) {
      MassMoments sum;
      particles([&](double m, const Vec3d& x) { sum.add(m, x - point); });
      return PrincipalMoments(sum);
    };
    particles([&](double m, const Vec3d& x) { mass += m, centre += m * x; });
    centre = centre / mass;
    const bool pinned = body.joint == RigidJoint::ball || body.joint == RigidJoint::hinge;
    place = pinned ? vector(body.point) : centre;
    const PrincipalMoments moments = moments_about(place);
    const Vec3d x = moments.axis(0), y = moments.axis(1);
    turn = from_axes(x, y, cross(x, y));
    inertia = moments.moments();
    const bool turns = body.joint != RigidJoint::slider && body.joint != RigidJoint::held;
    if (!turns || moments.are_sound()) return;
    const std::string path = "systems." + state.name + ".bodies." + name;
    if (pinned && moments_about(centre).are_sound())
      throw InputError(path + ".jointPoint: lies " + number_text(norm(place - centre)) +
                       " m from the body's centre of mass, so far that its inertia about the line between "
                       "them is lost in rounding; bring the point nearer to the body");
    throw InputError(path + ": its " + std::to_string(body.count) +
                     " particles lie on a line, about which it would have no inertia; make it thicker or "
                     "take a smaller particle radius");
  }
};

MERGANSER_END
