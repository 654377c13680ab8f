#pragma once
/// Parameters of rigid bodies.
#include <vector>

#include "solvers/base/parameter_table.h"
#include "solvers/core/initial_state.h"

namespace merganser {

/// How a body may move.
enum class RigidJoint : int {
  free,
  ball,    ///< one point stays where it is
  hinge,   ///< turns about a fixed axis
  slider,  ///< moves along a fixed direction and does not turn
  held     ///< moves as it is told
};

/// A motion of a whole body between two times; it is at rest outside.
struct RigidMotion {
  static const ParameterTable& table();
  Point3 velocity{0, 0, 0}, angular_velocity{0, 0, 0}, centre{0, 0, 0};  ///< [m/s], [rad/s], [m]
  double start_time = 0, end_time = 1e30;                                ///< [s]
  bool operator==(const RigidMotion&) const = default;
};

/// One body of a system. Its momenta at the start are those of its particles.
struct RigidBodyState {
  int body = 0;   ///< index into InitialState::bodies
  int first = 0;  ///< its first particle, local index of the system; they follow each other
  int count = 0;  ///< of its particles
  RigidJoint joint = RigidJoint::free;
  Point3 axis{0, 0, 1};              ///< of hinge and slider
  Point3 point{0, 0, 0};             ///< [m] of ball and hinge
  std::vector<RigidMotion> motions;  ///< of a held body
  double round_radius = 0;           ///< [m] of a ball or cylinder; 0: neither
  Point3 round_axis{0, 0, 0};        ///< of a cylinder where the scene puts it, length 1; 0: a ball
};

struct RigidParameters {
  static const ParameterTable& table();
  double tolerance = 1e-4;    ///< of the solve with groups
  int max_iterations = 200;   ///< likewise
  int wall_iterations = 100;  ///< at most, over the contacts of a body with walls
  std::vector<RigidBodyState> bodies;
};

}  // namespace merganser
