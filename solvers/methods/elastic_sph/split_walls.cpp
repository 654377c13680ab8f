#include "solvers/methods/elastic_sph/split_walls.h"

#include "solvers/coupling/implicit/wall_preconditioner.h"
#include "solvers/methods/elastic_sph/elastic_kernels.h"

MERGANSER_BEGIN

/// (M + dt^2 K + W) u.
struct SplitWalls::Matrix {
  SplitWalls& walls;
  View<const float> effective_mass;
  double dt;
  void multiply(SolveProgress progress, View<const Vec3> u, View<Vec3> product) const {
    walls.model_.elastic.find_product(ElasticEnergies::all, progress, effective_mass, u, float(-dt * dt),
                                      product);
    launch(u.count, AddWallProduct{progress, walls.wall_stiffness_.view(), u, product});
  }
  bool knows() const { return false; }
  void multiply_known(View<const Vec3>, View<const Vec3>, View<Vec3>) const {}
  void complete(View<Vec3>, const ActiveRows&) const {}
  void add_to_key(LaunchKey& key) const {
    key.push_back(effective_mass.data);
    key.push_back(walls.wall_stiffness_.data());
    merganser::MERGANSER_BACKEND::add_to_key(key, dt);
  }
};

/// P B P + Q with the factor as B, see wall_preconditioner.h.
struct SplitWalls::Preconditioner {
  SplitWalls& walls;
  View<const float> effective_mass;
  void apply(View<const Vec3> r, View<Vec3> z) {
    const View<const float> share = walls.share_.view();
    const View<const SymmetricMatrix3> yield = walls.yield_.view();
    launch(r.count, YieldToWalls{yield, share, r, walls.yielded_.view()});
    walls.model_.factored->solve(walls.yielded_.view(), effective_mass, z);
    launch(z.count, HoldByWalls{yield, walls.held_.view(), share, r, z});
  }
  void add_to_key(LaunchKey& key) const {
    for (const void* address :
         {static_cast<const void*>(effective_mass.data), static_cast<const void*>(walls.yield_.data()),
          static_cast<const void*>(walls.held_.data()), static_cast<const void*>(walls.yielded_.data()),
          static_cast<const void*>(walls.share_.data())})
      key.push_back(address);
  }
};

void SplitWalls::resize(int count) {
  if (share_.size() == count) return;
  for (Array<Vec3>* vectors : {&right_side_, &residual_, &drive_, &free_, &correction_, &yielded_})
    vectors->resize(count);
  for (Array<SymmetricMatrix3>* blocks : {&diagonal_, &wall_stiffness_, &yield_, &held_})
    blocks->resize(count);
  caught_.resize(count);
  behind_.resize(1);
  share_.resize(count);
  launch(count, FillShares{share_.view()});
}

void SplitWalls::count_near(const StepContext& step) {
  const Range range = step.particles.range(model_.system_index);
  near_.count(
      0, WallRows::of(step, range, step.particles.velocity.const_view().subview(range.first, range.count)));
}

void SplitWalls::look(const StepContext& step) {
  near_walls_ = false;
  looked_ = true;
  if (step.walls.empty()) return;
  if (near_.known(step.particles.range(model_.system_index).count)) {
    near_walls_ = near_.take();
  } else {
    count_near(step);
    near_walls_ = near_.read();
  }
}

void SplitWalls::look_ahead(const StepContext& step) {
  if (!looked_ || step.walls.empty()) return;
  looked_ = false;
  count_near(step);
  near_.look_ahead(step.particles.range(model_.system_index).count);
}

bool SplitWalls::catch_rows(const WallRows& rows, const StageRows& stage, View<const Vec3> u) {
  behind_.zero();
  row_count_.run(
      u.count,
      CatchRowsBehindWalls{
          {behind_.view()}, rows, stage.effective_mass(), wall_stiffness_.view(), u, caught_.view()});
  return behind_.to_host()[0] > 0;
}

void SplitWalls::find_terms(const StepContext& step, const WallRows& rows, const StageRows& stage,
                            View<const Vec3> u) {
  const View<const float> effective_mass = stage.effective_mass();
  model_.positions.set(step.particles, stage.start(), step.dt);
  model_.elastic.find_forces(model_.positions.view(), ElasticEnergies::all, RotationsOf::positions, step.dt,
                             right_side_.view());
  launch(u.count, AddGravityImpulse{.effective_mass = effective_mass,
                                    .impulse = model_.control_impulse.view(),
                                    .gravity = step.gravity,
                                    .dt = float(step.dt),
                                    .impulse_share = 1,
                                    .right_side = right_side_.view()});
  model_.elastic.find_diagonal(ElasticEnergies::all, step.dt * step.dt, diagonal_.view());
  launch(u.count, FindWallTerms{.rows = rows,
                                .effective_mass = effective_mass,
                                .right_side = right_side_.view(),
                                .diagonal = diagonal_.view(),
                                .stiffness = wall_stiffness_.view(),
                                .drive = drive_.view(),
                                .caught = caught_.const_view(),
                                .solution = u,
                                .sticks = false});
  launch(u.count, FindWallYield{.effective_mass = effective_mass,
                                .diagonal = diagonal_.const_view(),
                                .wall_stiffness = wall_stiffness_.const_view(),
                                .yield = yield_.view(),
                                .held = held_.view()});
  launch(u.count, ScaleWallDrive{.effective_mass = effective_mass,
                                 .stiffness = wall_stiffness_.const_view(),
                                 .drive = drive_.const_view(),
                                 .excess = correction_.view()});
  launch(u.count, SubtractProduct{right_side_.view(), correction_.view()});
  solver_.refer_to(stage.all(), correction_.view(), model_.least_reference(step, step.dt));
}

LinearSolveResult SplitWalls::hold(const StepContext& step, const StageRows& stage, View<Vec3> u) {
  if (step.walls.empty()) return {};
  const View<Vec3> given = model_.contact_walls.impulse();
  fill_zero(given.data, sizeof(Vec3) * size_t(given.count));
  LinearSolveResult all;
  if (near_walls_) {
    resize(u.count);
    const WallRows rows = WallRows::of(step, stage.range(), stage.start());
    const View<const float> effective_mass = stage.effective_mass();
    const Matrix matrix{*this, effective_mass, step.dt};
    Preconditioner preconditioner{*this, effective_mass};
    free_.assign(View<const Vec3>(u));
    caught_.zero();
    wall_stiffness_.zero();
    catch_rows(rows, stage, u);
    for (int pass = 0; pass < most_passes && (pass == 0 || catch_rows(rows, stage, u)); ++pass) {
      find_terms(step, rows, stage, u);
      // A w of the passes before is what walls had given.
      launch(u.count, WallImpulses{wall_stiffness_.view(), drive_.view(), u, residual_.view()});
      launch(u.count, SubtractVectors{residual_.view(), given, residual_.view()});
      correction_.zero();
      const LinearSolveResult result =
          solver_.solve(matrix, preconditioner, stage.all(), residual_.view(), correction_.view(),
                        {.tolerance = model_.parameters.tolerance,
                         .max_iterations = model_.parameters.max_iterations,
                         .reference = -1,
                         .expected = expected_});
      if (pass == 0) expected_ = result.iterations;
      all.iterations += result.iterations;
      all.residual = result.residual;
      all.tolerance_met = result.tolerance_met;
      launch(u.count, AddVectors{u, correction_.view(), u});
      launch(u.count, WallImpulses{wall_stiffness_.view(), drive_.view(), u, given});
    }
    // The momentum of w is the impulse, to rounding.
    launch(u.count, SubtractVectors{u, free_.view(), correction_.view()});
    launch(u.count, MissingMomentum{effective_mass, given, correction_.view(), residual_.view()});
    model_.balance.restore(ResidualShares{effective_mass, effective_mass, residual_.view()}, u, u);
  }
  model_.contact_walls.sum_loads(step, stage.range());
  return all;
}

MERGANSER_END
