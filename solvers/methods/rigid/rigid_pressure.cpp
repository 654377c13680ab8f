/// Rigid bodies as a part of a pressure solve over several systems; the equations stand in pressed_motion.h.
#include "solvers/methods/rigid/pressed_motion.h"

#include "device/launch.h"
#include "solvers/methods/rigid/rigid_bodies.h"

MERGANSER_BEGIN

void RigidBodies::prepare_pressure() {
  const int count = state_.count();
  for (Array<Twist>* twists : {&pressure_force_, &pushed_, &pressed_, &unpressed_velocity_})
    twists->resize(count);
  response_.resize(count);
  launch(count, BodyResponse{state_.view(), response_.view()});
}

void RigidBodies::move_as_bodies(View<const float> mass, View<const int> place, View<Quad> acceleration) {
  launch_group_sums(state_.count(), MoveAsBodies{.bodies = state_.view(),
                                                 .inverse = response_.const_view(),
                                                 .mass = mass,
                                                 .place = place,
                                                 .acceleration = acceleration,
                                                 .force = pressure_force_.view()});
}

void RigidBodies::push(const StepContext& step) {
  launch(state_.count(), PushBodies{.bodies = state_.view(),
                                    .force = pressure_force_.const_view(),
                                    .dt = step.dt,
                                    .pushed = pushed_.view(),
                                    .velocity = velocity_.view()});
  const View<Vec3> velocity = own(step.particles.velocity, step.particles);
  launch(velocity.count, RigidEndVelocity{.bodies = state_.view(),
                                          .twist = velocity_.const_view(),
                                          .velocity = velocity,
                                          .end_velocity = velocity});
}

void RigidBodies::press(const StepContext& step, View<Vec3> end_velocity) {
  launch(state_.count(), GiveByPressure{.force = pressure_force_.const_view(),
                                        .dt = step.dt,
                                        .velocity = velocity_.const_view(),
                                        .given = given_.view(),
                                        .pressed = pressed_.view(),
                                        .before = unpressed_velocity_.view()});
  meet_walls(step);
  given_by_groups_ = true;  // a second stage finds out anew what bodies do without pressure
  const Range range = step.particles.range(system_index_);
  launch(range.count, PressedEndVelocity{.bodies = state_.view(),
                                         .before = unpressed_velocity_.const_view(),
                                         .velocity = velocity_.const_view(),
                                         .tied = in_groups_ ? tied_.const_view() : View<const int>{},
                                         .end_velocity = end_velocity.subview(range.first, range.count)});
}

void RigidBodies::record_pressure() {
  if (pressed_.empty()) return;
  pressed_exchange_.run(state_.count(), sum_of(PressedExchange{.bodies = state_.view(),
                                                               .pushed = pushed_.const_view(),
                                                               .pressed = pressed_.const_view(),
                                                               .velocity = velocity_.const_view()}));
}

MERGANSER_END
