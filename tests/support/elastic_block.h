#pragma once
/// A block of 60 particles for the tests of elastic steps.
#include <cmath>

#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/elastic_dense_step.h"
#include "tests/support/elastic_driver.h"

MERGANSER_BEGIN
namespace elastic_step_test {

inline constexpr double dt = 2e-3;
inline const Vec3 gravity{0.5f, -1, -9.81f};

inline test::SoftBody block(ElasticSolve solve, double tolerance = 1e-6) {
  test::SoftBody body;
  body.parameters.of<ElasticSphParameters>().solve = solve;
  body.parameters.of<ElasticSphParameters>().tolerance = tolerance;
  body.parameters.of<ElasticSphParameters>().max_iterations = 500;
  body.parameters.of<ElasticSphParameters>().elastic_time_step = dt;
  body.add_lattice(5, 4, 3, {1, -0.5f, 0.3f}, 0.2);
  return body;
}

/// Bent and moving.
inline void disturb(test::ElasticDriver& driver) {
  auto x = driver.positions(), v = driver.velocities();
  for (Vec3& p : x) p = test::deformed(p);
  for (size_t i = 0; i < v.size(); ++i)
    if (driver.store.inverse_mass.to_host()[i] > 0)
      v[i] = {std::sin(9 * x[i].y), std::cos(7 * x[i].z), 0.5f + std::sin(11 * x[i].x)};
  driver.store.position.assign(x);
  driver.store.velocity.assign(v);
}

/// Takes one step of the driver's solve, without groups; its greatest error against the dense solution.
inline double error_beside_dense_step(const test::SoftBody& body, test::ElasticDriver& driver) {
  const auto start = driver.velocities();
  const auto wanted = test::dense_step(body, driver, dt, {}, {});
  const StepContext step = driver.context(dt);
  driver.system->prepare(step);
  driver.system->integrate(step, MetaParticleView{}, 0, driver.end_velocity.view());
  return test::error_of(driver.end_velocity.to_host(), wanted, start);
}

}  // namespace elastic_step_test
MERGANSER_END
