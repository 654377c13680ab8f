#include "solvers/methods/dfsph/dfsph_fluid.h"

#include <cmath>

#include "solvers/base/to_vec3.h"
#include "solvers/core/checked_parameters.h"
#include "solvers/methods/dfsph/velocities.h"
#include "solvers/methods/fluid/check_fluid.h"

MERGANSER_BEGIN

Dfsph::Dfsph(const SystemState& state, const InitialState& initial, int system_index,
             const ParticleStore& particles)
    : parameters_((check_fluid(state), checked_parameters<DfsphParameters>(state))),
      system_index_(system_index),
      density0_(state.fluid.density0),
      gravity_(to_vec3(initial.gravity)),
      pressure_(parameters_, state.fluid, initial),
      forces_(parameters_.forces, density0_, static_cast<float>(density0_) * pressure_.volume(),
              pressure_.smoothing_length()) {
  pressure_.set_fills_vessels(parameters_.divergence_solve && keeps_its_vessel(state, initial));
  forces_.measure(initial.walls);
  grid_.set_periodic(to_vec3(initial.periodic_origin), to_vec3(initial.periodic_length));
  resize(particles.range(system_index).count);
  nozzles_.add(state, 2 * pressure_.smoothing_length());
  if (const std::vector<int> systems = coupled_indices(state, initial); !systems.empty())
    own_solve_ = std::make_unique<CoupledPressure>(parameters_, initial, system_index, systems);
}

void Dfsph::meet(const std::vector<std::unique_ptr<System>>& systems) {
  for (const int s : coupled_systems()) {
    System* system = systems[size_t(s)].get();
    if (auto* fluid = dynamic_cast<Dfsph*>(system)) {
      own_solve_->use_fluid(s, fluid->pressure_);
      fluid->coupled_ = own_solve_.get();
      if (fluid != this) shares_solve_.push_back(fluid);
      if (own_solve_->any_solid() && fluid->parameters_.forces.implicit_viscosity > 0)
        own_solve_->use_viscosity(s, fluid->forces_.share_viscosity(), [fluid](const StepContext& step) {
          fluid->find_factors(step.particles);
          return fluid->pressure_.packed(fluid->grid_);
        });
    }
    if (auto* bodies = dynamic_cast<PressedBodies*>(system)) own_solve_->use_bodies(s, *bodies);
    if (auto* held = dynamic_cast<HeldImpulses*>(system)) pressed_.push_back(held);
  }
}

std::vector<int> Dfsph::coupled_systems() const {
  return leads() ? own_solve_->systems() : std::vector<int>{};
}

void Dfsph::resize(int count) {
  for (Array<float>* a : {&mobility_, &pressure_.density_pressure, &pressure_.divergence_pressure,
                          &pressure_.steady_pressure, &pressure_.rest_excess})
    a->resize(count);
  change_.resize(count);
  forces_.resize(count);
}

void Dfsph::sort_particles(ParticleStore& store) {
  const Range own = store.range(system_index_);
  const View<const Vec3> position = store.position.const_view().subview(own.first, own.count);
  const float support = 2 * pressure_.smoothing_length();
  if (bounds_known_)
    grid_.build_order(position, bounds_known_.now(motion_.fetched().second), support);
  else
    grid_.build_order(position, support);
  store.permute(system_index_, grid_.order());
  pressure_.permute(grid_.order());
  forces_.permute(grid_.order());
  grid_.use_permuted(store.position.const_view().subview(own.first, own.count));
  bounds_known_.forget();  // from here on
}

void Dfsph::find_factors(const ParticleStore& store) {
  PressureShapes shapes;
  if (parameters_.wall_pressure == DfsphWallPressure::images && nozzles_.any()) {
    const Range own = store.range(system_index_);
    apart_.resize(own.count);
    launch(own.count, NozzlesApart{nozzles_.view(store, pressure_.image()), own.first, apart_.view()});
    shapes.apart.of = apart_.const_view();
  }
  pressure_.find_factors(grid_.view(), mobility_.const_view(), shapes, !is_coupled());
}

void Dfsph::prepare(const StepContext& step) {
  ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  statistics_ = {};
  pressure_.begin_step(step);
  sort_particles(store);
  launch(own.count, Mobility{.group_of = {},
                             .group_inverse_mass = {},
                             .inverse_mass = store.inverse_mass.const_view(),
                             .nozzles = nozzles_.view(store, pressure_.image()),
                             .own = own,
                             .volume = pressure_.volume(),
                             .mobility = mobility_.view()});
  if (is_coupled()) return;  // the rest follows in prepare_coupled() and integrate()
  pressure_.set_pace({longest_step(), norm(to_double(gravity_))});
  pressure_.measure_held(mobility_.const_view());
  find_factors(store);
  const View<const Vec3> velocity = store.velocity.const_view().subview(own.first, own.count);
  pressure_.follow_pressures(velocity, mobility_.const_view(), pressure_.felt(step.gravity), step.dt);
  make_divergence_free(step, velocity);
  add_forces(step, velocity);
}

/// Forces come after the divergence solve over all systems, in integrate().
void Dfsph::prepare_coupled(const StepContext& step) {
  if (leads()) note(own_solve_->prepare(step, pace_of_shared_solve()));
}

void Dfsph::make_divergence_free(const StepContext& step, View<const Vec3> velocity) {
  const View<const float> mobility = mobility_.const_view();
  if (parameters_.divergence_solve) {
    note(pressure_.solve_divergence(velocity, mobility, step.dt));
    launch(velocity.count,
           ApplyDivergence{velocity, static_cast<float>(step.dt), pressure_.acceleration(), change_.view()});
  } else {
    change_.zero();
    pressure_.pack(velocity);
  }
}

void Dfsph::add_forces(const StepContext& step, View<const Vec3> velocity) {
  const View<const float> mobility = mobility_.const_view();
  if (parameters_.viscosity > 0) pressure_.add_viscosity(mobility, step.dt, change_.view());
  if (!is_coupled())
    pressure_.add_pressure_behind_walls(mobility, pressure_.felt(step.gravity), step.dt, change_.view());
  if (forces_.any())
    forces_.add(pressure_.packed(grid_), static_cast<float>(step.dt), velocity, step.gravity, 1,
                change_.view());
  statistics_.tolerance_met = statistics_.tolerance_met && forces_.last_solve().tolerance_met;
}

void Dfsph::note(const PressureSolveResult& solved) {
  statistics_.tolerance_met = statistics_.tolerance_met && solved.tolerance_met;
}
void Dfsph::note(int stage, const PressureSolveResult& solved) {
  note(solved);
  statistics_.iterations[stage] = solved.iterations;
  statistics_.residual = solved.error;
}

void Dfsph::predict(const StepContext& step, const MetaParticleView& groups, View<Vec3> predicted) {
  const ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  const Vec3 gravity_change = static_cast<float>(step.dt) * pressure_.felt(step.gravity);
  const bool grouped = groups.group_count > 0;
  const View<const int> group_of = grouped ? groups.group_of : View<const int>{};
  if (grouped) {
    have_room(group_velocity_, groups.group_count);
    launch_group_sums(groups.group_count,
                      GroupPrediction{.members = {groups, own},
                                      .mass = store.mass.const_view().subview(own.first, own.count),
                                      .change = change_.const_view(),
                                      .gravity_change = gravity_change,
                                      .group_velocity = group_velocity_.view()});
    launch(own.count, Mobility{.group_of = group_of,
                               .group_inverse_mass = groups.inverse_mass,
                               .inverse_mass = store.inverse_mass.const_view(),
                               .nozzles = nozzles_.view(store, pressure_.image()),
                               .own = own,
                               .volume = pressure_.volume(),
                               .mobility = mobility_.view()});
  }
  launch(own.count, PredictVelocity{.group_of = group_of,
                                    .group_velocity = group_velocity_.const_view(),
                                    .own = own,
                                    .velocity = store.velocity.const_view(),
                                    .mobility = mobility_.const_view(),
                                    .change = change_.const_view(),
                                    .gravity_change = gravity_change,
                                    .predicted = predicted});
}

PressureConstraint Dfsph::members_as_one(const ParticleStore& store, const MetaParticleView& groups) {
  const Range own = store.range(system_index_);
  have_room(group_rows_, group_rows(groups.group_count));
  const int rows = group_rows_.size();
  launch(rows, FindGroupRows{{groups, own}, group_rows_.view()});
  const View<const float> mass = store.mass.const_view().subview(own.first, own.count);
  PressureConstraint as_one;
  as_one.apply = [=, row = group_rows_.const_view(), member = groups.member.data,
                  first = own.first](View<Quad> acceleration) {
    launch_group_sums(rows, GroupAcceleration{row, member, first, mass, acceleration});
  };
  add_to_key(as_one.key, group_rows_.const_view());
  add_to_key(as_one.key, mass);
  as_one.key.push_back(groups.member.data);
  add_to_key(as_one.key, own.first);
  return as_one;
}

void Dfsph::integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                      View<Vec3> end_velocity) {
  const ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  if (is_coupled() && stage == 0) {
    const View<const Vec3> velocity = store.velocity.const_view().subview(own.first, own.count);
    change_.zero();
    if (has_forces()) {
      find_factors(store);
      pressure_.pack(velocity);
      add_forces(step, velocity);
    }
  }
  const View<Vec3> own_velocity = end_velocity.subview(own.first, own.count);
  predict(step, groups, own_velocity);
  if (is_coupled()) return;
  PressureConstraint as_one;
  if (groups.group_count > 0) as_one = members_as_one(store, groups);
  note(stage, pressure_.solve_density(own_velocity, mobility_.const_view(), step.dt, as_one));
  if (!pressure_.is_closed())
    launch(own.count, DfsphEndVelocity{pressure_.acceleration(), static_cast<float>(step.dt), own_velocity});
  const View<const int> group_of = groups.group_count > 0 ? groups.group_of : View<const int>{};
  pressure_.hold_off_walls(mobility_.const_view(), {}, group_of, step.dt, own.first, own_velocity);
}

void Dfsph::advanced(const StepContext& step) {
  const Range own = step.particles.range(system_index_);
  const View<const Vec3> moves = pressure_.moves();
  if (moves.count > 0)
    launch(own.count, MovePlaces{moves, step.particles.position.view().subview(own.first, own.count)});
}

void Dfsph::integrate_coupled(const StepContext& step, const MetaParticleView& groups, int stage,
                              View<Vec3> end_velocity) {
  if (!leads()) return;
  for (HeldImpulses* system : pressed_) system->before_pressure(step, end_velocity);
  note(stage, own_solve_->integrate(step, groups, end_velocity));
}

std::unique_ptr<System> make_dfsph(const SystemState& state, const InitialState& initial, int system_index,
                                   const ParticleStore& particles) {
  return std::make_unique<Dfsph>(state, initial, system_index, particles);
}

MERGANSER_END
