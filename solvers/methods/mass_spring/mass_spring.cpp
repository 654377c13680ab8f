#include "solvers/methods/mass_spring/mass_spring.h"

#include <algorithm>

#include "device/sum_of.h"
#include "solvers/core/checked_parameters.h"
#include "solvers/methods/mass_spring/inverse_diagonal.h"
#include "solvers/methods/mass_spring/spring_exchange.h"

MERGANSER_BEGIN

MassSpring::MassSpring(const SystemState& state, int system_index, const ParticleStore& particles)
    : system_index_(system_index),
      parameters_(checked_parameters<MassSpringParameters>(state)),
      springs_(state.springs, particles.range(system_index).count),
      prescribed_(state),
      balance_(springs_.balance()),
      contact_walls_(particles.range(system_index).count),
      alone_({this}) {
  block_.resize(springs_.size());
  impulse_.resize(particles.range(system_index).count);
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

SpringRows MassSpring::matrix(const StageRows& rows) {
  const SpringListView springs = springs_.view();
  return {.first = springs.first,
          .neighbor = springs.neighbor,
          .block = block_.view(),
          .effective_mass = rows.effective_mass(),
          .own = rows.own(),
          .distance = distance_.view()};
}

void MassSpring::assemble(const LoneStage& stage, const ActiveRows& reach) {
  const SpringListView springs = springs_.view();
  StageRows& rows = stage.rows;
  const Range range = rows.range();
  const auto own_mass = stage.step.particles.mass.const_view().subview(range.first, range.count);
  launch(range.count, RightSide{.reach = reach,
                                .first = springs.first,
                                .neighbor = springs.neighbor,
                                .block = block_.view(),
                                .impulse = impulse_.view(),
                                .effective_mass = rows.effective_mass(),
                                .mass = rows.mass(),
                                .own_mass = own_mass,
                                .start = rows.start(),
                                .gravity = stage.step.gravity,
                                .dt = float(stage.step.dt),
                                .air_damping = float(parameters_.air_damping),
                                .right_side = right_side_.view()});
  launch_group_sums(rows.own().begin.count,
                    SumGroupRows{.own = rows.own(), .reach = reach, .rows = right_side_.view()});
  launch(range.count, InvertDiagonal{.reach = reach,
                                     .first = springs.first,
                                     .block = block_.view(),
                                     .effective_mass = rows.effective_mass(),
                                     .inverse_diagonal = inverse_diagonal_.view()});
  launch_group_sums(rows.own().begin.count,
                    InvertGroupDiagonal{.own = rows.own(),
                                        .reach = reach,
                                        .first = springs.first,
                                        .neighbor = springs.neighbor,
                                        .representative = rows.representative(),
                                        .block = block_.view(),
                                        .effective_mass = rows.effective_mass(),
                                        .inverse_diagonal = inverse_diagonal_.view()});
}

LinearSolveResult MassSpring::solve_alone(const LoneStage& stage) {
  const int count = stage.u.count;
  for (Array<Vec3>* vectors : {&right_side_, &residual_, &near_residual_}) vectors->resize(count);
  inverse_diagonal_.resize(count);
  distance_.resize(count);
  return stage.stage == 0 ? solve_first(stage) : solve_second(stage);
}

LinearSolveResult MassSpring::solve_first(const LoneStage& stage) {
  assemble(stage, {});
  fill_zero(stage.u.data, sizeof(Vec3) * size_t(stage.u.count));
  residual_.assign(right_side_.const_view());
  solver_.refer_to(stage.rows.all(), right_side_.view());
  const LinearSolveResult result = solver_.solve(matrix(stage.rows), BlockJacobi{inverse_diagonal_.view()},
                                                 stage.rows.all(), residual_.view(), stage.u, limits(0));
  reference_norm_ = solver_.reference();
  return result;
}

void MassSpring::balance_alone(const LoneStage& stage, View<Vec3> balanced) {
  balance_.restore(MissingSpringMomentum{.gravity = stage.step.gravity,
                                         .dt = float(stage.step.dt),
                                         .mass = stage.rows.mass(),
                                         .effective_mass = stage.rows.effective_mass(),
                                         .start = stage.rows.start(),
                                         .u = balanced},
                   balanced, balanced);
}

LinearSolveLimits MassSpring::limits(int stage) const {
  return {.tolerance = parameters_.tolerance,
          .max_iterations = parameters_.max_iterations,
          .reference = -1,
          .expected = expected_[stage]};
}

SpringExchange MassSpring::exchange_of(const StepContext& step, const MetaParticleView& groups,
                                       View<const Vec3> end_velocity) const {
  const Range range = step.particles.range(system_index_);
  auto own = [range](const auto& all) { return all.subview(range.first, range.count); };
  return {.discarded = discarded_work(step, groups, end_velocity),
          .first_particle = range.first,
          .position = own(step.particles.position.const_view()),
          .end_velocity = own(end_velocity),
          .mass = own(step.particles.mass.const_view()),
          .springs = springs_.view(),
          .contact_walls = contact_walls_.entries(step, range),
          .dt = float(step.dt),
          .spring_damping = float(parameters_.spring_damping),
          .air_damping = float(parameters_.air_damping)};
}

void MassSpring::record_exchange(const StepContext& step, const MetaParticleView& groups,
                                 View<const Vec3> end_velocity) {
  const Range own = step.particles.range(system_index_);
  exchange_.run(own.count, sum_of(exchange_of(step, groups, end_velocity)));
}

void MassSpring::write_held_impulses(const StepContext& step, const MetaParticleView& groups,
                                     View<const Vec3> end_velocity, View<Vec3> impulse) {
  write_held(exchange_of(step, groups, end_velocity), impulse);
}

void MassSpring::begin_pressure(const StepContext& step, const MetaParticleView& groups,
                                View<const Vec3> added, double tolerance) {
  const Range own = step.particles.range(system_index_);
  pressed_.begin(springs_.view(), block_.const_view(), groups, own.first,
                 step.particles.mass.const_view().subview(own.first, own.count),
                 step.particles.inverse_mass.const_view().subview(own.first, own.count),
                 static_cast<float>(1 + step.dt * parameters_.air_damping), added,
                 {.tolerance = tolerance, .max_iterations = parameters_.max_iterations, .reference = -1});
}

void MassSpring::sum_energy(const ParticleStore& particles, Reduction<double>& sum) const {
  const Range range = particles.range(system_index_);
  sum.run(range.count,
          sum_of(ElasticEnergy{.position = particles.position.const_view().subview(range.first, range.count),
                               .springs = springs_.view()}));
}

SystemStatistics MassSpring::measured() const {
  SystemStatistics result = statistics_;
  result.elastic_energy = energy_.fetched();
  result.exchange = exchange_.fetched();
  return result;
}

std::unique_ptr<System> make_mass_spring(const SystemState& state, const InitialState& initial,
                                         int system_index, const ParticleStore& particles) {
  auto made = std::make_unique<MassSpring>(state, system_index, particles);
  made->measure_wall_loads(initial.walls);
  return made;
}

MERGANSER_END
