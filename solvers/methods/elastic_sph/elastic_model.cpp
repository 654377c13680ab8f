#include "solvers/methods/elastic_sph/elastic_model.h"

#include <algorithm>
#include <array>
#include <cmath>

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

/// Before anything is factored: every rest shape once, and its copies.
SolveCosts expected_costs(const RestShape& shape, const ElasticOperator& elastic) {
  std::vector<std::vector<int>> members(shape.bodies.size());
  std::vector<int> copies(shape.bodies.size(), 0);
  for (int i = 0; i < shape.count(); ++i) members[size_t(shape.body_of[size_t(i)])].push_back(i);
  for (size_t b = 0; b < members.size(); ++b)
    if (!members[b].empty())
      ++copies[shape.bodies[b].rest_shape_of < 0 ? b : size_t(shape.bodies[b].rest_shape_of)];
  double numbers = 0, swept = 0;
  for (size_t b = 0; b < members.size(); ++b) {
    if (copies[b] == 0 || members[b].empty()) continue;
    const double of_body = expected_nonzeros(shape, members[b]);
    numbers += of_body;
    swept += swept_numbers(of_body, copies[b]);
  }
  return SolveCosts::of(shape.count(), elastic.slots(), numbers, swept, !elastic.neo_hookean());
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
      parameters(state.parameters.of<ElasticSphParameters>()),
      name(state.name),
      elastic(shape, parameters.zero_energy, parameters.law),
      positions(index, shape.count()),
      balance(shape.first, shape.neighbor) {
  if (elastic.has_explicit_control()) control_impulse.resize(shape.count());
  if (elastic.neo_hookean() && !implicit())
    throw InputError("system '" + name +
                     "': \"material\": \"neoHookean\" cannot be solved by \"solve\": \"split\"; use auto, "
                     "preconditioned or conjugateGradient");
  if (parameters.solve == ElasticSolve::conjugate_gradient) return;
  if (!(parameters.elastic_time_step > 0))
    throw InputError("system '" + name + "': elasticTimeStep is " +
                     std::to_string(parameters.elastic_time_step) + " s; it must be greater than 0");
  if (parameters.solve != ElasticSolve::automatic) {
    make_factors(shape, particles);
    return;
  }
  choice.emplace(expected_costs(shape, elastic), greatest_lambda_over_mu(shape), parameters.tolerance);
  rest_shape_ = std::make_unique<RestShape>(shape);
}

void ElasticModel::make_factors(const RestShape& shape, const ParticleStore& particles) {
  const bool half = implicit() && parameters.half_factor;
  try {
    factored = std::make_unique<FactoredBodies>(shape, particles, particles.range(system_index),
                                                parameters.elastic_time_step, elastic.has_implicit_control(),
                                                parameters.factor_memory,
                                                half ? FactorStorage::half : FactorStorage::single);
  } catch (const FactorTooLarge& error) {
    if (!implicit())
      throw InputError("system '" + name + "': " + error.what() +
                       "; \"solve\": \"split\" needs it: raise factorMemory or lower --resolution");
    too_large = error.what();
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
    factor_costs_ = SolveCosts::of(rest_shape_->count(), elastic.slots(), double(figures.nonzeros),
                                   figures.swept, !elastic.neo_hookean());
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
