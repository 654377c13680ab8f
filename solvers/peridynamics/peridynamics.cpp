#include "solvers/peridynamics/peridynamics.h"

#include <algorithm>
#include <cmath>

#include "solvers/peridynamics/explicit_velocity.h"

MERGANSER_BEGIN

Peridynamics::Peridynamics(const SystemState& state, int system_index, const ParticleStore& particles,
                           std::uint32_t seed)
    : system_index_(system_index),
      parameters_(state.peridynamics),
      bonds_(state, bond_materials(state), particles, particles.range(system_index), seed),
      prescribed_(state),
      loads_(state) {
  const int count = particles.range(system_index).count;
  for (Rows* rows : {&rows_, &rows_before_}) {
    rows->representative.resize(count);
    rows->mass.resize(count);
    rows->start.resize(count);
  }
  for (Array<float>* scalars : {&inertia_, &unknown_inertia_}) scalars->resize(count);
  for (Array<Vec3>* vectors : {&impulse_, &change_, &balanced_change_}) vectors->resize(count);
  if (!implicit()) return;
  for (Array<Vec3>* vectors : {&right_side_, &residual_}) vectors->resize(count);
  stiffness_diagonal_.resize(count);
  inverse_diagonal_.resize(count);
}

void Peridynamics::prepare(StepContext& step) {
  const Range range = step.particles.range(system_index_);
  const float dt = float(step.dt);
  prescribed_.set_velocities(step.particles, range.first, step.time, step.dt);
  bonds_.set_positions(step.particles.position.const_view().subview(range.first, range.count));
  bonds_.sum(BondForce{dt, impulse_.view()});
  loads_.add(step.particles.mass.const_view().subview(range.first, range.count), step.time, step.dt,
             impulse_.view());
  if (implicit()) {
    bonds_.sum(StiffnessDiagonal{stiffness_diagonal_.view()});
  } else if (parameters_.damping > 0) {
    const auto velocity = step.particles.velocity.const_view().subview(range.first, range.count);
    bonds_.set_vector(velocity);
    bonds_.sum(BondProduct{{}, float(step.dt * parameters_.damping), {}, velocity, change_.view()});
    launch(range.count, SubtractBraking{change_.view(), impulse_.view()});
  }
}

OwnMembersView Peridynamics::find_own_members(const MetaParticleView& groups, Range range) {
  own_begin_.resize(groups.group_count);
  own_end_.resize(groups.group_count);
  launch(groups.group_count, FindOwnMembers{groups, range, own_begin_.view(), own_end_.view()});
  return {.begin = own_begin_.view(),
          .end = own_end_.view(),
          .member = groups.member,
          .first_particle = range.first};
}

void Peridynamics::prepare_rows(const Stage& stage) {
  launch(stage.range.count, PrepareRows{.particles = stage.step.particles.const_view(),
                                        .groups = stage.groups,
                                        .first_particle = stage.range.first,
                                        .dt = float(stage.step.dt),
                                        .air_damping = 0,
                                        .implicit = implicit(),
                                        .representative = rows_.representative.view(),
                                        .mass = rows_.mass.view(),
                                        .inertia = inertia_.view(),
                                        .start = rows_.start.view()});
  launch(stage.own.begin.count, NameRepresentatives{stage.own, rows_.representative.view()});
}

PeridynamicMatrix Peridynamics::matrix(const Stage& stage) {
  return {bonds_, factor(stage.step.dt), inertia_.view(), stage.own};
}

void Peridynamics::assemble(const Stage& stage) {
  const int count = stage.range.count;
  const View<Vec3> braking = balanced_change_.view();
  bonds_.set_vector(rows_.start.const_view());
  bonds_.sum(BondProduct{{}, factor(stage.step.dt), {}, rows_.start.const_view(), braking});
  launch(count, PeridynamicRightSide{.impulse = impulse_.view(),
                                     .braking = braking,
                                     .inertia = inertia_.view(),
                                     .gravitation = stage.step.gravitation,
                                     .dt = float(stage.step.dt),
                                     .right_side = right_side_.view()});
  launch(stage.own.begin.count, SumGroupRows{.own = stage.own, .reach = {}, .rows = right_side_.view()});
  const InvertRowDiagonal invert{.inertia = inertia_.view(),
                                 .stiffness = stiffness_diagonal_.view(),
                                 .factor = factor(stage.step.dt),
                                 .inverse_diagonal = inverse_diagonal_.view(),
                                 .unknown_inertia = unknown_inertia_.view()};
  launch(count, invert);
  launch(stage.own.begin.count, InvertGroupRows{stage.own, invert});
}

LinearSolveResult Peridynamics::solve(const Stage& stage, int stage_index) {
  const int count = stage.range.count;
  const PeridynamicMatrix a = matrix(stage);
  const SolveRows all{.representative = rows_.representative.view(), .count = count, .reach = {}};
  if (stage_index == 0) {
    change_.zero();
    residual_.assign(right_side_.const_view());
    reference_norm_ = solver_.norm(all, right_side_.view());
  } else {
    a.multiply({}, change_.const_view(), residual_.view());
    a.complete(residual_.view(), {});
    launch(count, SubtractProduct{right_side_.view(), residual_.view()});
  }
  return solver_.solve(a, PeridynamicPreconditioner{inverse_diagonal_.view()}, all, residual_.view(),
                       change_.view(), {parameters_.tolerance, parameters_.max_iterations, reference_norm_});
}

void Peridynamics::integrate_implicit(const Stage& stage, int stage_index, View<Vec3> end_velocity) {
  if (stage_index == 1) std::swap(rows_, rows_before_);
  prepare_rows(stage);
  if (stage_index == 1)
    launch(stage.own.begin.count, GuessChangedGroups{.own = stage.own,
                                                     .before = rows_before_.view(),
                                                     .now = rows_.view(),
                                                     .gravitation = stage.step.gravitation,
                                                     .dt = float(stage.step.dt),
                                                     .change = change_.view(),
                                                     .distance = {}});
  assemble(stage);
  const LinearSolveResult result = solve(stage, stage_index);
  statistics_.iterations[stage_index] = result.iterations;
  statistics_.residual = std::max(statistics_.residual, result.residual);
  statistics_.tolerance_met = statistics_.tolerance_met && result.tolerance_met;
  // Not in place: the second stage starts from u as its residual knows it.
  launch(stage.range.count,
         RestoreMomentum{unknown_inertia_.view(), change_.view(), residual_.view(), balanced_change_.view()});
  launch(stage.range.count, WriteEndVelocity{.groups = stage.groups,
                                             .first_particle = stage.range.first,
                                             .gravitation = stage.step.gravitation,
                                             .dt = float(stage.step.dt),
                                             .representative = rows_.representative.view(),
                                             .start = rows_.start.view(),
                                             .change = balanced_change_.view(),
                                             .end_velocity = end_velocity});
}

void Peridynamics::integrate_explicit(const Stage& stage, View<Vec3> end_velocity) {
  prepare_rows(stage);
  launch(stage.range.count, ExplicitChange{.inertia = inertia_.view(),
                                           .impulse = impulse_.view(),
                                           .gravitation = stage.step.gravitation,
                                           .dt = float(stage.step.dt),
                                           .change = change_.view()});
  launch(stage.own.begin.count, AverageGroupRows{stage.own, inertia_.view(), change_.view()});
  launch(stage.range.count, AddChange{stage.range.first, rows_.start.view(), change_.view(), end_velocity});
}

void Peridynamics::integrate(StepContext& step, const MetaParticleView& groups, int stage_index,
                             View<Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  if (range.count == 0) return;
  const Stage stage{step, groups, range, find_own_members(groups, range)};
  if (stage_index == 0) statistics_ = {};
  if (implicit())
    integrate_implicit(stage, stage_index, end_velocity);
  else
    integrate_explicit(stage, end_velocity);
}

void Peridynamics::finish(StepContext& step) {
  if (!bonds_.breakable()) return;
  const Range range = step.particles.range(system_index_);
  bonds_.set_positions(step.particles.position.const_view().subview(range.first, range.count));
  bonds_.fracture(step.particles.id.const_view().subview(range.first, range.count));
}

/// Implicit: any step is stable. Explicit: cfl 2/w (sqrt(1 + z^2) - z) with the greatest frequency w <=
/// 2/(stable step) and z = damping w / 2, the limit of v += dt (f(x) - C v)/m, x += dt v.
double Peridynamics::largest_time_step(const ParticleStore&) {
  if (implicit()) return 1e30;
  const double step = bonds_.stable_time_step(), z = parameters_.damping / step;
  return parameters_.cfl * step * (std::sqrt(1 + z * z) - z);
}

SystemStatistics Peridynamics::statistics(const ParticleStore& particles) {
  const Range range = particles.range(system_index_);
  SystemStatistics result = statistics_;
  if (range.count == 0) return result;
  bonds_.set_positions(particles.position.const_view().subview(range.first, range.count));
  result.elastic_energy = bonds_.energy();
  result.broken_bonds = bonds_.broken_since_start();
  return result;
}

std::vector<std::pair<std::string, std::vector<float>>> Peridynamics::frame_fields() const {
  return {{"damage", bonds_.damage()}, {"fragment", bonds_.fragments()}};
}

std::unique_ptr<System> make_peridynamics(const SystemState& state, int system_index,
                                          const ParticleStore& particles, std::uint32_t seed) {
  return std::make_unique<Peridynamics>(state, system_index, particles, seed);
}

MERGANSER_END
