#include <ranges>

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

std::vector<SpeedPhase> told_speeds(const SystemState& system, const InitialState&) {
  std::vector<SpeedPhase> phases;
  for (const RigidBodyState& body : system.parameters.of<RigidParameters>().bodies)
    for (const RigidMotion& motion : body.motions)
      phases.push_back(phase_of(motion, system, std::views::iota(body.first, body.first + body.count)));
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
