#include "solvers/methods/elastic_sph/elastic_sph.h"

#include <algorithm>
#include <cmath>

#include "solvers/methods/elastic_sph/elastic_diagonal.h"
#include "solvers/methods/elastic_sph/elastic_kernels.h"
#include "solvers/methods/elastic_sph/explicit_control.h"
#include "solvers/methods/elastic_sph/known_product.h"
#include "solvers/methods/elastic_sph/pair_forces.h"
#include "solvers/methods/elastic_sph/position_forces.h"

MERGANSER_BEGIN

namespace {
/// use(true or false as a constant).
template <class Use>
void with_flag(bool flag, const Use& use) {
  flag ? use(std::true_type{}) : use(std::false_type{});
}
}  // namespace

ElasticSph::ElasticSph(const SystemState& state, int system_index, const ParticleStore& particles)
    : ElasticSph(state, system_index, particles, RestShape(state, particles, particles.range(system_index))) {
}

ElasticSph::ElasticSph(const SystemState& state, int system_index, const ParticleStore& particles,
                       const RestShape& shape)
    : system_index_(system_index),
      parameters_(state.parameters.of<ElasticSphParameters>()),
      shape_(shape, state.parameters.of<ElasticSphParameters>().zero_energy),
      prescribed_(state),
      bond_first_(shape.first),
      bond_neighbor_(shape.neighbor),
      degenerate_(shape.degenerate),
      first_degenerate_(shape.first_degenerate),
      name_(state.name),
      balance_(std::make_unique<BodyBalance>(shape.first, shape.neighbor)) {
  const int count = shape.count();
  std::vector<float> volumes;
  for (const ElasticBody& body : shape.bodies) volumes.push_back(float(body.volume));
  body_volume_.assign(volumes);
  position_.resize(count, 3);
  vector_.resize(count, 3);
  rotation_.resize(count, 9);
  rotated_.resize(count, rotated::components);
  stress_.resize(count, stress_components);
  if (shape_.controlled()) strain_.resize(count, 9);
  if (MERGANSER_GPU_HALF) {
    sums_.resize(count, shape_.controlled() ? 18 : 9);
    lost_.resize(count);
  }
  quaternion_.assign(std::vector<Quaternion>(size_t(count), Quaternion{0, 0, 0, 1}));
  energy_quaternion_.resize(count);
  for (Array<float>* scalars : {&constant_diagonal_, &energy_, &stress_field_, &volume_ratio_})
    scalars->resize(count);
  own_mass_.assign(particles.mass.const_view().subview(particles.range(system_index).first, count));
  for (Array<Vec3>* vectors : {&force_, &product_, &rounding_error_}) vectors->resize(count);
  if (shape_.penalised()) impulse_.resize(count);
  launch(lane_items(count), ConstantDiagonal{shape_.view(), constant_diagonal_.view()});
  if (parameters_.solve != ElasticSolve::conjugate_gradient) make_factors(shape, particles, state.name);
  if (parameters_.solve == ElasticSolve::split) {
    representative_.resize(count);
    for (Array<float>* scalars : {&mass_, &effective_mass_}) scalars->resize(count);
    for (Array<Vec3>* vectors : {&start_, &change_, &volume_change_, &right_side_, &residual_, &middle_})
      vectors->resize(count);
    block_.resize(count);
  } else {
    numbers_.resize(3);
    wall_impulse_.resize(count);
    alone_ = std::make_unique<ImplicitCoupling>(std::vector<ImplicitSystem*>{this});
  }
}

void ElasticSph::make_factors(const RestShape& shape, const ParticleStore& particles,
                              const std::string& name) {
  if (!(parameters_.elastic_time_step > 0))
    throw InputError("system '" + name + "': elasticTimeStep is " +
                     std::to_string(parameters_.elastic_time_step) + " s; it must be greater than 0");
  try {
    factored_ = std::make_unique<FactoredBodies>(
        shape, particles, particles.range(system_index_), parameters_.elastic_time_step, shape_.controlled(),
        parameters_.factor_memory, half_factor() ? FactorStorage::half : FactorStorage::single);
  } catch (const FactorTooLarge& error) {
    if (parameters_.solve == ElasticSolve::split)
      throw InputError("system '" + name + "': " + error.what() +
                       "; \"solve\": \"split\" needs it: raise factorMemory or lower --resolution");
    too_large_ = error.what();
  }
}

void ElasticSph::set_positions(const ParticleStore& particles, View<const Vec3> velocity, double dt) {
  const Range range = particles.range(system_index_);
  launch(range.count,
         PrecisePositions{.position = particles.position.const_view().subview(range.first, range.count),
                          .rounding_error = rounding_error_.view(),
                          .velocity = velocity,
                          .dt = PreciseNumber(dt),
                          .to = position_.view()});
}

void ElasticSph::set_positions(View<const Vec3> x) {
  launch(x.count, PrecisePositions{
                      .position = x, .rounding_error = {}, .velocity = {}, .dt = {}, .to = position_.view()});
}

void ElasticSph::measure_strains(const StepRotations& rotations, View<float> energy) {
  launch(lane_items<PreciseLanes>(force_.size()), MeasureStrain{.shape = shape_.view(),
                                                                .position = std::as_const(position_).view(),
                                                                .rotations = rotations,
                                                                .rotation = rotation_.view(),
                                                                .strain = stress_.view(),
                                                                .energy = energy});
}

void ElasticSph::find_forces(const ElasticParts& parts, bool control, const StepRotations& rotations,
                             double factor, View<Vec3> result) {
  const auto position = std::as_const(position_).view(), strain = std::as_const(strain_).view();
  const auto stress = std::as_const(stress_).view();
  const ElasticRows rows{.effective_mass = {}, .u = {}, .factor = float(factor), .result = result};
#if MERGANSER_GPU_HALF
  const int count = result.count;
  const auto sums = std::as_const(sums_).view();
  with_flag(control, [&](auto controlled) {
    constexpr bool is = controlled();
    launch(is ? 2 * count : count, SumPositions{shape_.view(), position, sums_.view()});
    launch(count, PairStress<is, false>{shape_.view(), parts, rotations, sums, lost_.view(), rotated_.view(),
                                        stress_.view(), strain_.view()});
    if (!rotations.found.empty())
      launch(count, PairStress<is, true>{shape_.view(), parts, rotations, sums, lost_.view(), rotated_.view(),
                                         stress_.view(), strain_.view()});
    launch(count, PairForce<is>{shape_.view(), position, stress, strain, rows});
  });
#else
  const int items = lane_items<PreciseLanes>(result.count);
  with_flag(control, [&](auto controlled) {
    launch(items, PositionStress<controlled()>{shape_.view(), parts, position, rotations, rotated_.view(),
                                               stress_.view(), strain_.view()});
    launch(items, PositionForce<controlled()>{shape_.view(), position, stress, strain, rows});
  });
#endif
}

void ElasticSph::find_product(const ElasticParts& parts, bool control, SolveProgress progress,
                              View<const float> effective_mass, View<const Vec3> u, StepNumber factor,
                              View<Vec3> result) {
  launch(u.count, SplitVectors{u, vector_.view()});
  const auto rotated = std::as_const(rotated_).view(), vector = std::as_const(vector_).view(),
             stress = std::as_const(stress_).view();
  const ElasticRows rows{.effective_mass = effective_mass, .u = u, .factor = factor, .result = result};
  const int items = lane_items(result.count);
  with_flag(control, [&](auto controlled) {
    launch(items,
           ElasticStress<controlled()>{progress, shape_.view(), parts, rotated, vector, stress_.view()});
    launch(items, ElasticForce<controlled()>{progress, shape_.view(), vector, stress, rows});
  });
}

void ElasticSph::prepare(StepContext& step) {
  const Range range = step.particles.range(system_index_);
  prescribed_.set_velocities(step.particles, range.first, step.time, step.dt);
  before_.assign(step.particles.position.const_view().subview(range.first, range.count));
  rotations_found_ = false;
  if (!shape_.penalised()) return;
  set_positions(step.particles, {}, 0);
  measure_strains({quaternion_.view(), {}}, {});
  impulse_.zero();
  launch(lane_items<PreciseLanes>(range.count), ExplicitControl{.shape = shape_.view(),
                                                                .position = std::as_const(position_).view(),
                                                                .rotation = std::as_const(rotation_).view(),
                                                                .strain = std::as_const(stress_).view(),
                                                                .dt = step.dt,
                                                                .impulse = impulse_.view()});
}

void ElasticSph::right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) {
  const Range range = rows.particles;
  const double dt_squared = step.dt * step.dt, ratio = step.dt / parameters_.elastic_time_step;
  launch(numbers_.size(),
         KeepNumbers{{float(-dt_squared), float(dt_squared), float(ratio * ratio)}, numbers_.view()});
  set_positions(step.particles, rows.start, step.dt);
  find_forces({}, shape_.controlled(),
              {quaternion_.view(), rotations_found_ ? View<Quaternion>{} : quaternion_.view()}, step.dt, b);
  rotations_found_ = true;
  launch(range.count, AddGravityImpulse{.effective_mass = rows.effective_mass,
                                        .impulse = impulse_.view(),
                                        .gravity = step.gravity,
                                        .dt = float(step.dt),
                                        .impulse_share = 1,
                                        .right_side = b});
}

void ElasticSph::diagonal(double dt, View<SymmetricMatrix3> blocks) {
  launch(lane_items(blocks.count), StiffnessBlocks{.shape = shape_.view(),
                                                   .rotated = std::as_const(rotated_).view(),
                                                   .constant = constant_diagonal_.view(),
                                                   .factor = float(dt * dt),
                                                   .block = blocks});
}

void ElasticSph::multiply(SolveProgress progress, double, const PartRows& rows, View<const Vec3> u,
                          View<Vec3> y) {
  find_product({}, shape_.controlled(), progress, rows.effective_mass, u, StepNumber(numbers_, 0), y);
}

void ElasticSph::multiply_known(double dt, const PartRows& rows, View<const Vec3> u, View<const Vec3> known,
                                View<Vec3> y) {
  // The inverse of a factor in half precision is exact to 1e-3 only, and so is what is known.
  if (half_factor()) return multiply({}, dt, rows, u, y);
  const int items = lane_items(y.count);
  launch(u.count, SplitVectors{u, vector_.view()});
  launch(items, VectorDilation{shape_.view(), std::as_const(vector_).view(), rotated_.view()});
  launch(items, KnownProduct{.shape = shape_.view(),
                             .rotated = std::as_const(rotated_).view(),
                             .effective_mass = rows.effective_mass,
                             .own_mass = own_mass_.view(),
                             .u = u,
                             .known = known,
                             .ratio_squared = StepNumber(numbers_, 2),
                             .dt_squared = StepNumber(numbers_, 1),
                             .product = y});
}

void ElasticSph::solved(int stage, const LinearSolveResult& result) {
  if (stage == 0) statistics_ = {};
  statistics_.iterations[stage] = result.iterations;
  statistics_.residual = std::max(statistics_.residual, result.residual);
  statistics_.tolerance_met = statistics_.tolerance_met && result.tolerance_met;
}

void ElasticSph::integrate(StepContext& step, const MetaParticleView& groups, int stage,
                           View<Vec3> end_velocity) {
  if (step.particles.range(system_index_).count == 0) return;
  if (implicit())
    alone_->integrate(step, groups, stage, end_velocity);
  else
    integrate_split(step, groups, stage, end_velocity);
}

double ElasticSph::time_step_limit() const { return implicit() ? 1e30 : parameters_.elastic_time_step; }

void ElasticSph::accelerations(StepContext& step, View<Vec3> acceleration) {
  const Range range = step.particles.range(system_index_);
  StepContext elastic{step.particles, step.report, step.gravity, step.time, parameters_.elastic_time_step,
                      step.step};
  elastic.walls = step.walls;
  Array<Vec3> end(step.particles.count());
  prepare(elastic);
  integrate(elastic, {}, 0, end.view());
  launch(range.count, AccelerationOf{range.first, step.particles.velocity.const_view(), end.const_view(),
                                     float(1 / parameters_.elastic_time_step), acceleration});
}

void ElasticSph::forces(View<const Vec3> x, View<Vec3> force) {
  set_positions(x);
  find_forces({}, shape_.controlled(), {quaternion_.view(), energy_quaternion_.view()}, 1, force);
}

void ElasticSph::sum_energy(Reduction<double>& sum) {
  measure_strains({quaternion_.view(), energy_quaternion_.view()}, energy_.view());
  sum.run(energy_.size(), SumEnergies{energy_.view()});
}

double ElasticSph::energy(View<const Vec3> x) {
  set_positions(x);
  sum_energy(energy_sum_);
  return energy_sum_.read();
}

void ElasticSph::sum_turning_energy(Reduction<double>& sum) {
  launch(lane_items<PreciseLanes>(energy_.size()), TurningEnergy{.shape = shape_.view(),
                                                                 .position = std::as_const(position_).view(),
                                                                 .start = quaternion_.view(),
                                                                 .found = energy_quaternion_.view(),
                                                                 .energy = energy_.view()});
  sum.run(energy_.size(), SumEnergies{energy_.view()});
}

void ElasticSph::record_exchange(const StepContext& step, const MetaParticleView& groups,
                                 View<const Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  const auto own_velocity = end_velocity.subview(range.first, range.count);
  set_positions(step.particles, {}, 0);
  sum_turning_energy(turning_before_);
  set_positions(step.particles, own_velocity, step.dt);
  sum_turning_energy(turning_after_);
  find_forces({}, shape_.controlled(), {quaternion_.view(), {}}, 1, force_.view());
  find_product({}, shape_.controlled(), {}, {}, own_velocity, -1, product_.view());
  exchange_.run(range.count, sum_of(ElasticExchange{.undone = undone_work(step, groups, end_velocity),
                                                    .first_particle = range.first,
                                                    .end_velocity = own_velocity,
                                                    .force = force_.view(),
                                                    .stiffness = product_.view(),
                                                    .wall_impulse = wall_impulse_.view(),
                                                    .control = impulse_.view(),
                                                    .dt = step.dt}));
}

void ElasticSph::measure_before_walls(const StepContext& step) {
  const Range range = step.particles.range(system_index_);
  launch(range.count, PrecisePositions{.position = before_.view(),
                                       .rounding_error = rounding_error_.view(),
                                       .velocity = step.end_velocity.subview(range.first, range.count),
                                       .dt = PreciseNumber(step.dt),
                                       .to = position_.view()});
  sum_energy(before_walls_);
}

void ElasticSph::finish(StepContext& step) {
  const Range range = step.particles.range(system_index_);
  if (step.end_velocity.empty()) return;
  launch(range.count,
         KeepRoundingError{.before = before_.view(),
                           .velocity = step.end_velocity.subview(range.first, range.count),
                           .dt = float(step.dt),
                           .position = step.particles.position.view().subview(range.first, range.count),
                           .rounding_error = rounding_error_.view()});
}

void ElasticSph::measure(const ParticleStore& particles, Measures what) {
  const Range range = particles.range(system_index_);
  if (what != Measures::all || range.count == 0) return;
  set_positions(particles, {}, 0);
  sum_energy(energy_sum_);
  launch(range.count, ElasticOutput{.rest = shape_.view().rest,
                                    .rotation = std::as_const(rotation_).view(),
                                    .strain = std::as_const(stress_).view(),
                                    .volume = body_volume_.view(),
                                    .body = particles.body.const_view().subview(range.first, range.count),
                                    .stress = stress_field_.view(),
                                    .volume_ratio = volume_ratio_.view()});
}

SystemStatistics ElasticSph::measured() const {
  SystemStatistics result = statistics_;
  result.elastic_energy = energy_sum_.fetched();
  result.exchange = exchange_.fetched();
  result.exchange.integration -= turning_before_.fetched() - turning_after_.fetched();
  return result;
}

std::unique_ptr<System> make_elastic_sph(const SystemState& state, const InitialState& initial,
                                         int system_index, const ParticleStore& particles) {
  try {
    return std::make_unique<ElasticSph>(state, system_index, particles);
  } catch (const FactorFailed& failed) {  // which does not know what its bodies are called
    throw InputError("systems." + state.name + ".bodies." + initial.bodies[size_t(failed.body)].name + ": " +
                     failed.what());
  }
}

MERGANSER_END
