#include "solvers/methods/elastic_sph/elastic_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/core/checked_parameters.h"
#include "solvers/methods/elastic_sph/elastic_estimate.h"

MERGANSER_BEGIN

namespace {

/// Non-zeros of the factor of a body that fills its box, or is as thick throughout as it is on average.
double expected_nonzeros(const RestShape& shape, const std::vector<int>& members) {
  Vec3d low = shape.position[size_t(members[0])], high = low;
  for (const int i : members) {
    const Vec3d& x = shape.position[size_t(i)];
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  const double spacing = std::cbrt(shape.body(members[0]).volume), count = double(members.size());
  std::array<double, 3> side{high.x - low.x, high.y - low.y, high.z - low.z};
  for (double& s : side) s = s / spacing + 1;
  std::sort(side.begin(), side.end());
  return factor_nonzeros(count, std::max(1.0, count / (side[1] * side[2])));
}

/// Factors before anything is factored: every rest shape once, and its copies.
struct ExpectedFactors {
  std::vector<int> parts;  ///< by body index, see FactorOptions
  double numbers = 0, swept = 0, bytes = 0;
  bool in_parts = false;
};
ExpectedFactors expected_factors(const RestShape& shape, const ElasticSphParameters& parameters, bool cheap) {
  std::vector<std::vector<int>> members(shape.bodies.size());
  for (int i = 0; i < shape.count(); ++i) members[size_t(shape.body_of[size_t(i)])].push_back(i);
  const auto original = [&](size_t b) {
    return shape.bodies[b].rest_shape_of < 0 ? b : size_t(shape.bodies[b].rest_shape_of);
  };
  std::vector<int> copies(shape.bodies.size(), 0);
  for (size_t b = 0; b < members.size(); ++b)
    if (!members[b].empty()) ++copies[original(b)];
  ExpectedFactors made{std::vector<int>(shape.bodies.size(), 1)};
  for (size_t b = 0; b < members.size(); ++b) {
    if (copies[b] == 0 || members[b].empty()) continue;
    const double whole = expected_nonzeros(shape, members[b]), count = double(members[b].size());
    made.parts[b] = parameters.solve == ElasticSolve::split
                        ? 1
                        : factor_parts(parameters.factor_parts, count, whole, cheap);
    const double numbers = made.parts[b] > 1 ? numbers_in_parts(count, made.parts[b]) : whole;
    made.in_parts = made.in_parts || made.parts[b] > 1;
    made.numbers += numbers;
    made.swept += swept_numbers(numbers, copies[b]);
  }
  for (size_t b = 0; b < members.size(); ++b) made.parts[b] = made.parts[original(b)];
  made.bytes = 4 * made.numbers;
  return made;
}
/// Whole factors that will not fit are not tried.
bool is_cheap(const RestShape& shape, const ElasticSphParameters& parameters) {
  return parameters.factor_memory > 0 &&
         expected_factors(shape, parameters, false).bytes > 2 * parameters.factor_memory;
}

/// Before anything is factored.
SolveCosts expected_costs(const RestShape& shape, int slots, const ElasticSphParameters& parameters,
                          bool known_products) {
  const ExpectedFactors expected = expected_factors(shape, parameters, is_cheap(shape, parameters));
  return SolveCosts::of(shape.count(), slots, expected.numbers, expected.swept,
                        known_products && !expected.in_parts, expected.in_parts);
}

double greatest_lambda_over_mu(const RestShape& shape) {
  double greatest = 0;
  for (const ElasticBody& body : shape.bodies)
    if (body.mu > 0) greatest = std::max(greatest, body.lambda / body.mu);
  return greatest;
}

}  // namespace

ElasticModel::ElasticModel(const SystemState& state, int index, const ParticleStore& particles,
                           const RestShape& shape)
    : system_index(index),
      parameters(checked_parameters<ElasticSphParameters>(state)),
      name(state.name),
      elastic(shape, parameters.zero_energy, parameters.law),
      positions(index, shape.count()),
      balance(shape.first, shape.neighbor),
      contact_walls(shape.count()) {
  measure_scales(particles);
  if (elastic.has_explicit_control()) control_impulse.resize(shape.count());
  if (elastic.neo_hookean() && !implicit())  // scenes have a rule for it
    throw InputError("system '" + name + "': split solves take no Neo-Hookean bodies");
  if (parameters.solve == ElasticSolve::conjugate_gradient) return;
  if (!(parameters.elastic_time_step > 0))
    throw InputError("system '" + name + "': elasticTimeStep is " +
                     std::to_string(parameters.elastic_time_step) + " s; it must be greater than 0");
  if (parameters.solve != ElasticSolve::automatic) {
    make_factors(shape, particles);
    return;
  }
  choice.emplace(
      expected_costs(shape, elastic.slots(), parameters, !elastic.neo_hookean() && !half_factors()),
      greatest_lambda_over_mu(shape), parameters.tolerance);
  rest_shape_ = std::make_unique<RestShape>(shape);
}

void ElasticModel::measure_scales(const ParticleStore& particles) {
  const Range range = particles.range(system_index);
  const auto mass = to_host(particles.mass.const_view().subview(range.first, range.count));
  const auto inverse = to_host(particles.inverse_mass.const_view().subview(range.first, range.count));
  double sum = 0;
  for (size_t i = 0; i < mass.size(); ++i)
    if (inverse[i] > 0) sum += double(mass[i]) * double(mass[i]);
  mass_norm_ = std::sqrt(sum);
  for (const ElasticMaterial& material : parameters.materials)
    spacing_ = std::min(spacing_, material.spacing);
}

double ElasticModel::least_reference(const StepContext& step, double dt) const {
  // Line searches compare energies, which have half the digits of forces; pairs of floats have fewer.
  const double spacings = !elastic.neo_hookean() ? 1e-8 : MERGANSER_GPU_HALF ? 1e-6 : 1e-7;
  return mass_norm_ * (0.01 * norm(to_double(step.gravity)) * dt + spacings * spacing_ / dt);
}

void ElasticModel::make_factors(const RestShape& shape, const ParticleStore& particles, bool cheap) {
  factored = std::make_unique<FactoredBodies>(
      shape, particles, particles.range(system_index),
      FactorOptions{.dt = parameters.elastic_time_step,
                    .control = elastic.has_implicit_control(),
                    .memory_limit = parameters.factor_memory,
                    .storage = half_factors() ? FactorStorage::half : FactorStorage::single,
                    .parts = expected_factors(shape, parameters, cheap).parts});
}

void ElasticModel::make_factors(const RestShape& shape, const ParticleStore& particles) {
  const bool may_cut = implicit() && parameters.factor_parts == 0;
  bool cheap = may_cut && is_cheap(shape, parameters);
  for (;; cheap = true) try {
      return make_factors(shape, particles, cheap);
    } catch (const FactorTooLarge& error) {
      if (may_cut && !cheap) continue;
      if (!implicit())
        throw InputError("system '" + name + "': " + error.what() +
                         "; \"solve\": \"split\" needs it: raise factorMemory or lower --resolution");
      too_large = error.what();
      return;
    }
}

void ElasticModel::make_wanted_factors(const ParticleStore& particles) {
  if (rest_shape_) {
    try {
      make_factors(*rest_shape_, particles);
    } catch (const FactorFailed& error) {
      too_large = error.what();
    }
    if (!factored) return choice->refuse();
    const FactoredBodies::Figures figures = factored->setup_metrics();
    factor_costs_ =
        SolveCosts::of(rest_shape_->count(), elastic.slots(), double(figures.nonzeros), figures.swept,
                       !elastic.neo_hookean() && exact_factors(), figures.parts > 0);
    rest_shape_.reset();
  }
  choice->set_up(factor_costs_);
}

void ElasticModel::record_solve(int stage, const LinearSolveResult& result) {
  if (stage == 0) statistics = {};
  statistics.iterations[stage] = result.iterations;
  statistics.residual = std::max(statistics.residual, result.residual);
  statistics.tolerance_met = statistics.tolerance_met && result.tolerance_met;
}

MERGANSER_END
