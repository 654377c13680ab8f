#pragma once
/// Pose of a rigid body, fitted to its particles.
#include "device/polar_decomposition.h"
#include "device/reduce.h"
#include "solvers/geometry/skinning/local_map.h"

MERGANSER_BEGIN

/// Sums of positions and velocities.
struct PoseCentreSum {
  Vec3d rest, position, velocity;
};

struct SumPoseCentres {
  static constexpr const char* name = "skin centres";
  using Value = PoseCentreSum;
  View<const Vec3> rest, position, velocity;
  MERGANSER_METHOD Value operator()(int i) const {
    return {to_double(rest[i]), to_double(position[i]), to_double(velocity[i])};
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.rest + b.rest, a.position + b.position, a.velocity + b.velocity};
  }
};

/// Moments about the centres, whose sums are there.
struct SumPoseMoments {
  static constexpr const char* name = "skin rigid moments";
  using Value = OffsetMoments;
  View<const Vec3> rest, position, velocity;
  View<const PoseCentreSum> centre;
  MERGANSER_METHOD Value operator()(int i) const {
    const double share = 1.0 / rest.count;
    Value moments;
    moments.add(1, to_double(rest[i]) - share * centre[0].rest,
                to_double(position[i]) - share * centre[0].position,
                to_double(velocity[i]) - share * centre[0].velocity);
    return moments;
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.rest + b.rest, a.now + b.now, a.rate + b.rate};
  }
};

/// x = R (X - rest) + position, v = spin x (x - position) + velocity.
struct SkinPose {
  Vec3d rest, position, velocity, spin;
  Matrix3<double> rotation;
};

/// R is the rotation in the particles' LocalMap F, and the spin the axial vector of dF/dt F^-1, which is
/// skew for rigid motions: of dF/dt R^T here.
struct FindSkinPose {
  static constexpr const char* name = "skin rigid pose";
  View<const PoseCentreSum> centre;
  View<const OffsetMoments> moments;
  int particles;
  View<SkinPose> pose;
  MERGANSER_METHOD void operator()(int) const {
    const double share = 1.0 / particles;
    const LocalMap map = local_map(moments[0]);
    const Matrix3<double> r = rotation_matrix(polar_rotation(map.value, UnitQuaternion{0, 0, 0, 1}));
    const Matrix3<double> w = map.rate * transposed(r);
    pose[0] = {.rest = share * centre[0].rest,
               .position = share * centre[0].position,
               .velocity = share * centre[0].velocity,
               .spin = 0.5 * Vec3d{w.y.z - w.z.y, w.z.x - w.x.z, w.x.y - w.y.x},
               .rotation = r};
  }
};

struct FollowSkinPose {
  static constexpr const char* name = "skin follow rigid pose";
  View<const SkinPose> pose;
  View<const Vec3> rest_vertex;   ///< [m]
  View<Vec3> position, velocity;  ///< [m], [m/s], written
  MERGANSER_METHOD void operator()(int v) const {
    const Vec3d arm = pose[0].rotation * (to_double(rest_vertex[v]) - pose[0].rest);
    position[v] = to_float(pose[0].position + arm);
    velocity[v] = to_float(pose[0].velocity + cross(pose[0].spin, arm));
  }
};

MERGANSER_END
