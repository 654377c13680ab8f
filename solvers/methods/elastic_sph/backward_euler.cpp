#include "solvers/methods/elastic_sph/backward_euler.h"

#include "solvers/methods/elastic_sph/elastic_kernels.h"

MERGANSER_BEGIN

ElasticBackwardEuler::ElasticBackwardEuler(ElasticModel& model, const ParticleStore& particles)
    : model_(model), numbers_(3) {
  const Range range = particles.range(model.system_index);
  own_mass_.assign(particles.mass.const_view().subview(range.first, range.count));
}

void ElasticBackwardEuler::begin_step(const ParticleStore& particles) {
  rotations_found_ = false;
  if (!model_.choice) return;
  model_.choice->begin_step();
  if (model_.choice->wants_factor()) model_.make_wanted_factors(particles);
}

int ElasticBackwardEuler::most_iterations_by_blocks() const {
  return model_.choice ? model_.choice->most_iterations(max_iterations()) : max_iterations();
}

bool ElasticBackwardEuler::take_over(const StepContext& step) {
  if (!model_.choice) return false;
  if (!model_.factored && model_.too_large.empty()) model_.make_wanted_factors(step.particles);
  if (model_.factored) model_.choice->take_factor();
  return model_.factored != nullptr;
}

void ElasticBackwardEuler::right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) {
  const double dt_squared = step.dt * step.dt, ratio = step.dt / model_.parameters.elastic_time_step;
  launch(numbers_.size(),
         KeepNumbers{{float(-dt_squared), float(dt_squared), float(ratio * ratio)}, numbers_.view()});
  model_.positions.set(step.particles, rows.start, step.dt);
  model_.elastic.find_forces(model_.positions.view(), ElasticEnergies::all,
                             rotations_found_ ? RotationsOf::step : RotationsOf::new_step, step.dt, b);
  model_.elastic.find_derivative();
  rotations_found_ = true;
  add_impulses(step, rows, b);
}

void ElasticBackwardEuler::add_impulses(const StepContext& step, const PartRows& rows, View<Vec3> b) {
  launch(rows.particles.count, AddGravityImpulse{.effective_mass = rows.effective_mass,
                                                 .impulse = model_.control_impulse.view(),
                                                 .gravity = step.gravity,
                                                 .dt = float(step.dt),
                                                 .impulse_share = 1,
                                                 .right_side = b});
}

void ElasticBackwardEuler::set_positions(const StepContext& step, const PartRows& rows, View<const Vec3> u) {
  model_.positions.set(step.particles, rows.start, step.dt, u);
}

double ElasticBackwardEuler::potential(const StepContext& step, const PartRows& rows, View<const Vec3> u) {
  set_positions(step, rows, u);
  model_.elastic.sum_step_potential(model_.positions.view(),
                                    {.energy = {},
                                     .effective_mass = rows.effective_mass,
                                     .u = u,
                                     .impulse = model_.control_impulse.view(),
                                     .gravity_change = step.dt * to_double(step.gravity)},
                                    potential_);
  return potential_.read();
}

void ElasticBackwardEuler::gradient(const StepContext& step, const PartRows& rows, View<const Vec3> u,
                                    View<Vec3> residual) {
  set_positions(step, rows, u);
  model_.elastic.find_forces(model_.positions.view(), ElasticEnergies::all, RotationsOf::new_step, step.dt,
                             residual);
  add_impulses(step, rows, residual);
  launch(u.count, MissingMomentum{rows.effective_mass, residual, u, residual});
}

void ElasticBackwardEuler::take_derivative() { model_.elastic.find_derivative(); }

void ElasticBackwardEuler::diagonal(double dt, View<SymmetricMatrix3> blocks) {
  model_.elastic.find_diagonal(ElasticEnergies::all, dt * dt, blocks);
}

void ElasticBackwardEuler::multiply(SolveProgress progress, double, const PartRows& rows, View<const Vec3> u,
                                    View<Vec3> y) {
  model_.elastic.find_product(ElasticEnergies::all, progress, rows.effective_mass, u, StepNumber(numbers_, 0),
                              y);
}

void ElasticBackwardEuler::multiply_known(double dt, const PartRows& rows, View<const Vec3> u,
                                          View<const Vec3> known, View<Vec3> y) {
  // The inverse of a factor in half precision or of another body's matrix is exact to 1e-3 only, and so is
  // what is known. Neo-Hookean bodies have another matrix.
  if (model_.elastic.neo_hookean() || !model_.exact_factors()) return multiply({}, dt, rows, u, y);
  model_.elastic.find_known_product({.effective_mass = rows.effective_mass,
                                     .own_mass = own_mass_.view(),
                                     .ratio_squared = StepNumber(numbers_, 2),
                                     .dt_squared = StepNumber(numbers_, 1)},
                                    u, known, y);
}

MERGANSER_END
