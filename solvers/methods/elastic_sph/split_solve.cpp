#include "solvers/methods/elastic_sph/split_solve.h"

#include "solvers/coupling/implicit/implicit_kernels.h"
#include "solvers/methods/elastic_sph/elastic_kernels.h"

MERGANSER_BEGIN

namespace {
/// (M + dt_el^2 K^V) u, the left side of [ES] eq. 30.
struct VolumeMatrix {
  ElasticOperator& elastic;
  View<const float> effective_mass;
  double dt;  ///< [s] dt_el
  void multiply(SolveProgress progress, View<const Vec3> u, View<Vec3> product) const {
    elastic.find_product(ElasticEnergies::volume, progress, effective_mass, u, float(-dt * dt), product);
  }
  void add_to_key(LaunchKey&) const {}  // all of it stays as it is
};
}  // namespace

ElasticSplitSolve::ElasticSplitSolve(ElasticModel& model, int count) : model_(model), walls_(model) {
  for (Array<Vec3>* vectors : {&change_, &volume_change_, &right_side_, &residual_, &middle_})
    vectors->resize(count);
  block_.resize(count);
}

void ElasticSplitSolve::restore_momentum(View<const Vec3> u, View<Vec3> to) {
  launch(u.count, MissingMomentum{rows_.effective_mass(), right_side_.view(), u, residual_.view()});
  model_.balance.restore(ResidualShares{rows_.effective_mass(), rows_.effective_mass(), residual_.view()}, u,
                         to);
}

void ElasticSplitSolve::solve_stretching(const StepContext& step) {
  const double dt = model_.parameters.elastic_time_step;
  model_.positions.set(step.particles, rows_.start(), dt);
  model_.elastic.find_forces(model_.positions.view(), ElasticEnergies::constant, RotationsOf::new_step, dt,
                             right_side_.view());
  launch(rows_.range().count, AddGravityImpulse{.effective_mass = rows_.effective_mass(),
                                                .impulse = model_.control_impulse.view(),
                                                .gravity = step.gravity,
                                                .dt = float(dt),
                                                .impulse_share = float(dt / step.dt),
                                                .right_side = right_side_.view()});
  model_.factored->solve(right_side_.view(), rows_.effective_mass(), middle_.view());
  restore_momentum(middle_.view(), change_.view());
}

LinearSolveResult ElasticSplitSolve::solve_volume(const StepContext& step, View<const Vec3> start) {
  const double dt = model_.parameters.elastic_time_step;
  const int count = start.count;
  model_.positions.set(step.particles, start, dt);
  model_.elastic.find_forces(model_.positions.view(), ElasticEnergies::volume, RotationsOf::new_step, dt,
                             right_side_.view());
  model_.elastic.find_diagonal(ElasticEnergies::volume, dt * dt, block_.view());
  launch(count, InvertRowDiagonal{.effective_mass = rows_.effective_mass(),
                                  .stiffness = block_.view(),
                                  .inverse_diagonal = block_.view(),
                                  .unknown_effective_mass = rows_.mass()});
  launch(count, HoldRows{rows_.effective_mass(), right_side_.view()});
  launch(count, HoldRows{rows_.effective_mass(), volume_change_.view()});
  const SolveRows all = rows_.all();
  const VolumeMatrix matrix{model_.elastic, rows_.effective_mass(), dt};
  matrix.multiply({}, volume_change_.view(), residual_.view());
  launch(count, SubtractProduct{right_side_.view(), residual_.view()});
  volume_solver_.refer_to(all, right_side_.view(), model_.least_reference(step, dt));
  const LinearSolveResult result =
      volume_solver_.solve(matrix, BlockJacobi{block_.view()}, all, residual_.view(), volume_change_.view(),
                           {.tolerance = model_.parameters.tolerance,
                            .max_iterations = model_.parameters.max_iterations,
                            .reference = -1,
                            .expected = expected_});
  expected_ = result.iterations;
  middle_.assign(volume_change_.const_view());
  restore_momentum(middle_.view(), volume_change_.view());
  return result;
}

void ElasticSplitSolve::integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                                  View<Vec3> end_velocity) {
  const Range range = step.particles.range(model_.system_index);
  if (stage == 0) walls_.look(step);
  rows_.prepare(step, groups, range, StageRows::Unknowns::particles);
  solve_stretching(step);
  launch(range.count, AddVectors{rows_.start(), change_.view(), middle_.view()});
  LinearSolveResult result = solve_volume(step, middle_.view());
  launch(range.count, SplitChange{.share = float(step.dt / model_.parameters.elastic_time_step),
                                  .effective_mass = rows_.effective_mass(),
                                  .volume_change = volume_change_.view(),
                                  .change = change_.view()});
  const LinearSolveResult at_walls = walls_.hold(step, rows_, change_.view());
  result.iterations += at_walls.iterations;
  result.tolerance_met = result.tolerance_met && at_walls.tolerance_met;
  model_.record_solve(stage, result);
  rows_.average(change_.view());
  launch(range.count, AddToStore{range.first, rows_.start(), change_.view(), end_velocity});
}

void ElasticSplitSolve::save(StateArchive& archive, const std::string& prefix) const {
  archive_vectors(archive, prefix + "/volume_change", volume_change_);
  walls_.save(archive, prefix);
}

void ElasticSplitSolve::load(const StateArchive& archive, const std::string& prefix) {
  volume_change_.assign(archived_vectors(archive, prefix + "/volume_change"));
  walls_.load(archive, prefix);
}

MERGANSER_END
