/// Rigid bodies as a part of the solve of implicit systems; the equations stand in rigid_contacts.h.
#include "device/launch.h"
#include "solvers/methods/rigid/rigid_bodies.h"

MERGANSER_BEGIN

namespace {

/// k_b on the diagonal of tied particles.
struct TieDiagonal {
  static constexpr const char* name = "rigid diagonal";
  RigidView bodies;
  TieView tie;
  View<SymmetricMatrix3> blocks;
  MERGANSER_METHOD void operator()(int i) const {
    blocks[i] = scaled_identity(tie.tied[i] ? static_cast<float>(tie.stiffness[bodies.body_of[i]]) : 0.0f);
  }
};

}  // namespace

TieView RigidBodies::tie_view() {
  return {strength_,    tied_.view(),  arm_.view(),   stiffness_.view(),    member_moments_.view(),
          ties_.view(), inner_.view(), drive_.view(), carried_twice_.view()};
}

void RigidBodies::hold_touches(const StepContext& step) {
  if (!walls_hold_) launch(touch_.size(), HoldTouches{step.walls, touch_.view()});
  walls_hold_ = true;
  ++passes_;
}

void RigidBodies::find_ties(const StepContext& step, const PartRows& rows) {
  in_groups_ = true;
  launch(rows.particles.count, FindTies{.bodies = state_.view(),
                                        .rows = rows,
                                        .position = step.particles.position.const_view(),
                                        .mass = step.particles.mass.const_view(),
                                        .tied = tied_.view(),
                                        .arm = arm_.view()});
  launch_group_sums(state_.count(), CountTies{{over_bodies(rows)}, own(step.particles.mass, step.particles)});
}

void RigidBodies::find_carried_twice(const StepContext& step) {
  launch(state_.count(), CarriedTwice{.bodies = state_.view(),
                                      .tie = tie_view(),
                                      .free_change = step.dt * to_double(step.gravity),
                                      .velocity = velocity_.view()});
}

void RigidBodies::right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) {
  strength_ = tie_strength;
  move_without_groups(step);
  hold_touches(step);
  find_ties(step, rows);
  const OverBodies over = over_bodies(rows);
  find_carried_twice(step);
  launch_group_sums(state_.count(), TieMatrices{{over}, step.walls, touch_.view()});
  launch_group_sums(state_.count(),
                    TieRightSide{{{over}}, rows, velocity_.view(), step.dt * to_double(step.gravity), b});
}

void RigidBodies::diagonal(double, View<SymmetricMatrix3> blocks) {
  launch(blocks.count, TieDiagonal{state_.view(), tie_view(), blocks});
}

void RigidBodies::multiply(SolveProgress, double, const PartRows& rows, View<const Vec3> u, View<Vec3> y) {
  launch_group_sums(state_.count(), TieProduct{{{over_bodies(rows)}}, u, y});
}

void RigidBodies::precondition(const PartRows& rows, View<const Vec3> r, View<Vec3> z) {
  launch_group_sums(state_.count(), TieInverse{{{over_bodies(rows)}}, r, z});
}

void RigidBodies::complete(const StepContext& step, const PartRows& rows, const ResidualShares& shares,
                           View<const Vec3> u, View<Vec3> balanced) {
  const OverBodies over = over_bodies(rows);
  launch_group_sums(state_.count(), SolvedChange{{{over}}, u, change_.view(), given_.view()});
  launch_group_sums(
      state_.count(),
      GivenByGroups{
          {{over}}, rows, shares, u, velocity_.view(), change_.view(), impulse_.view(), given_.view()});
  respond(step, rows, u, balanced);
}

void RigidBodies::respond(const StepContext& step, const PartRows& rows, View<const Vec3> u,
                          View<Vec3> balanced) {
  revised_.zero();
  if (!touch_.empty())
    launch(state_.count(), ReviseHolds{.bodies = state_.view(),
                                       .walls = step.walls,
                                       .strength = strength_,
                                       .stiffness = stiffness_.view(),
                                       .velocity = velocity_.view(),
                                       .change = change_.view(),
                                       .touch = touch_.view(),
                                       .may_hold = passes_ < passes_that_hold,
                                       .revised = revised_.view()});
  meet_walls(step);
  given_by_groups_ = true;
  launch(rows.particles.count, RigidRows{state_.view(), rows, velocity_.view(), u, balanced});
}

bool RigidBodies::solve_again() { return !touch_.empty() && read_back(revised_.const_view(), 0) != 0; }

void RigidBodies::solved(int stage, const LinearSolveResult& result) { end_solve(stage, result); }

void RigidBodies::end_solve(int stage, const LinearSolveResult& result) {
  passes_ = 0;
  if (stage == 0) statistics_ = {};
  statistics_.iterations[stage] += result.iterations;
  statistics_.residual = fmax(statistics_.residual, result.residual);
  statistics_.tolerance_met = statistics_.tolerance_met && result.tolerance_met;
}

MERGANSER_END
