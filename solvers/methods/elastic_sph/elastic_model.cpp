#include "solvers/methods/elastic_sph/elastic_model.h"

#include <algorithm>

MERGANSER_BEGIN

ElasticModel::ElasticModel(const SystemState& state, int index, const ParticleStore& particles,
                           const RestShape& shape)
    : system_index(index),
      parameters(state.parameters.of<ElasticSphParameters>()),
      name(state.name),
      elastic(shape, parameters.zero_energy),
      positions(index, shape.count()),
      balance(shape.first, shape.neighbor) {
  if (elastic.has_explicit_control()) control_impulse.resize(shape.count());
  if (parameters.solve != ElasticSolve::conjugate_gradient) make_factors(shape, particles);
}

void ElasticModel::make_factors(const RestShape& shape, const ParticleStore& particles) {
  if (!(parameters.elastic_time_step > 0))
    throw InputError("system '" + name + "': elasticTimeStep is " +
                     std::to_string(parameters.elastic_time_step) + " s; it must be greater than 0");
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

void ElasticModel::record_solve(int stage, const LinearSolveResult& result) {
  if (stage == 0) statistics = {};
  statistics.iterations[stage] = result.iterations;
  statistics.residual = std::max(statistics.residual, result.residual);
  statistics.tolerance_met = statistics.tolerance_met && result.tolerance_met;
}

MERGANSER_END
