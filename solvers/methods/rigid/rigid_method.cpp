#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "solvers/core/method.h"
#include "solvers/methods/rigid/body_pose.h"
#include "solvers/methods/rigid/rigid_body.h"

namespace merganser {

namespace {

void estimate(const SystemState&, double, SystemEstimate& made) {
  constexpr PieceBytes particle{220, 360};
  made.add(made.all_particles(), particle);
}

/// Other methods change velocities of particles, which follow from those of their bodies here. Every body
/// has an inertia.
void expect_start(const SystemState& system, const InitialState& initial) {
  const ContactMethod method = initial.coupling.method;
  if (method != ContactMethod::merging_and_splitting && method != ContactMethod::none)
    throw InputError(
        "coupling.method: must be \"mergingAndSplitting\" or \"none\" with the rigid bodies of system '" +
        system.name + "'");
  for (const RigidBodyState& body : system.parameters.of<RigidParameters>().bodies)
    (void)cpu::BodyPose(system, body, initial.bodies[size_t(body.body)].name);
}

/// [m/s] at most, of the body's particles: they turn about the centre with the arms of the start.
double greatest_speed(const RigidMotion& motion, const SystemState& system, const RigidBodyState& body) {
  const Point3 &v = motion.velocity, &w = motion.angular_velocity;
  double turning = 0;
  for (int i = body.first; i < body.first + body.count; ++i) {
    double arm[3];
    for (size_t axis = 0; axis < 3; ++axis)
      arm[axis] = system.position[size_t(i)][axis] - motion.centre[axis];
    turning = std::max(turning, std::hypot(w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2],
                                           w[0] * arm[1] - w[1] * arm[0]));
  }
  return std::hypot(v[0], v[1], v[2]) + turning;
}

std::vector<SpeedPhase> told_speeds(const SystemState& system, const InitialState&) {
  std::vector<SpeedPhase> phases;
  for (const RigidBodyState& body : system.parameters.of<RigidParameters>().bodies)
    for (const RigidMotion& motion : body.motions)
      phases.push_back({motion.start_time, motion.end_time, greatest_speed(motion, system, body), 0});
  return phases;
}

std::vector<int> jointed_bodies(const SystemState& system) {
  std::vector<int> bodies;
  for (const RigidBodyState& body : system.parameters.of<RigidParameters>().bodies)
    if (body.joint != RigidJoint::free) bodies.push_back(body.body);
  return bodies;
}

}  // namespace

Method rigid_method() {
  return {.word = "rigid",
          .parameters = MethodParameters(RigidParameters{}),
          .keys = {solid_keys(), {&RigidParameters::table()}},
          .bodies = RigidBody::kinds(),
          .bodies_meaning = "Rigid bodies",
          .told_speeds = told_speeds,
          .jointed_bodies = jointed_bodies,
          .estimate = estimate,
          .expect_start = expect_start,
          .refuse_period = solid_refuses_period,
          .is_implicit = [](const SystemState&) { return true; },
          .least_room = 0.9,
          .meets_walls = true};
}

}  // namespace merganser
