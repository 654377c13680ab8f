#include "solvers/methods/mass_spring/mass_spring.h"

#include <algorithm>

#include "solvers/core/checked_parameters.h"
#include "solvers/methods/mass_spring/inverse_diagonal.h"
#include "solvers/methods/mass_spring/spring_exchange.h"

MERGANSER_BEGIN

MassSpring::MassSpring(const SystemState& state, int system_index, const ParticleStore& particles)
    : system_index_(system_index),
      parameters_(checked_parameters<MassSpringParameters>(state)),
      springs_(state.springs, particles.range(system_index).count),
      prescribed_(state),
      balance_(state.springs, particles.range(system_index).count) {
  const int count = particles.range(system_index).count;
  block_.resize(springs_.size());
  inverse_diagonal_.resize(count);
  for (Rows* rows : {&rows_, &rows_before_}) {
    rows->representative.resize(count);
    rows->mass.resize(count);
    rows->start.resize(count);
  }
  effective_mass_.resize(count);
  distance_.resize(count);
  for (Array<Vec3>* vectors : {&impulse_, &right_side_, &residual_, &near_residual_, &change_})
    vectors->resize(count);
}

void MassSpring::prepare(const StepContext& step) {
  const Range range = step.particles.range(system_index_);
  prescribed_.set_velocities(step.particles, range.first, step.time, step.dt);
  launch(range.count,
         LinearizeSprings{.position = step.particles.position.const_view().subview(range.first, range.count),
                          .springs = springs_.view(),
                          .dt = float(step.dt),
                          .spring_damping = float(parameters_.spring_damping),
                          .block = block_.view(),
                          .impulse = impulse_.view()});
}

OwnMembersView MassSpring::find_own_members(const MetaParticleView& groups, Range range) {
  const int count = groups_to_launch(groups.group_count);
  own_begin_.resize(count);
  own_end_.resize(count);
  launch(count, FindOwnMembers{
                    .groups = groups, .range = range, .begin = own_begin_.view(), .end = own_end_.view()});
  return {.begin = own_begin_.view(),
          .end = own_end_.view(),
          .member = groups.member.data,
          .first_particle = range.first};
}

void MassSpring::prepare_rows(const Stage& stage) {
  launch(stage.range.count, PrepareRows{.particles = stage.step.particles.const_view(),
                                        .groups = stage.groups,
                                        .first_particle = stage.range.first,
                                        .dt = float(stage.step.dt),
                                        .air_damping = float(parameters_.air_damping),
                                        .representative = rows_.representative.view(),
                                        .mass = rows_.mass.view(),
                                        .effective_mass = effective_mass_.view(),
                                        .start = rows_.start.view()});
  launch_group_sums(stage.own.begin.count, NameRepresentatives{{stage.own}, rows_.representative.view()});
}

SpringRows MassSpring::matrix(const Stage& stage) {
  const SpringListView springs = springs_.view();
  return {.first = springs.first,
          .neighbor = springs.neighbor,
          .block = block_.view(),
          .effective_mass = effective_mass_.view(),
          .own = stage.own,
          .distance = distance_.view()};
}

void MassSpring::assemble(const Stage& stage, const ActiveRows& reach) {
  const SpringListView springs = springs_.view();
  const auto own_mass = stage.step.particles.mass.const_view().subview(stage.range.first, stage.range.count);
  launch(stage.range.count, RightSide{.reach = reach,
                                      .first = springs.first,
                                      .neighbor = springs.neighbor,
                                      .block = block_.view(),
                                      .impulse = impulse_.view(),
                                      .effective_mass = effective_mass_.view(),
                                      .mass = rows_.mass.view(),
                                      .own_mass = own_mass,
                                      .start = rows_.start.view(),
                                      .gravity = stage.step.gravity,
                                      .dt = float(stage.step.dt),
                                      .air_damping = float(parameters_.air_damping),
                                      .right_side = right_side_.view()});
  launch_group_sums(stage.own.begin.count,
                    SumGroupRows{.own = stage.own, .reach = reach, .rows = right_side_.view()});
  launch(stage.range.count, InvertDiagonal{.reach = reach,
                                           .first = springs.first,
                                           .block = block_.view(),
                                           .effective_mass = effective_mass_.view(),
                                           .inverse_diagonal = inverse_diagonal_.view()});
  launch_group_sums(stage.own.begin.count, InvertGroupDiagonal{.own = stage.own,
                                                               .reach = reach,
                                                               .first = springs.first,
                                                               .neighbor = springs.neighbor,
                                                               .representative = rows_.representative.view(),
                                                               .block = block_.view(),
                                                               .effective_mass = effective_mass_.view(),
                                                               .inverse_diagonal = inverse_diagonal_.view()});
}

void MassSpring::integrate(const StepContext& step, const MetaParticleView& groups, int stage_index,
                           View<Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  if (range.count == 0) return;
  const Stage stage{step, groups, range, find_own_members(groups, range)};
  solved(stage_index, stage_index == 0 ? solve_first(stage) : solve_second(stage));
  // Not in place: the second stage starts from u as its residual knows it.
  balanced_change_.assign(change_.const_view());
  balance_.restore({.gravity = step.gravity,
                    .dt = float(step.dt),
                    .mass = rows_.mass.view(),
                    .effective_mass = effective_mass_.view(),
                    .start = rows_.start.view()},
                   balanced_change_.view());
  launch_group_sums(stage.own.begin.count,
                    AverageGroupRows{stage.own, effective_mass_.view(), balanced_change_.view()});
  launch(range.count, WriteEndVelocity{.groups = groups,
                                       .first_particle = range.first,
                                       .gravity = step.gravity,
                                       .dt = float(step.dt),
                                       .representative = rows_.representative.view(),
                                       .start = rows_.start.view(),
                                       .change = balanced_change_.view(),
                                       .end_velocity = end_velocity});
}

LinearSolveResult MassSpring::solve_first(const Stage& stage) {
  prepare_rows(stage);
  assemble(stage, {});
  change_.zero();
  residual_.assign(right_side_.const_view());
  const SolveRows all{.representative = rows_.representative.view(), .count = stage.range.count, .reach = {}};
  solver_.refer_to(all, right_side_.view());
  const LinearSolveResult result = solver_.solve(matrix(stage), BlockJacobi{inverse_diagonal_.view()}, all,
                                                 residual_.view(), change_.view(), limits(0));
  reference_norm_ = solver_.reference();
  return result;
}

LinearSolveLimits MassSpring::limits(int stage) const {
  return {.tolerance = parameters_.tolerance,
          .max_iterations = parameters_.max_iterations,
          .reference = -1,
          .expected = expected_[stage]};
}

void MassSpring::record_exchange(const StepContext& step, const MetaParticleView& groups,
                                 View<const Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  auto own = [range](const auto& all) { return all.subview(range.first, range.count); };
  exchange_.run(range.count, sum_of(SpringExchange{.undone = undone_work(step, groups, end_velocity),
                                                   .first_particle = range.first,
                                                   .position = own(step.particles.position.const_view()),
                                                   .end_velocity = own(end_velocity),
                                                   .mass = own(step.particles.mass.const_view()),
                                                   .springs = springs_.view(),
                                                   .dt = float(step.dt),
                                                   .spring_damping = float(parameters_.spring_damping),
                                                   .air_damping = float(parameters_.air_damping)}));
}

void MassSpring::sum_energy(const ParticleStore& particles, Reduction<double>& sum) const {
  const Range range = particles.range(system_index_);
  sum.run(range.count,
          ElasticEnergy{.position = particles.position.const_view().subview(range.first, range.count),
                        .springs = springs_.view()});
}

SystemStatistics MassSpring::measured() const {
  SystemStatistics result = statistics_;
  result.elastic_energy = energy_.fetched();
  result.exchange = exchange_.fetched();
  return result;
}

std::unique_ptr<System> make_mass_spring(const SystemState& state, const InitialState&, int system_index,
                                         const ParticleStore& particles) {
  return std::make_unique<MassSpring>(state, system_index, particles);
}

MERGANSER_END
