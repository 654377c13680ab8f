/// The split step ([ES] alg. 1, lines 3 to 12): stretching and zero-energy control by the factored matrix,
/// then volume by conjugate gradients with rotations of its own, both over the elastic step.
#include "solvers/coupling/implicit/implicit_kernels.h"
#include "solvers/methods/elastic_sph/elastic_diagonal.h"
#include "solvers/methods/elastic_sph/elastic_kernels.h"
#include "solvers/methods/elastic_sph/elastic_sph.h"

MERGANSER_BEGIN

/// (M + dt_el^2 K^V) u, the left side of [ES] eq. 30.
struct ElasticSph::VolumeMatrix {
  ElasticSph& solid;
  void multiply(SolveProgress progress, View<const Vec3> u, View<Vec3> product) const {
    const double dt = solid.parameters_.elastic_time_step;
    solid.find_product({.stretching = 0}, false, progress, solid.effective_mass_.view(), u, float(-dt * dt),
                       product);
  }
  void add_to_key(LaunchKey&) const {}  // all of it stays as it is
};

void ElasticSph::solve_stretching(const StepContext& step) {
  const double dt = parameters_.elastic_time_step;
  const int count = start_.size();
  set_positions(step.particles, start_.view(), dt);
  find_forces({.dilation = 0}, shape_.controlled(), {quaternion_.view(), quaternion_.view()}, dt,
              right_side_.view());
  launch(count, AddGravityImpulse{.effective_mass = effective_mass_.view(),
                                  .impulse = impulse_.view(),
                                  .gravity = step.gravity,
                                  .dt = float(dt),
                                  .impulse_share = float(dt / step.dt),
                                  .right_side = right_side_.view()});
  factored_->solve(right_side_.view(), effective_mass_.view(), middle_.view());
  launch(count,
         MissingMomentum{effective_mass_.view(), right_side_.view(), middle_.view(), residual_.view()});
  balance_->restore({effective_mass_.view(), effective_mass_.view(), middle_.view(), residual_.view()},
                    change_.view());
}

LinearSolveResult ElasticSph::solve_volume(const ParticleStore& particles, View<const Vec3> start) {
  const double dt = parameters_.elastic_time_step;
  const int count = start.count;
  set_positions(particles, start, dt);
  find_forces({.stretching = 0}, false, {quaternion_.view(), quaternion_.view()}, dt, right_side_.view());
  launch(lane_items(count), StiffnessBlocks{.shape = shape_.view(),
                                            .rotated = std::as_const(rotated_).view(),
                                            .constant = {},
                                            .factor = float(dt * dt),
                                            .block = block_.view()});
  launch(count, InvertRowDiagonal{.effective_mass = effective_mass_.view(),
                                  .stiffness = block_.view(),
                                  .inverse_diagonal = block_.view(),
                                  .unknown_effective_mass = mass_.view()});
  launch(count, HoldRows{effective_mass_.view(), right_side_.view()});
  launch(count, HoldRows{effective_mass_.view(), volume_change_.view()});
  const SolveRows all{.representative = representative_.view(), .count = count, .reach = {}};
  const VolumeMatrix matrix{*this};
  matrix.multiply({}, volume_change_.view(), residual_.view());
  launch(count, SubtractProduct{right_side_.view(), residual_.view()});
  volume_solver_.refer_to(all, right_side_.view());
  const LinearSolveResult result =
      volume_solver_.solve(matrix, BlockJacobi{block_.view()}, all, residual_.view(), volume_change_.view(),
                           {.tolerance = parameters_.tolerance,
                            .max_iterations = parameters_.max_iterations,
                            .reference = -1,
                            .expected = expected_});
  expected_ = result.iterations;
  launch(count, MissingMomentum{effective_mass_.view(), right_side_.view(), volume_change_.view(),
                                residual_.view()});
  middle_.assign(volume_change_.const_view());
  balance_->restore({effective_mass_.view(), effective_mass_.view(), middle_.view(), residual_.view()},
                    volume_change_.view());
  return result;
}

void ElasticSph::integrate_split(const StepContext& step, const MetaParticleView& groups, int stage,
                                 View<Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  own_begin_.resize(groups.group_count);
  own_end_.resize(groups.group_count);
  launch(groups.group_count, FindOwnMembers{groups, range, own_begin_.view(), own_end_.view()});
  const OwnMembersView own{.begin = own_begin_.view(),
                           .end = own_end_.view(),
                           .member = groups.member.data,
                           .first_particle = range.first};
  launch(range.count, PrepareRows{.particles = step.particles.const_view(),
                                  .groups = groups,
                                  .first_particle = range.first,
                                  .dt = float(step.dt),
                                  .air_damping = 0,
                                  .implicit = false,
                                  .representative = representative_.view(),
                                  .mass = mass_.view(),
                                  .effective_mass = effective_mass_.view(),
                                  .start = start_.view()});
  solve_stretching(step);
  launch(range.count, AddVectors{start_.view(), change_.view(), middle_.view()});
  solved(stage, solve_volume(step.particles, middle_.view()));
  launch(range.count, SplitChange{.share = float(step.dt / parameters_.elastic_time_step),
                                  .effective_mass = effective_mass_.view(),
                                  .volume_change = volume_change_.view(),
                                  .change = change_.view()});
  launch_group_sums(own.begin.count, AverageGroupRows{own, effective_mass_.view(), change_.view()});
  launch(range.count, AddToStore{range.first, start_.view(), change_.view(), end_velocity});
}

MERGANSER_END
