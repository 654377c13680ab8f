#include "solvers/methods/elastic_sph/elastic_sph.h"

#include <sstream>

#include "solvers/methods/elastic_sph/elastic_kernels.h"

MERGANSER_BEGIN

ElasticSph::ElasticSph(const SystemState& state, int system_index, const ParticleStore& particles)
    : ElasticSph(state, system_index, particles, RestShape(state, particles, particles.range(system_index))) {
}

ElasticSph::ElasticSph(const SystemState& state, int system_index, const ParticleStore& particles,
                       const RestShape& shape)
    : model_(state, system_index, particles, shape),
      prescribed_(state),
      bond_first_(shape.first),
      bond_neighbor_(shape.neighbor),
      degenerate_(shape.degenerate),
      first_degenerate_(shape.first_degenerate) {
  const int count = shape.count();
  std::vector<float> volumes;
  for (const ElasticBody& body : shape.bodies) volumes.push_back(float(body.volume));
  body_volume_.assign(volumes);
  for (Array<float>* scalars : {&stress_, &volume_ratio_}) scalars->resize(count);
  for (Array<Vec3>* vectors : {&force_, &product_}) vectors->resize(count);
  if (model_.implicit()) {
    backward_euler_ = std::make_unique<ElasticBackwardEuler>(model_, particles);
    alone_ = std::make_unique<ImplicitCoupling>(std::vector<ImplicitSystem*>{backward_euler_.get()});
  } else {
    split_ = std::make_unique<ElasticSplitSolve>(model_, count);
  }
}

void ElasticSph::prepare(const StepContext& step) {
  prescribed_.set_velocities(step.particles, step.particles.range(model_.system_index).first, step.time,
                             step.dt);
  prepare_forces(step);
}

void ElasticSph::prepare_forces(const StepContext& step) {
  model_.positions.begin_step(step.particles);
  if (backward_euler_) backward_euler_->begin_step(step.particles);
  if (!model_.elastic.has_explicit_control()) return;
  model_.positions.set(step.particles);
  model_.elastic.find_control_impulse(model_.positions.view(), step.dt, model_.control_impulse);
}

void ElasticSph::integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                           View<Vec3> end_velocity) {
  if (step.particles.range(model_.system_index).count == 0) return;
  if (split_)
    split_->integrate(step, groups, stage, end_velocity);
  else
    alone_->integrate(step, groups, stage, end_velocity);
}

double ElasticSph::time_step_limit() const { return implicit() ? 1e30 : model_.parameters.elastic_time_step; }

void ElasticSph::accelerations(const StepContext& step, View<Vec3> acceleration) {
  const Range range = step.particles.range(model_.system_index);
  const double dt = model_.parameters.elastic_time_step;
  const StepContext elastic{step.particles, step.report, step.gravity, step.time, dt, step.step, step.walls};
  Array<Vec3> end(step.particles.count());
  prescribed_.set_velocities(step.particles, range.first, step.time, step.dt);
  prepare_forces(elastic);
  integrate(elastic, {}, 0, end.view());
  launch(range.count, AccelerationOf{range.first, step.particles.velocity.const_view(), end.const_view(),
                                     float(1 / dt), acceleration});
}

void ElasticSph::record_exchange(const StepContext& step, const MetaParticleView& groups,
                                 View<const Vec3> end_velocity) {
  const Range range = step.particles.range(model_.system_index);
  const auto own_velocity = end_velocity.subview(range.first, range.count);
  const auto positions = model_.positions.view();
  const auto sum = [&](Reduction<double>& energy) {
    if (model_.elastic.neo_hookean())
      model_.elastic.sum_energy(positions, energy);
    else
      model_.elastic.sum_turning_energy(positions, energy);
  };
  model_.positions.set(step.particles);
  sum(turning_before_);
  model_.positions.set(step.particles, own_velocity, step.dt);
  sum(turning_after_);
  exchange_.run(range.count, sum_of(exchange_of(step, groups, end_velocity, own_velocity)));
}

void ElasticSph::write_held_impulses(const StepContext& step, const MetaParticleView& groups,
                                     View<const Vec3> end_velocity, View<Vec3> impulse) {
  const Range range = step.particles.range(model_.system_index);
  const View<const Vec3> own_velocity = solved_velocity_.of(range, end_velocity);
  model_.positions.set(step.particles, own_velocity, step.dt);
  write_held(exchange_of(step, groups, end_velocity, own_velocity), impulse);
}

/// With forces and product, of the positions that are set.
ElasticExchange ElasticSph::exchange_of(const StepContext& step, const MetaParticleView& groups,
                                        View<const Vec3> end_velocity, View<const Vec3> own_velocity) {
  const Range range = step.particles.range(model_.system_index);
  model_.elastic.find_forces(model_.positions.view(), ElasticEnergies::all, RotationsOf::step, 1,
                             force_.view());
  if (model_.elastic.neo_hookean())
    launch(range.count, ScaleVectors{force_.view(), float(-2 / step.dt), product_.view()});
  else
    model_.elastic.find_product(ElasticEnergies::all, {}, {}, own_velocity, -1, product_.view());
  return {.discarded = discarded_work(step, groups, end_velocity),
          .first_particle = range.first,
          .end_velocity = own_velocity,
          .force = force_.view(),
          .stiffness = product_.view(),
          .contact_walls = model_.contact_walls.entries(step, range),
          .control = model_.control_impulse.view(),
          .dt = step.dt};
}

void ElasticSph::measure_before_walls(const StepContext& step, View<const Vec3> end_velocity) {
  const Range range = step.particles.range(model_.system_index);
  model_.positions.set_from_begin(end_velocity.subview(range.first, range.count), step.dt);
  model_.elastic.sum_energy(model_.positions.view(), before_walls_);
}

void ElasticSph::finish(const StepContext& step, View<const Vec3> end_velocity) {
  const Range range = step.particles.range(model_.system_index);
  model_.positions.end_step(step.particles, end_velocity.subview(range.first, range.count), step.dt);
  if (alone_) alone_->look_ahead(step);
  if (split_) split_->look_ahead(step);
}

void ElasticSph::measure(const ParticleStore& particles, Measures what) {
  const Range range = particles.range(model_.system_index);
  if (what != Measures::all || range.count == 0) return;
  model_.positions.set(particles);
  model_.elastic.sum_energy(model_.positions.view(), energy_sum_);
  model_.elastic.find_stress(body_volume_.view(),
                             particles.body.const_view().subview(range.first, range.count), stress_.view(),
                             volume_ratio_.view());
}

SystemStatistics ElasticSph::measured() const {
  SystemStatistics result = model_.statistics;
  result.elastic_energy = energy_sum_.fetched();
  result.exchange = exchange_.fetched();
  const double lost = turning_before_.fetched() - turning_after_.fetched();
  result.exchange.integration += model_.elastic.neo_hookean() ? lost : -lost;
  return result;
}

FactoredBodies::Figures ElasticSph::factor_metrics() const {
  return model_.factored ? model_.factored->setup_metrics() : FactoredBodies::Figures{};
}

std::vector<std::pair<std::string, double>> ElasticSph::setup_metrics() const {
  if (!model_.factored) return {};
  const FactoredBodies::Figures f = factor_metrics();
  return {{"factors", double(f.factors)},
          {"factor_parts", double(f.parts)},
          {"factor_nonzeros_million", 1e-6 * double(f.nonzeros)},
          {"factor_MB", 1e-6 * double(f.bytes)},
          {"factor_seconds", f.seconds}};
}

std::vector<std::string> ElasticSph::warnings() const {
  std::vector<std::string> warnings;
  const std::string system = "system '" + model_.name + "': ";
  if (degenerate_ > 0)
    warnings.push_back(
        system + std::to_string(degenerate_) +
        " particles have neighbors on one plane, line or none (the first is number " +
        std::to_string(first_degenerate_) +
        " of the system): they resist stretching only within what their neighbors span; sample the "
        "body more finely where it is thin");
  if (!model_.too_large.empty())
    warnings.push_back(system + model_.too_large + "; conjugate gradients with block Jacobi take its place");
  return warnings;
}

std::vector<std::string> ElasticSph::notes() const {
  std::vector<std::string> notes;
  if (model_.factored) {
    const FactoredBodies::Figures f = factor_metrics();
    std::ostringstream text;
    text << "system '" << model_.name << "': " << f.bodies << (f.bodies == 1 ? " body, " : " bodies, ")
         << f.factors << (f.factors == 1 ? " factor of " : " factors of ") << double(f.nonzeros) / 1e6
         << " M non-zeros in all, " << (f.inverses > 0 ? std::to_string(f.inverses) + " inverted, " : "")
         << (f.parts > 0 ? "in " + std::to_string(f.parts) + " parts, " : "") << double(f.bytes) / 1e6
         << " MB, made in " << f.seconds << " s";
    notes.push_back(text.str());
  }
  return notes;
}

std::vector<std::pair<std::string, std::vector<float>>> ElasticSph::frame_fields() const {
  return {{"stress", stress_.to_host()}, {"volume_ratio", volume_ratio_.to_host()}};
}

void ElasticSph::save(StateArchive& archive, const std::string& prefix) const {
  model_.elastic.save(archive, prefix);
  model_.positions.save(archive, prefix);
  if (model_.choice) model_.choice->save(archive, prefix);
  if (alone_) return alone_->save(archive, prefix);
  split_->save(archive, prefix);
}

void ElasticSph::load(const StateArchive& archive, const std::string& prefix) {
  model_.elastic.load(archive, prefix);
  model_.positions.load(archive, prefix);
  if (model_.choice) model_.choice->load(archive, prefix);
  if (alone_) return alone_->load(archive, prefix);
  split_->load(archive, prefix);
}

std::unique_ptr<System> make_elastic_sph(const SystemState& state, const InitialState& initial,
                                         int system_index, const ParticleStore& particles) {
  try {
    auto made = std::make_unique<ElasticSph>(state, system_index, particles);
    made->measure_wall_loads(initial.walls);
    return made;
  } catch (const FactorFailed& failed) {  // which does not know what its bodies are called
    throw InputError("systems." + state.name + ".bodies." + initial.bodies[size_t(failed.body)].name + ": " +
                     failed.what());
  }
}

MERGANSER_END
