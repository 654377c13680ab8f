/// Cloth, brittle solids, elastic SPH and the sparse Cholesky factorization.
#include "solvers/benchmarks/elastic_matrix.h"
#include "solvers/linear/cholesky/explicit_inverse.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/backends/samples/sample_numbers.h"
#include "tests/support/elastic_driver.h"
#include "tests/support/merged_cloth.h"
#include "tests/support/meta_groups.h"
#include "tests/support/peridynamics_driver.h"

MERGANSER_BEGIN

namespace {

/// Both stages of a step of a waving cloth, a tenth of it merged. The solves stop at 1e-7 of the right side.
KernelSample merged_cloth() {
  test::MergedCloth cloth({.side = 40, .stiffness_ratio = 20, .spring_damping = 1e-4, .tolerance = 1e-7});
  cloth.prepare();
  const test::HandMadeGroups first = cloth.first_groups();
  cloth.integrate(first, 0);
  KernelSample sample;
  sample.tolerance = 1e-5;
  add_numbers(sample, "first stage", cloth.end_velocity.to_host());
  cloth.synchronize(first);
  cloth.integrate(cloth.second_groups(), 1);
  add_numbers(sample, "second stage", cloth.end_velocity.to_host());
  return sample;
}

test::BrittleBody brittle_block() {
  test::BrittleBody body;
  body.parameters.of<PeridynamicsParameters>().tolerance = 1e-7;
  body.parameters.of<PeridynamicsParameters>().damping = 1e-4;
  body.parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = 0.02;
  body.parameters.of<PeridynamicsParameters>().materials[0].stretch_scatter = 0.2;
  body.add_lattice(12, 9, 7);
  for (size_t i = 0; i < body.velocity.size(); ++i) {
    const Float3& x = body.position[i];
    body.velocity[i] = {4 * x[1], 30 * x[0] * x[0] - 3 * x[2], 0};
    body.immobile[i] = x[0] == 0;
  }
  return body;
}
/// x strained by s and more, along two axes by different amounts, and sheared.
std::vector<Vec3> stretched(const std::vector<Vec3>& x, float s) {
  std::vector<Vec3> y;
  for (const Vec3& p : x)
    y.push_back({(1 + s) * p.x + 30 * s * p.x * p.y, (1 + 1.8f * s) * p.y, p.z + 5 * s * p.x});
  return y;
}
template <PeridynamicIntegration integration>
KernelSample brittle() {
  test::BrittleBody body = brittle_block();
  body.parameters.of<PeridynamicsParameters>().integration = integration;
  test::PeridynamicsDriver driver(body);
  KernelSample sample;
  sample.tolerance = 1e-5;
  const auto rest = driver.positions();
  driver.set_positions(stretched(rest, 0.1f));  // of 0.01 the rounding of lengths would be 6e-6
  add_numbers(sample, "forces", driver.forces());
  driver.set_positions(rest);
  driver.run(3, 2e-5);
  add_numbers(sample, "position", driver.positions());
  add_numbers(sample, "velocity", driver.velocities());
  add_numbers(sample, "energy", std::vector<double>{driver.elastic_energy()});
  return sample;
}
/// Which bonds break is rounding's decision where a stretch is within 1e-6 of its limit: none is here.
KernelSample fracture() {
  test::PeridynamicsDriver driver(brittle_block());
  driver.fracture(stretched(driver.positions(), 0.01f));
  KernelSample sample;
  sample.integers.emplace_back("bonds", driver.entries());
  return sample;
}
/// A step with groups of its own members: rows of the reduced system.
KernelSample grouped_brittle() {
  test::BrittleBody body = brittle_block();
  test::PeridynamicsDriver driver(body);
  std::vector<std::vector<int>> lists;
  std::vector<Vec3> velocity;
  for (int g = 0; g < 20; ++g) {
    lists.push_back({30 * g + 1, 30 * g + 5, 30 * g + 12});
    velocity.push_back({0.1f * float(g), 0.3f, -0.2f});
  }
  const MetaGroups groups(driver.store.count(), lists, velocity, std::vector<float>(lists.size(), 300));
  KernelReport report;
  StepContext step{driver.store, report, {0, 0, -9.81f}, 0, 2e-5, 0};
  driver.system->prepare(step);
  driver.system->integrate(step, groups.view(), 0, driver.end_velocity.view());
  KernelSample sample;
  sample.tolerance = 1e-5;
  add_numbers(sample, "end velocity", driver.end_velocity.to_host());
  return sample;
}

template <ElasticSolve solve>
KernelSample elastic() {
  test::SoftBody body;
  body.parameters.of<ElasticSphParameters>().solve = solve;
  body.parameters.of<ElasticSphParameters>().tolerance = 1e-6;
  body.add_lattice(11, 6, 5, {0, 0, 0.3f}, 0.2);
  for (int j = 0; j < 60; ++j) body.immobile[size_t(11 * (j % 30))] = 1;
  test::ElasticDriver driver(body, {0, 0, -9.81f});
  KernelSample sample;
  sample.tolerance = 2e-5;
  const auto bent = test::mapped(test::vectors(body.position), test::deformed);
  add_numbers(sample, "forces", driver.forces(bent));
  add_numbers(sample, "energy", std::vector<double>{driver.energy(bent)});
  driver.run(3, 2e-3);
  add_numbers(sample, "position", driver.positions());
  add_numbers(sample, "velocity", driver.velocities());
  return sample;
}
KernelSample explicit_zero_energy() {
  test::SoftBody body;
  body.parameters.of<ElasticSphParameters>().zero_energy = ZeroEnergyControl::explicit_force;
  body.add_lattice(7, 6, 5, {0, 0, 0}, 0.2);
  test::ElasticDriver driver(body);
  KernelSample sample;
  sample.tolerance = 2e-5;
  add_numbers(sample, "forces", driver.forces(test::mapped(test::vectors(body.position), test::deformed)));
  return sample;
}

/// The factor is in float: solutions differ by its condition times rounding.
KernelSample cholesky() {
  const auto positions = jittered_block(14, 12, 10);
  const HostSparseMatrix matrix = elastic_matrix(positions, 100);
  Cholesky factor(matrix, positions, {});
  KernelSample sample;
  sample.tolerance = 1e-5;
  for (const int sides : {1, 3, 24}) {
    std::vector<float> b;
    for (int k = 0; k < matrix.rows() * sides; ++k)
      b.push_back(uniform_float(test_bits(k, 31).word[0]) - 0.5f);
    const Array<float> right_side(b);
    Array<float> solution(right_side.size());
    factor.solve(right_side.view(), solution.view(), sides);
    add_numbers(sample, std::to_string(sides) + " right sides", solution.to_host());
  }
  return sample;
}
KernelSample explicit_inverse() {
  const auto positions = jittered_block(8, 7, 6);
  const HostSparseMatrix matrix = elastic_matrix(positions, 100);
  Cholesky factor(matrix, positions, {});
  const ExplicitInverse inverse(factor);
  constexpr int sides = 12;
  std::vector<float> b;
  for (int k = 0; k < matrix.rows() * sides + ExplicitInverse::padding; ++k)
    b.push_back(uniform_float(test_bits(k, 32).word[0]) - 0.5f);
  const Array<float> right_side(b);
  Array<float> solution(matrix.rows() * sides + ExplicitInverse::padding);
  inverse.solve(right_side.view(), solution.view(), sides);
  KernelSample sample;
  sample.tolerance = 1e-5;
  auto values = solution.to_host();
  values.resize(size_t(matrix.rows()) * sides);
  add_numbers(sample, "solution", values);
  return sample;
}

}  // namespace

SampleList solid_samples() {
  return {{"MergedCloth", merged_cloth},
          {"BrittleImplicit", brittle<PeridynamicIntegration::implicit_euler>},
          {"BrittleExplicit", brittle<PeridynamicIntegration::explicit_verlet>},
          {"BrittleFracture", fracture},
          {"BrittleWithGroups", grouped_brittle},
          {"ElasticPreconditioned", elastic<ElasticSolve::preconditioned>},
          {"ElasticSplit", elastic<ElasticSolve::split>},
          {"ElasticConjugateGradient", elastic<ElasticSolve::conjugate_gradient>},
          {"ElasticExplicitZeroEnergy", explicit_zero_energy},
          {"Cholesky", cholesky},
          {"ExplicitInverse", explicit_inverse}};
}

MERGANSER_END
