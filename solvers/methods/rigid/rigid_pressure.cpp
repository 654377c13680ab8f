/// Rigid bodies as a part of a pressure solve over several systems; the equations stand in pressed_motion.h.
#include "solvers/methods/rigid/pressed_motion.h"

#include "device/launch.h"
#include "solvers/methods/rigid/rigid_bodies.h"

MERGANSER_BEGIN

void RigidBodies::prepare_pressure(const StepContext& step, const MetaParticleView& groups) {
  const int count = state_.count();
  for (Array<Twist>* twists : {&pressure_force_, &pressed_, &pressed_change_}) twists->resize(count);
  response_.resize(count);
  carried_.resize(count);
  launch_group_sums(count, BodyResponse{.bodies = state_.view(),
                                        .tied = ties_now(groups),
                                        .arm = arm_.const_view(),
                                        .mass = own(step.particles.mass, step.particles),
                                        .groups = groups,
                                        .first_particle = step.particles.range(system_index_).first,
                                        .carried = carried_.view(),
                                        .inverse = response_.view(),
                                        .pressed = pressed_.view()});
}

/// Which particles are in groups; empty where there are none.
View<const int> RigidBodies::ties_now(const MetaParticleView& groups) const {
  return in_groups_ && groups.group_count > 0 ? tied_.const_view() : View<const int>{};
}

void RigidBodies::move_as_bodies(View<const int> active, View<const float> mass, View<const int> place,
                                 View<Quad> acceleration) {
  launch_group_sums(state_.count(), MoveAsBodies{.bodies = state_.view(),
                                                 .active = active,
                                                 .inverse = response_.const_view(),
                                                 .mass = mass,
                                                 .place = place,
                                                 .acceleration = acceleration,
                                                 .force = pressure_force_.view()});
}

/// Bodies' other arrays are made once.
void RigidBodies::add_pressure_key(LaunchKey& key) const {
  key.insert(key.end(), {response_.data(), pressure_force_.data()});
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

void RigidBodies::press(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity) {
  launch(state_.count(), GiveByPressure{.force = pressure_force_.const_view(),
                                        .inverse = response_.const_view(),
                                        .carried = carried_.const_view(),
                                        .dt = step.dt,
                                        .pressed = pressed_.view(),
                                        .change = pressed_change_.view(),
                                        .given = given_.view()});
  meet_walls(step);
  is_pressed_ = true;
  given_by_groups_ = true;  // a second stage finds out anew what bodies do without pressure
  const Range range = step.particles.range(system_index_);
  const View<const int> tied = ties_now(groups);
  launch(range.count, PressedEndVelocity{.bodies = state_.view(),
                                         .velocity = velocity_.const_view(),
                                         .tied = tied,
                                         .end_velocity = end_velocity.subview(range.first, range.count)});
  if (tied.empty()) return;
  launch_group_sums(groups.group_count, CarryGroups{.bodies = state_.view(),
                                                    .tied = tied,
                                                    .arm = arm_.const_view(),
                                                    .change = pressed_change_.const_view(),
                                                    .groups = groups,
                                                    .own = range,
                                                    .end_velocity = end_velocity});
}

void RigidBodies::record_pressure() {
  if (pressed_.empty()) return;
  if (!is_pressed_) pressed_.zero();
  pressed_exchange_.run(state_.count(), sum_of(PressedExchange{.bodies = state_.view(),
                                                               .pushed = pushed_.const_view(),
                                                               .pressed = pressed_.const_view(),
                                                               .velocity = velocity_.const_view()}));
}

MERGANSER_END
