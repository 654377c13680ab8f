/// Walls in a solve of implicit systems (implicit_walls.h): whether rows are near some,
/// terms and their part of preconditioners and tolerances, rows that a solution takes behind one, what walls
/// gave.
#include <algorithm>

#include "device/launch.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/coupling/implicit/wall_preconditioner.h"

MERGANSER_BEGIN

bool ImplicitCoupling::may_feel_walls(const StepContext& step) const {
  return !step.walls.empty() && std::any_of(parts_.begin(), parts_.end(), [](ImplicitSystem* part) {
    return !part->wall_impulse().empty();
  });
}

void ImplicitCoupling::count_near_walls(const StepContext& step) {
  for (size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k]->wall_impulse().empty()) continue;
    const Range particles = step.particles.range(parts_[k]->system_index());
    const auto velocity = step.particles.velocity.const_view().subview(particles.first, particles.count);
    near_.count(k, WallRows::of(step, particles, velocity));
  }
}

void ImplicitCoupling::look_at_walls(const StepContext& step) {
  near_walls_ = false;
  if (!may_feel_walls(step)) return;
  if (near_.known(range_.count)) {
    near_walls_ = near_.take();
  } else {
    count_near_walls(step);
    near_walls_ = near_.read();
  }
}

void ImplicitCoupling::look_ahead(const StepContext& step) {
  if (!integrated_ || !may_feel_walls(step)) return;
  integrated_ = false;
  count_near_walls(step);
  near_.look_ahead(range_.count);
}

/// Blocks' inverses have the walls in them.
void ImplicitCoupling::find_wall_yield(const StepContext& step) {
  for (ImplicitSystem* part : parts_) {
    const PartRows rows = rows_of(step, *part);
    const int first = rows.particles.first - range_.first, count = rows.particles.count;
    const auto own = [&](auto& blocks) { return blocks.view().subview(first, count); };
    if (part->preconditions())
      launch(count, FindWallYield{.effective_mass = rows.effective_mass,
                                  .diagonal = own(diagonal_),
                                  .wall_stiffness = own(wall_stiffness_),
                                  .yield = own(wall_yield_),
                                  .held = own(wall_held_)});
    else
      launch(count, NoWallYield{own(wall_yield_), own(wall_held_)});
  }
}

bool ImplicitCoupling::catch_rows_behind_walls(const StepContext& step) {
  special_rows_.resize(1);
  special_rows_.zero();
  for (ImplicitSystem* part : parts_) {
    if (part->wall_impulse().empty()) continue;
    const PartRows rows = rows_of(step, *part);
    const int first = rows.particles.first - range_.first, count = rows.particles.count;
    row_count_.run(count, CatchRowsBehindWalls{{special_rows_.view()},
                                               WallRows::of(step, rows.particles, rows.start),
                                               rows.effective_mass,
                                               wall_stiffness_.const_view().subview(first, count),
                                               change_.const_view().subview(first, count),
                                               wall_caught_.view().subview(first, count)});
  }
  return special_rows_.to_host()[0] > 0;
}

LinearSolveResult ImplicitCoupling::solve_with_walls(const StepContext& step, int stage) {
  if (stage == 0 && !wall_caught_.empty()) wall_caught_.zero();
  LinearSolveResult result = solve(step, stage, false);
  for (int pass = 1; pass < most_wall_passes && near_walls_ && catch_rows_behind_walls(step); ++pass) {
    const int before = result.iterations;
    result = solve(step, stage, true);
    result.iterations += before;
  }
  return result;
}

void ImplicitCoupling::refer_to_impulses(const SolveRows& all, double least) {
  SolverOnDevice& solver = preconditioned_ ? static_cast<SolverOnDevice&>(preconditioned_solver_) : solver_;
  if (!near_walls_) return solver.refer_to(all, right_side_.view(), least);
  const View<Vec3> reference = balanced_change_.view();
  launch(range_.count, ScaleWallDrive{.effective_mass = rows_.effective_mass(),
                                      .stiffness = wall_stiffness_.const_view(),
                                      .drive = wall_drive_.const_view(),
                                      .excess = reference});
  launch_group_sums(rows_.own().begin.count,
                    SumGroupRows{.own = rows_.own(), .reach = {}, .rows = reference});
  launch(range_.count, SubtractProduct{right_side_.view(), reference});
  solver.refer_to(all, reference, least);
}

void ImplicitCoupling::record_wall_impulses(const StepContext& step) {
  for (ImplicitSystem* part : parts_) {
    const View<Vec3> impulse = part->wall_impulse();
    if (impulse.empty() || step.walls.empty()) continue;
    const int first = rows_of(step, *part).particles.first - range_.first;
    if (near_walls_)
      launch(impulse.count, WallImpulses{wall_stiffness_.const_view().subview(first, impulse.count),
                                         wall_drive_.const_view().subview(first, impulse.count),
                                         change_.const_view().subview(first, impulse.count), impulse});
    else
      fill_zero(impulse.data, sizeof(Vec3) * size_t(impulse.count));
    part->contact_walls(step);
  }
}

MERGANSER_END
