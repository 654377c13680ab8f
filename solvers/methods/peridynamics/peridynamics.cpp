#include "solvers/methods/peridynamics/peridynamics.h"

#include <algorithm>

#include "solvers/methods/peridynamics/bond_exchange.h"
#include "solvers/methods/peridynamics/explicit_velocity.h"

MERGANSER_BEGIN

Peridynamics::Peridynamics(const SystemState& state, int system_index, const ParticleStore& particles,
                           std::uint32_t seed)
    : system_index_(system_index),
      parameters_(state.parameters.of<PeridynamicsParameters>()),
      bonds_(state, bond_materials(state), particles, particles.range(system_index), seed),
      prescribed_(state),
      loads_(state),
      contact_walls_(parameters_.integration == PeridynamicIntegration::implicit_euler
                         ? particles.range(system_index).count
                         : 0),
      alone_({this}) {
  const int count = particles.range(system_index).count;
  for (Array<Vec3>* vectors : {&impulse_, &braking_, &bond_quadratics_}) vectors->resize(count);
  if (Peridynamics::implicit()) {
    stiffness_diagonal_.resize(count);
    kept_factor_.resize(1);
    return;
  }
  change_.resize(count);
}

/// dt f of the bonds at the positions as they are, with loads.
void Peridynamics::find_impulses(const StepContext& step, View<Vec3> impulse) {
  const Range range = step.particles.range(system_index_);
  bonds_.set_positions(step.particles.position.const_view().subview(range.first, range.count));
  bonds_.sum(BondForce{float(step.dt), impulse});
  loads_.add(step.particles.mass.const_view().subview(range.first, range.count), step.time, step.dt, impulse);
}

void Peridynamics::prepare(const StepContext& step) {
  const Range range = step.particles.range(system_index_);
  prescribed_.set_velocities(step.particles, range.first, step.time, step.dt);
  find_impulses(step, impulse_.view());
  if (implicit()) {
    bonds_.measure_stiffness(stiffness_diagonal_.view());
  } else if (parameters_.damping > 0) {
    const auto velocity = step.particles.velocity.const_view().subview(range.first, range.count);
    bonds_.multiply({{}, float(step.dt * parameters_.damping), {}, velocity, braking_.view()});
    launch(range.count, SubtractBraking{braking_.view(), impulse_.view()});
  }
}

void Peridynamics::right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) {
  launch(1, KeepNumbers{{factor(step.dt)}, kept_factor_.view()});
  bonds_.multiply({{}, factor(step.dt), {}, rows.start, braking_.view()});
  launch(rows.particles.count, PeridynamicRightSide{.impulse = impulse_.view(),
                                                    .braking = braking_.view(),
                                                    .effective_mass = rows.effective_mass,
                                                    .gravity = step.gravity,
                                                    .dt = float(step.dt),
                                                    .right_side = b});
}

void Peridynamics::diagonal(double dt, View<SymmetricMatrix3> blocks) {
  launch(blocks.count, ScaleDiagonal{factor(dt), stiffness_diagonal_.view(), blocks});
}

void Peridynamics::multiply(SolveProgress progress, double, const PartRows& rows, View<const Vec3> u,
                            View<Vec3> y) {
  bonds_.multiply({progress, StepNumber(kept_factor_, 0), rows.effective_mass, u, y});
}

void Peridynamics::solved(int stage, const LinearSolveResult& result) {
  if (stage == 0) statistics_ = {};
  statistics_.iterations[stage] = result.iterations;
  statistics_.residual = std::max(statistics_.residual, result.residual);
  statistics_.tolerance_met = statistics_.tolerance_met && result.tolerance_met;
}

void Peridynamics::write_half_kick(const StepContext& step, bool advanced, View<Vec3> half_kick) {
  const Range range = step.particles.range(system_index_);
  if (advanced) find_impulses(step, change_.view());
  const bool braked = !advanced && parameters_.damping > 0;
  launch(range.count,
         HalfKick{.inverse_mass = step.particles.inverse_mass.const_view().subview(range.first, range.count),
                  .impulse = advanced ? change_.const_view() : impulse_.const_view(),
                  .braking = braked ? braking_.const_view() : View<const Vec3>{},
                  .half_kick = half_kick.subview(range.first, range.count)});
}

void Peridynamics::integrate_explicit(const StepContext& step, const MetaParticleView& groups,
                                      View<Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  rows_.prepare(step, groups, range, StageRows::Unknowns::particles);
  launch(range.count, ExplicitChange{.effective_mass = rows_.effective_mass(),
                                     .impulse = impulse_.view(),
                                     .gravity = step.gravity,
                                     .dt = float(step.dt),
                                     .change = change_.view()});
  rows_.average(change_.view());
  launch(range.count, AddChange{range.first, rows_.start(), change_.view(), end_velocity});
}

void Peridynamics::integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                             View<Vec3> end_velocity) {
  if (step.particles.range(system_index_).count == 0) return;
  if (implicit())
    alone_.integrate(step, groups, stage, end_velocity);
  else
    integrate_explicit(step, groups, end_velocity);
}

/// With the sums over bonds that it looks at.
BondExchange Peridynamics::exchange_of(const StepContext& step, const MetaParticleView& groups,
                                       View<const Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  const auto own_velocity = end_velocity.subview(range.first, range.count);
  const View<Vec3> product = implicit() ? braking_.view() : View<Vec3>{};
  const bool braked = !implicit() && parameters_.damping > 0;
  bonds_.set_vector(own_velocity);
  bonds_.sum(BondQuadratics{float(step.dt), bond_quadratics_.view(), product});
  return {.discarded = discarded_work(step, groups, end_velocity),
          .first_particle = range.first,
          .end_velocity = own_velocity,
          .quadratics = bond_quadratics_.view(),
          .impulse = impulse_.view(),
          .product = product,
          .braking = braked ? braking_.view() : View<Vec3>{},
          .contact_walls = contact_walls_.entries(step, range),
          .dt = step.dt,
          .damping = parameters_.damping};
}

void Peridynamics::record_exchange(const StepContext& step, const MetaParticleView& groups,
                                   View<const Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  const auto own_velocity = end_velocity.subview(range.first, range.count);
  exchange_.run(range.count, sum_of(exchange_of(step, groups, end_velocity)));
  loads_.record_exchange(step.particles.mass.const_view().subview(range.first, range.count), own_velocity,
                         step.time, step.dt, loaded_);
}

void Peridynamics::write_held_impulses(const StepContext& step, const MetaParticleView& groups,
                                       View<const Vec3> end_velocity, View<Vec3> impulse) {
  write_held(exchange_of(step, groups, end_velocity), impulse);
}

void Peridynamics::sum_energy(const ParticleStore& particles, Reduction<double>& sum) {
  const Range range = particles.range(system_index_);
  bonds_.set_positions(particles.position.const_view().subview(range.first, range.count));
  bonds_.sum_energy(sum);
}

void Peridynamics::finish(const StepContext& step, View<const Vec3>) {
  alone_.look_ahead(step);
  if (!bonds_.breakable()) return;
  const Range range = step.particles.range(system_index_);
  bonds_.set_positions(step.particles.position.const_view().subview(range.first, range.count));
  bonds_.fracture(step.particles.id.const_view().subview(range.first, range.count));
}

/// Implicit: any step is stable.
double Peridynamics::time_step_limit() const {
  return implicit() ? 1e30 : explicit_step(parameters_, bonds_.stable_time_step());
}

void Peridynamics::measure(const ParticleStore& particles, Measures what) {
  if (what != Measures::all) return;
  sum_energy(particles, energy_);
  bonds_.count_broken();
}

SystemStatistics Peridynamics::measured() const {
  SystemStatistics result = statistics_;
  result.elastic_energy = energy_.fetched();
  const BrokenBonds broken = bonds_.broken();
  result.broken_bonds = broken.count;
  result.fracture_energy = broken.energy;
  result.exchange = exchange_.fetched();
  result.exchange += loaded_.fetched();
  result.bonds = bonds_.whole_at_start();
  return result;
}

std::vector<std::pair<std::string, std::vector<float>>> Peridynamics::frame_fields() const {
  return {{"damage", bonds_.damage()}, {"fragment", bonds_.fragments()}};
}

std::unique_ptr<System> make_peridynamics(const SystemState& state, const InitialState& initial,
                                          int system_index, const ParticleStore& particles) {
  auto made = std::make_unique<Peridynamics>(state, system_index, particles, initial.seed);
  made->measure_wall_loads(initial.walls);
  return made;
}

MERGANSER_END
