#include "solvers/coupling/implicit/implicit_coupling.h"

#include <algorithm>
#include <cmath>

#include "device/launch.h"
#include "solvers/coupling/implicit/implicit_matrix.h"

MERGANSER_BEGIN

ImplicitCoupling::ImplicitCoupling(std::vector<ImplicitSystem*> parts)
    : parts_(std::move(parts)), near_(parts_.size()) {
  for (ImplicitSystem* part : parts_) {
    warm_start_ = warm_start_ || part->warm_start();
    balanced_ = balanced_ || part->balance(parts_.size() == 1) || part->completes();
  }
  if (parts_.size() == 1) lone_solve_ = parts_.front()->lone_solve();
}

PartRows ImplicitCoupling::rows_of(const StepContext& step, const ImplicitSystem& part) const {
  const Range particles = step.particles.range(part.system_index());
  const int first = particles.first - range_.first;
  return {.particles = particles,
          .mass = rows_.mass().subview(first, particles.count),
          .effective_mass = rows_.effective_mass().subview(first, particles.count),
          .start = rows_.start().subview(first, particles.count),
          .groups = groups_};
}

void ImplicitCoupling::resize(int count) {
  preconditioned_ = std::any_of(parts_.begin(), parts_.end(),
                                [](const ImplicitSystem* part) { return part->preconditions(); });
  for (Array<Vec3>* vectors : {&change_, &balanced_change_}) vectors->resize(count);
  if (lone_) return;
  unknown_effective_mass_.resize(count);
  for (Array<Vec3>* vectors : {&right_side_, &residual_}) vectors->resize(count);
  for (Array<SymmetricMatrix3>* blocks : {&diagonal_, &inverse_diagonal_}) blocks->resize(count);
  if (!preconditioned_) return;
  share_.resize(count);
  shared_residual_.resize(count);
}

void ImplicitCoupling::prepare_rows(const StepContext& step, const MetaParticleView& groups) {
  rows_.prepare(step, groups, range_, StageRows::Unknowns::meta_particles,
                lone_solve_ ? parts_.front()->air_damping() : 0);
  if (lone_solve_) return;
  for (const ImplicitSystem* part : parts_)
    if (part->air_damping() > 0) {
      const Range own_range = step.particles.range(part->system_index());
      launch(own_range.count,
             AddAirDamping{float(step.dt * part->air_damping()),
                           step.particles.mass.const_view().subview(own_range.first, own_range.count),
                           rows_.effective_mass().subview(own_range.first - range_.first, own_range.count)});
    }
}

void ImplicitCoupling::look_at_rows(const StepContext& step) {
  own_rows_ = true;
  if (preconditioned_ && rows_.own().begin.count > 0) {
    special_rows_.resize(1);
    special_rows_.zero();
    row_count_.run(range_.count, CountSharedRows{{special_rows_.view()},
                                                 rows_.representative(),
                                                 step.particles.inverse_mass.const_view().subview(
                                                     range_.first, range_.count)});
    own_rows_ = special_rows_.to_host()[0] == 0;
  }
  if (!near_walls_) return;
  wall_stiffness_.resize(range_.count);
  wall_drive_.resize(range_.count);
  wall_stiffness_.zero();
  wall_drive_.zero();
  if (wall_caught_.size() != range_.count) {
    wall_caught_.resize(range_.count);
    wall_caught_.zero();
  }
  wall_yield_.resize(preconditioned_ ? range_.count : 0);
  wall_held_.resize(preconditioned_ ? range_.count : 0);
}

void ImplicitCoupling::assemble(const StepContext& step) {
  for (ImplicitSystem* part : parts_) {
    const PartRows rows = rows_of(step, *part);
    const int first = rows.particles.first - range_.first, count = rows.particles.count;
    part->right_side(step, rows, right_side_.view().subview(first, count));
    const bool walls = near_walls_ && !part->wall_impulse().empty();
    if (!part->preconditions() || rows_.own().begin.count > 0 || walls)
      part->diagonal(step.dt, diagonal_.view().subview(first, count));
    if (walls)
      launch(count, FindWallTerms{.rows = WallRows::of(step, rows.particles, rows.start),
                                  .effective_mass = rows.effective_mass,
                                  .right_side = right_side_.view().subview(first, count),
                                  .diagonal = diagonal_.view().subview(first, count),
                                  .stiffness = wall_stiffness_.view().subview(first, count),
                                  .drive = wall_drive_.view().subview(first, count),
                                  .caught = wall_caught_.const_view().subview(first, count),
                                  .solution = change_.const_view().subview(first, count)});
  }
  launch_group_sums(rows_.own().begin.count,
                    SumGroupRows{.own = rows_.own(), .reach = {}, .rows = right_side_.view()});
  invert_blocks();
  if (near_walls_ && preconditioned_) find_wall_yield(step);
}

void ImplicitCoupling::invert_blocks() {
  const InvertRowDiagonal invert{.effective_mass = rows_.effective_mass(),
                                 .stiffness = diagonal_.view(),
                                 .inverse_diagonal = inverse_diagonal_.view(),
                                 .unknown_effective_mass = unknown_effective_mass_.view()};
  launch(range_.count, invert);
  if (preconditioned_) {
    launch(range_.count, FillShares{share_.view()});
    launch_group_sums(rows_.own().begin.count, ShareGroupRows{{rows_.own()}, invert, share_.view()});
  } else {
    launch_group_sums(rows_.own().begin.count, InvertGroupRows{{rows_.own()}, invert});
  }
}

/// The product of A and the solution is known from the solve: every row is an unknown. A is that of other
/// steps but for the changes by rotations, derivatives and walls.
bool ImplicitCoupling::knows_product() const { return groups_.group_count == 0 && !lone_; }

void ImplicitCoupling::guess(const StepContext& step, const Matrix& matrix, const SolveRows& all) {
  if (history_.size() == 0) {
    change_.zero();
    residual_.assign(right_side_.const_view());
    return;
  }
  history_.directions();
  LaunchKey key = {right_side_.data(), change_.data(), residual_.data()};
  add_to_key(key, all.representative);
  history_.add_to_key(key);
  matrix.add_to_key(key);
  const bool known = knows_product() && history_.knows_products();
  if (known) history_.known_products(step.dt, rows_.effective_mass());
  merganser::MERGANSER_BACKEND::add_to_key(key, known);
  guess_.run(key, [&] {
    for (int k = 0; k < history_.size(); ++k) {
      launch(range_.count, HoldRows{rows_.effective_mass(), history_.direction(k)});
      rows_.average(history_.direction(k));
      if (known) {
        matrix.add_walls({}, history_.direction(k), history_.product(k));
        continue;
      }
      matrix.multiply({}, history_.direction(k), history_.product(k));
      matrix.complete(history_.product(k), {});
    }
    history_.combine(all, right_side_.const_view(), change_.view(), residual_.view());
    if (known) take_residual(matrix);
  });
}

void ImplicitCoupling::take_residual(const Matrix& matrix) {
  matrix.multiply({}, change_.const_view(), residual_.view());
  matrix.complete(residual_.view(), {});
  launch(range_.count, SubtractProduct{right_side_.view(), residual_.view()});
}

LinearSolveResult ImplicitCoupling::solve_preconditioned(const StepContext& step, const Matrix& matrix,
                                                         const LinearSolveLimits& limits) {
  PartPreconditioners preconditioners{*this, step, rows_.own()};
  const SolveRows all = rows_.all();
  const auto solve_on = [&](const LinearSolveLimits& within) {
    return preconditioned_solver_.solve(matrix, preconditioners, all, residual_.view(), change_.view(),
                                        within);
  };
  LinearSolveResult result = solve_on(limits);
  const double start = result.start;
  // Known products are exact to what the factor's float leaves, about 1e-3 of the residual that the recursion
  // began with: past a hundredth of that it is taken anew.
  while (matrix.knows() && result.residual < 0.01 * result.start) {
    take_residual(matrix);
    LinearSolveLimits rest = limits;
    rest.max_iterations -= result.iterations;
    rest.expected = 0;
    const int before = result.iterations;
    result = solve_on(rest);
    result.iterations += before;
  }
  result.start = start;
  for (ImplicitSystem* part : parts_) part->solve_went(true, result);
  return result;
}

LinearSolveLimits ImplicitCoupling::limits(int stage) const {
  LinearSolveLimits limits{
      .tolerance = 1, .max_iterations = 0, .reference = -1, .expected = expected_[preconditioned_][stage]};
  for (const ImplicitSystem* part : parts_) {
    limits.tolerance = std::min(limits.tolerance, part->tolerance());
    limits.max_iterations = std::max(limits.max_iterations, part->max_iterations());
  }
  return limits;
}

bool ImplicitCoupling::take_over(const StepContext& step) {
  bool any = false;
  for (ImplicitSystem* part : parts_) any = part->take_over(step) || any;
  return any;
}

LinearSolveResult ImplicitCoupling::solve_by_blocks(const StepContext& step, const Matrix& matrix,
                                                    const LinearSolveLimits& limits) {
  LinearSolveLimits tried = limits;
  for (const ImplicitSystem* part : parts_)
    tried.max_iterations = std::min(tried.max_iterations, part->most_iterations_by_blocks());
  const LinearSolveResult result = solver_.solve(matrix, BlockJacobi{inverse_diagonal_.view()}, rows_.all(),
                                                 residual_.view(), change_.view(), tried);
  for (ImplicitSystem* part : parts_) part->solve_went(false, result);
  if (result.tolerance_met || !take_over(step)) return result;
  resize(range_.count);
  look_at_rows(step);
  assemble(step);
  take_residual(matrix);
  LinearSolveLimits rest = limits;
  rest.reference = solver_.reference();
  LinearSolveResult whole = solve_preconditioned(step, matrix, rest);
  whole.iterations += result.iterations;
  return whole;
}

LinearSolveResult ImplicitCoupling::solve(const StepContext& step, int stage, bool again) {
  if (stage == 1 && !again) rows_.guess_changed_groups(step, change_.view(), {});
  look_at_rows(step);
  assemble(step);
  const Matrix matrix{*this, step, rows_.own()};
  const SolveRows all = rows_.all();
  if (stage == 0 && !again) {
    guess(step, matrix, all);
    double least_squared = 0;
    for (const ImplicitSystem* part : parts_) {
      const double least = part->least_reference(step);
      least_squared += least * least;
    }
    refer_to_impulses(all, std::sqrt(least_squared));
  } else {
    take_residual(matrix);
  }
  const LinearSolveLimits limits = this->limits(stage);
  const LinearSolveResult result =
      preconditioned_ ? solve_preconditioned(step, matrix, limits) : solve_by_blocks(step, matrix, limits);
  if (!again) expected_[preconditioned_][stage] = result.iterations;
  return result;
}

void ImplicitCoupling::restore_momentum(const StepContext& step) {
  launch(range_.count, RestoreMomentum{unknown_effective_mass_.view(), change_.view(), residual_.view(),
                                       balanced_change_.view()});
  for (ImplicitSystem* part : parts_) {
    BodyBalance* balance = part->balance(parts_.size() == 1);
    if (!balance && !part->completes()) continue;
    const PartRows rows = rows_of(step, *part);
    const int first = rows.particles.first - range_.first, count = rows.particles.count;
    const ResidualShares shares{
        .effective_mass = rows.effective_mass,
        .unknown_effective_mass = unknown_effective_mass_.const_view().subview(first, count),
        .residual = residual_.const_view().subview(first, count)};
    const View<const Vec3> u = change_.const_view().subview(first, count);
    const View<Vec3> balanced = balanced_change_.view().subview(first, count);
    if (balance)
      balance->restore(shares, u, balanced);
    else
      part->complete(step, rows, shares, u, balanced);
  }
  if (balanced_) rows_.average(balanced_change_.view());
}

bool ImplicitCoupling::solve_again() {
  bool again = false;
  for (ImplicitSystem* part : parts_)
    again = (groups_.group_count > 0 && part->completes() && part->solve_again()) || again;
  return again;
}

void ImplicitCoupling::save(StateArchive& archive, const std::string& prefix) const {
  near_.save(archive, prefix);
  if (warm_start_) history_.save(archive, prefix);
}
void ImplicitCoupling::load(const StateArchive& archive, const std::string& prefix) {
  near_.load(archive, prefix);
  if (warm_start_) history_.load(archive, prefix);
}

void ImplicitCoupling::remember(const StepContext& step, int stage, View<const Vec3> solution) {
  if (!knows_product()) return history_.remember(solution, stage == 1);
  history_.remember(solution, stage == 1,
                    {.right_side = right_side_.const_view(),
                     .residual = residual_.const_view(),
                     .change = change_.const_view(),
                     .walls = near_walls_ ? wall_stiffness_.const_view() : View<const SymmetricMatrix3>{},
                     .effective_mass = rows_.effective_mass(),
                     .dt = step.dt});
}

void ImplicitCoupling::integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                                 View<Vec3> end_velocity) {
  range_ = step.particles.range(parts_.front()->system_index());
  range_.count = step.particles.range(parts_.back()->system_index()).end() - range_.first;
  if (range_.count == 0) return;
  if (stage == 0) {
    integrated_ = true;
    look_at_walls(step);
    lone_ = near_walls_ ? nullptr : lone_solve_;
  }
  resize(range_.count);
  groups_ = groups;
  if (stage == 1) rows_.keep();
  prepare_rows(step, groups);
  const bool nonlinear = parts_.size() == 1 && parts_.front()->nonlinear();
  const LoneStage alone{step, stage, rows_, change_.view()};
  LinearSolveResult result = lone_ ? lone_->solve_alone(alone) : solve_with_walls(step, stage);
  if (!lone_) {
    if (nonlinear) {
      // The next step's first linearization is a continuation of this one, not of where Newton's method ends.
      if (warm_start_) remember(step, stage, change_.const_view());
      result = solve_nonlinear(step, result);
    }
    restore_momentum(step);
    for (int pass = 1; pass < most_passes && solve_again(); ++pass) {
      const int before = result.iterations;
      result = solve(step, stage, true);
      result.iterations += before;
      restore_momentum(step);
    }
  }
  for (ImplicitSystem* part : parts_) {
    part->solved(stage, result);
    result.iterations = 0;  // counted once
  }
  // Not in place: the second stage starts from u as its residual knows it.
  if (lone_) {
    balanced_change_.assign(change_.const_view());
    lone_->balance_alone(alone, balanced_change_.view());
    rows_.average(balanced_change_.view());
  }
  record_wall_impulses(step);
  if (warm_start_ && !nonlinear) remember(step, stage, balanced_change_.const_view());
  rows_.write_end_velocity(step, groups, balanced_change_.view(), end_velocity);
}

MERGANSER_END
