#include "solvers/mass_spring/mass_spring.h"

#include <algorithm>

MERGANSER_BEGIN

/// y = P P^T A x.
class MassSpring::Operator : public LinearOperator {
 public:
  Operator(const MassSpring& s, const OwnMembersView& own) : system_(s), own_(own) {}
  void apply(View<const Vec3> x, View<Vec3> y) override {
    const SpringListView springs = system_.springs_.view();
    launch(x.count, ApplySprings{.first = springs.first,
                                 .neighbor = springs.neighbor,
                                 .block = system_.block_.view(),
                                 .inertia = system_.inertia_.view(),
                                 .v = x,
                                 .y = y});
    launch(own_.begin.count, SumGroupVectors{.own = own_, .rows = y});
  }

 private:
  const MassSpring& system_;
  OwnMembersView own_;
};

/// The inverse of the 3 x 3 diagonal block of every unknown.
class MassSpring::BlockJacobi : public Preconditioner {
 public:
  explicit BlockJacobi(const MassSpring& s) : system_(s) {}
  void apply(View<const Vec3> r, View<Vec3> z) override {
    launch(r.count, ApplyDiagonal{.inverse_diagonal = system_.inverse_diagonal_.view(), .r = r, .z = z});
  }

 private:
  const MassSpring& system_;
};

MassSpring::MassSpring(const SystemState& state, int system_index, const ParticleStore& particles)
    : system_index_(system_index),
      parameters_(state.mass_spring),
      springs_(state.springs, particles.range(system_index).count),
      prescribed_(state),
      balance_(state.springs, particles.range(system_index).count) {
  const int count = particles.range(system_index).count;
  block_.resize(springs_.size());
  inertia_.resize(count);
  weight_.resize(count);
  inverse_diagonal_.resize(count);
  for (Array<Vec3>* rows : {&impulse_, &right_side_, &solution_, &first_impulse_}) rows->resize(count);
}

void MassSpring::prepare(StepContext& step) {
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
  own_begin_.resize(groups.group_count);
  own_end_.resize(groups.group_count);
  launch(
      groups.group_count,
      FindOwnMembers{.groups = groups, .range = range, .begin = own_begin_.view(), .end = own_end_.view()});
  return {.begin = own_begin_.view(),
          .end = own_end_.view(),
          .member = groups.member,
          .first_particle = range.first};
}

void MassSpring::prepare_rows(const StepContext& step, const MetaParticleView& groups,
                              const OwnMembersView& own, Range range) {
  launch(range.count, PrepareRows{.particles = step.particles.const_view(),
                                  .groups = groups,
                                  .first_particle = range.first,
                                  .gravitation = step.gravitation,
                                  .dt = float(step.dt),
                                  .air_damping = float(parameters_.air_damping),
                                  .impulse = impulse_.view(),
                                  .inertia = inertia_.view(),
                                  .weight = weight_.view(),
                                  .right_side = right_side_.view(),
                                  .start = solution_.view()});
  launch(own.begin.count, SumGroupVectors{.own = own, .rows = right_side_.view()});
  launch(own.begin.count, CountGroupsOnce{.own = own, .weight = weight_.view()});
}

void MassSpring::factor_diagonal(const MetaParticleView& groups, const OwnMembersView& own, Range range) {
  const SpringListView springs = springs_.view();
  const View<const int> group_of =
      groups.group_count > 0 ? groups.group_of.subview(range.first, range.count) : View<const int>{};
  launch(range.count, DiagonalBlocks{.first = springs.first,
                                     .neighbor = springs.neighbor,
                                     .block = block_.view(),
                                     .inertia = inertia_.view(),
                                     .group_of = group_of,
                                     .diagonal = inverse_diagonal_.view()});
  launch(own.begin.count, SumGroupMatrices{.own = own, .rows = inverse_diagonal_.view()});
  launch(range.count, InvertDiagonal{.inertia = inertia_.view(), .diagonal = inverse_diagonal_.view()});
}

void MassSpring::integrate(StepContext& step, const MetaParticleView& groups, int stage,
                           View<Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  if (range.count == 0) return;
  const OwnMembersView own = find_own_members(groups, range);
  prepare_rows(step, groups, own, range);
  factor_diagonal(groups, own, range);
  if (stage == 0) {
    reference_norm_ = solver_.weighted_norm(weight_.view(), right_side_.view());
    statistics_ = {};
  } else {
    launch(range.count, ApplyFirstImpulse{.gravitation = step.gravitation,
                                          .dt = float(step.dt),
                                          .inertia = inertia_.view(),
                                          .first_impulse = first_impulse_.view(),
                                          .velocity = solution_.view()});
    launch(groups.group_count,
           AverageGroupVelocity{.own = own, .inertia = inertia_.view(), .velocity = solution_.view()});
  }
  Operator matrix(*this, own);
  BlockJacobi preconditioner(*this);
  const LinearSolveResult result =
      solver_.solve(matrix, preconditioner, weight_.view(), right_side_.view(), solution_.view(),
                    {parameters_.tolerance, parameters_.max_iterations, reference_norm_});
  statistics_.iterations[stage] = result.iterations;
  statistics_.residual = std::max(statistics_.residual, result.residual);
  statistics_.tolerance_met = statistics_.tolerance_met && result.tolerance_met;
  balance_.restore({.particles = step.particles.const_view(),
                    .groups = groups,
                    .first_particle = range.first,
                    .gravitation = step.gravitation,
                    .dt = float(step.dt),
                    .inertia = inertia_.view()},
                   solution_.view());
  launch(groups.group_count,
         AverageGroupVelocity{.own = own, .inertia = inertia_.view(), .velocity = solution_.view()});
  launch(range.count, WriteEndVelocity{.groups = groups,
                                       .velocity = step.particles.velocity.view(),
                                       .first_particle = range.first,
                                       .gravitation = step.gravitation,
                                       .dt = float(step.dt),
                                       .inertia = inertia_.view(),
                                       .solution = solution_.view(),
                                       .impulse = first_impulse_.view(),
                                       .end_velocity = end_velocity});
}

SystemStatistics MassSpring::statistics(const ParticleStore& particles) {
  const Range range = particles.range(system_index_);
  energy_.run(range.count,
              ElasticEnergy{.position = particles.position.const_view().subview(range.first, range.count),
                            .springs = springs_.view()});
  SystemStatistics result = statistics_;
  result.elastic_energy = energy_.read();
  return result;
}

std::unique_ptr<System> make_mass_spring(const SystemState& state, int system_index,
                                         const ParticleStore& particles) {
  return std::make_unique<MassSpring>(state, system_index, particles);
}

MERGANSER_END
