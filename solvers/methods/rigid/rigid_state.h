#pragma once
/// Rigid bodies on the device: what they are and where they are. A body's reference point is its centre of
/// mass, or the fixed point of its joint; its frame has the principal axes of inertia about that point.
#include <string>

#include "device/array.h"
#include "device/particle_store.h"
#include "solvers/base/state_archive.h"
#include "solvers/methods/rigid/rigid_parameters.h"
#include "solvers/methods/rigid/rotation.h"
#include "solvers/methods/rigid/twist.h"

MERGANSER_BEGIN

/// The part of momenta that can move a body with such a joint.
MERGANSER_FN Twist momenta_allowed(RigidJoint joint, const Vec3d& axis, const Twist& momenta) {
  switch (joint) {
    case RigidJoint::free:
      return momenta;
    case RigidJoint::ball:
      return {{0, 0, 0}, momenta.angular};
    case RigidJoint::hinge:
      return {{0, 0, 0}, dot(axis, momenta.angular) * axis};
    case RigidJoint::slider:
      return {dot(axis, momenta.linear) * axis, {0, 0, 0}};
    case RigidJoint::held:
      break;
  }
  return {};
}

/// Bodies as kernels see them; one entry a body where nothing else is said.
struct RigidView {
  View<const int> first;    ///< first particle, local index; one more at the end
  View<const int> body_of;  ///< per particle
  View<const Vec3> rest;    ///< [m] per particle: arm in the body's frame
  View<const double> mass;
  View<const Vec3d> inertia;        ///< [kg m^2] principal moments about the reference point
  View<const Vec3d> offset;         ///< [m] centre of mass in the body's frame
  View<const Vec3d> axis;           ///< of hinge and slider
  View<const double> round_radius;  ///< [m] of balls and cylinders; 0 of others
  View<const Vec3d> round_axis;     ///< of cylinders, in the body's frame; 0 of balls
  View<const RigidJoint> joint;
  View<Vec3d> place;             ///< [m] reference point
  View<Quaternion> turn;         ///< from the body's frame to the world's
  View<Vec3d> momentum;          ///< [kg m/s]
  View<Vec3d> angular_momentum;  ///< [kg m^2/s] about the reference point

  MERGANSER_METHOD bool is_round(int b) const { return round_radius[b] > 0; }
  MERGANSER_METHOD bool is_cylinder(int b) const { return norm_squared(round_axis[b]) > 0; }
  MERGANSER_METHOD Vec3d arm(int b, int particle) const {
    return rotated(turn[b], to_double(rest[particle]));
  }
  MERGANSER_METHOD Twist momenta(int b) const { return {momentum[b], angular_momentum[b]}; }
  /// sum m J^T J of the whole body as it lies.
  MERGANSER_METHOD MassMoments moments(int b) const {
    const Vec3d x = rotated(turn[b], {1, 0, 0}), y = rotated(turn[b], {0, 1, 0}),
                z = rotated(turn[b], {0, 0, 1}), i = inertia[b];
    const auto entry = [&](double xx, double yy, double zz) { return i.x * xx + i.y * yy + i.z * zz; };
    return {mass[b],
            mass[b] * rotated(turn[b], offset[b]),
            entry(x.x * x.x, y.x * y.x, z.x * z.x),
            entry(x.x * x.y, y.x * y.y, z.x * z.y),
            entry(x.x * x.z, y.x * y.z, z.x * z.z),
            entry(x.y * x.y, y.y * y.y, z.y * z.y),
            entry(x.y * x.z, y.y * y.z, z.y * z.z),
            entry(x.z * x.z, y.z * y.z, z.z * z.z)};
  }
  /// The inverse of a matrix between velocities and momenta on the motions that the joint allows.
  MERGANSER_METHOD TwistMatrix inverse(int b, const TwistMatrix& matrix) const {
    TwistMatrix line;
    switch (joint[b]) {
      case RigidJoint::free:
        return inverse_from(matrix, 0);
      case RigidJoint::ball:
        return inverse_from(matrix, 3);
      case RigidJoint::hinge:
      case RigidJoint::slider: {
        const Twist along = allowed(b);
        line.add_outer(1 / dot(along, matrix * along), along);
        return line;
      }
      case RigidJoint::held:
        break;
    }
    return line;
  }
  /// The one motion that a hinge or slider allows.
  MERGANSER_METHOD Twist allowed(int b) const {
    return joint[b] == RigidJoint::hinge ? Twist{{0, 0, 0}, axis[b]} : Twist{axis[b], {0, 0, 0}};
  }
  /// Velocities of the body as it lies with these momenta.
  MERGANSER_METHOD Twist velocities(int b, const Twist& momenta) const {
    if (joint[b] != RigidJoint::free && joint[b] != RigidJoint::ball) {
      TwistMatrix matrix;
      matrix.add(moments(b));
      return inverse(b, matrix) * momenta;
    }
    const Vec3d l = rotated_back(turn[b], momenta.angular), i = inertia[b];
    const Vec3d angular = rotated(turn[b], {l.x / i.x, l.y / i.y, l.z / i.z});
    const bool pinned = joint[b] == RigidJoint::ball;
    return {pinned ? Vec3d{0, 0, 0} : momenta.linear / mass[b], angular};
  }
};

class RigidState {
 public:
  /// Throws InputError where a body's particles lie on a line, so that it could turn without inertia.
  RigidState(const SystemState& state, const std::vector<BodyInfo>& bodies);
  RigidView view();
  int count() const { return mass_.size(); }
  bool any_joint() const { return any_joint_; }
  /// While a body (index of the scene) waits it is held; then it has its joint, and momenta as at the start.
  void set_waiting(int body, bool waits);
  /// With the frames that bodies began with: those of bodies whose principal moments are equal, as of a cube,
  /// depend on rounding, and another build or backend may have found others.
  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);
  const Array<int>& body_of() const { return body_of_; }
  const Array<Quaternion>& turn() const { return turn_; }

 private:
  Array<int> first_, body_of_;
  Array<Vec3> rest_;
  Array<double> mass_;
  Array<double> round_radius_;
  Array<Vec3d> inertia_, offset_, axis_, round_axis_, place_, momentum_, angular_momentum_;
  Array<RigidJoint> joint_;
  Array<Quaternion> turn_, first_turn_;  ///< now and as the scene puts the bodies
  bool any_joint_ = false;
  struct Start {
    int body;
    RigidJoint joint;
    Twist momenta;
  };
  std::vector<Start> start_;  ///< of every body
};

MERGANSER_END
