/// Rigid bodies with groups where no other implicit system shares the solve; the equations stand in
/// body_equations.h.
#include "device/launch.h"
#include "solvers/methods/rigid/rigid_bodies.h"

MERGANSER_BEGIN

namespace {

/// From q* to the velocities at the beginning of the step: what stands at rest stays there. Bodies without
/// ties keep q*. One index a body.
struct GuessRest {
  static constexpr const char* name = "rigid guess rest";
  RigidView bodies;
  View<const double> stiffness;  ///< [kg] of the ties
  View<const Twist> velocity;    ///< q*
  View<Twist> direction;         ///< written
  MERGANSER_METHOD void operator()(int b) const {
    direction[b] = stiffness[b] > 0 ? bodies.velocities(b, bodies.momenta(b)) - velocity[b] : Twist{};
  }
};

/// Bodies that groups no longer hold change nothing. One index a body.
struct KeepTiedChange {
  static constexpr const char* name = "rigid keep change";
  View<const double> stiffness;
  View<Twist> change;
  MERGANSER_METHOD void operator()(int b) const {
    if (!(stiffness[b] > 0)) change[b] = {};
  }
};

}  // namespace

void RigidBodies::list_ties(const StepContext& step, const PartRows& rows, View<const Vec3> end_velocity) {
  const int most = rows.groups.member.count;
  for (Array<int>* of_tie : {&tie_particle_, &tie_next_}) have_room(*of_tie, most);
  for (Array<double>* of_tie : {&tie_whole_, &tie_mass_, &tie_stiffness_}) have_room(*of_tie, most);
  for (Array<Vec3d>* of_tie : {&multiplier_, &next_multiplier_, &tie_push_}) have_room(*of_tie, most);
  before_.resize(tied_.size() + 1);
  exclusive_scan(tied_.const_view(), before_.view(), scratch_);
  launch(rows.particles.count, ListTies{.bodies = state_.view(),
                                        .rows = rows,
                                        .tied = tied_.view(),
                                        .before = before_.view(),
                                        .softness = stiffness_.view(),
                                        .impulse = impulse_.view(),
                                        .store_mass = step.particles.mass.const_view(),
                                        .end_velocity = end_velocity,
                                        .free_change = step.dt * to_double(step.gravity),
                                        .particle = tie_particle_.view(),
                                        .next = tie_next_.view(),
                                        .whole = tie_whole_.view(),
                                        .mass = tie_mass_.view(),
                                        .stiffness = tie_stiffness_.view(),
                                        .multiplier = multiplier_.view(),
                                        .pushed = tie_push_.view()});
}

TieList RigidBodies::tie_list() {
  return {.before = before_.view(),
          .particle = tie_particle_.view(),
          .next = tie_next_.view(),
          .whole = tie_whole_.view(),
          .mass = tie_mass_.view(),
          .stiffness = tie_stiffness_.view(),
          .multiplier = multiplier_.view(),
          .pushed = tie_push_.view()};
}

void RigidBodies::start_passes(const StepContext& step) {
  const int touches = step.walls.count * touches_of_wall;
  find_carried_twice(step);
  launch(state_.count(), StartPressing{{.bodies = state_.view(),
                                        .touches = touches,
                                        .touch = touch_.view(),
                                        .velocity = velocity_.view(),
                                        .pressed = pressed_by_walls_.view()},
                                       !walls_hold_});
  walls_hold_ = true;
  const OverTies over{state_.view(), tie_view(), tie_list()};
  launch_group_sums(state_.count(), BodyBlocks{over, touches, touch_.view(), ties_.view(), inner_.view()});
  if (factored()) factor_.factor(over, ties_.view());
}

LinearSolveResult RigidBodies::solve_alone(const GroupResponse& groups, int stage) {
  const int count = state_.count();
  launch_group_sums(count,
                    BodyResidual{{groups}, ties_.view(), pressed_by_walls_.view(), gradient_.residual()});
  if (factored()) {
    factor_.solve(gradient_.residual(), change_.view());
    return {.iterations = 1, .residual = 0, .tolerance_met = true};
  }
  if (stage == 0 && passes_ == 0) {
    gradient_.refer_to_residual(state_.view(), strength_);
    launch(count, GuessRest{state_.view(), stiffness_.view(), velocity_.view(), gradient_.direction()});
  } else {
    fill_zero(gradient_.direction().data, sizeof(Twist) * size_t(count));
  }
  const BodyProduct multiply{{OverTies(groups)}, {}, ties_.view(), {}, {}};
  const LinearSolveLimits limits{.tolerance = parameters_.tolerance,
                                 .max_iterations = parameters_.max_iterations,
                                 .reference = -1,
                                 .expected = expected_[stage]};
  const LinearSolveResult result = gradient_.solve(multiply, inner_.view(), change_.view(), limits);
  expected_[stage] = result.iterations;
  return result;
}

LinearSolveResult RigidBodies::solve_pass(const StepContext& step, const PartRows& rows, int stage) {
  const GroupResponse groups{{{state_.view(), tie_view(), tie_list()}},
                             rows,
                             step.dt * to_double(step.gravity),
                             velocity_.view(),
                             change_.view()};
  const LinearSolveResult result = solve_alone(groups, stage);
  launch_group_sums(
      state_.count(),
      GivenByLoneGroups{
          {groups}, next_multiplier_.view(), group_change_.view(), impulse_.view(), given_.view()});
  multiplier_.swap(next_multiplier_);
  ++passes_;
  return result;
}

bool RigidBodies::press_walls(const StepContext& step) {
  if (touch_.empty()) return true;
  pressing_.run(state_.count(), Press{{.bodies = state_.view(),
                                       .touches = step.walls.count * touches_of_wall,
                                       .touch = touch_.view(),
                                       .velocity = velocity_.view(),
                                       .pressed = pressed_by_walls_.view()},
                                      step.walls,
                                      stiffness_.view(),
                                      change_.view()});
  if (passes_ < multiplier_passes) return false;
  const Press::Value value = pressing_.read();
  return !(value.wrong > pressing_tolerance * value.all);
}

void RigidBodies::integrate_groups(const StepContext& step, const MetaParticleView& groups, int stage,
                                   View<Vec3> end_velocity) {
  strength_ = factored() ? factored_tie_strength : lone_tie_strength;
  const Range range = step.particles.range(system_index_);
  group_change_.resize(range.count);
  balanced_change_.resize(range.count);
  rows_.prepare(step, groups, range, StageRows::Unknowns::meta_particles);
  const PartRows rows{.particles = range,
                      .mass = rows_.mass(),
                      .effective_mass = rows_.effective_mass(),
                      .start = rows_.start(),
                      .groups = groups};
  find_ties(step, rows);
  if (stage == 0) {
    impulse_.zero();
    change_.zero();
  } else {
    launch(state_.count(), KeepTiedChange{stiffness_.view(), change_.view()});
  }
  list_ties(step, rows, end_velocity);
  move_without_groups(step);
  start_passes(step);
  LinearSolveResult result;
  const int most_passes = factored() ? factored_passes : gradient_passes;
  bool agrees = false;
  while (passes_ < multiplier_passes || (!agrees && passes_ < most_passes)) {
    const int before = result.iterations;
    result = solve_pass(step, rows, stage);
    result.iterations += before;
    agrees = press_walls(step);
  }
  meet_walls(step, true);
  given_by_groups_ = true;
  launch(rows.particles.count, RigidRows{.bodies = state_.view(),
                                         .rows = rows,
                                         .velocity = velocity_.view(),
                                         .u = group_change_.view(),
                                         .balanced = balanced_change_.view()});
  rows_.average(balanced_change_.view());
  rows_.write_end_velocity(step, groups, balanced_change_.view(), end_velocity);
  end_solve(stage, result);
}

MERGANSER_END
