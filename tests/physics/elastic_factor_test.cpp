/// Factors of elastic bodies: shared ones, and what takes their place.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/elastic_beam.h"
#include "tests/support/elastic_block.h"
#include "tests/support/elastic_dense_step.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace elastic_factor_test {

using namespace elastic_step_test;
using test::dense_step;
using test::ElasticDriver;
using test::error_of;
using test::SoftBody;

/// A step far below the factor's changes only the number of iterations.
TEST(ElasticStep, FactorOfAnotherStepIsAPreconditionerOnly) {
  SoftBody body = block(ElasticSolve::preconditioned);
  body.parameters.of<ElasticSphParameters>().elastic_time_step = 2.7 * dt;
  ElasticDriver driver(body, gravity);
  disturb(driver);
  EXPECT_LT(error_beside_dense_step(body, driver), 1e-4);
}

/// So does a factor in half precision: what the solve takes for A p must not come from its inverse.
TEST(ElasticStep, FactorInHalfPrecisionIsAPreconditionerOnly) {
  SoftBody body = block(ElasticSolve::preconditioned);
  body.parameters.of<ElasticSphParameters>().factor_precision = FactorPrecision::half;
  ElasticDriver driver(body, gravity);
  disturb(driver);
  EXPECT_LT(error_beside_dense_step(body, driver), 1e-4);
  EXPECT_TRUE(driver.system->statistics(driver.store).tolerance_met);
}

/// A swing of 40 steps: its iterations a step.
double swing_iterations(FactorPrecision precision, int parts, double stiffness) {
  test::Beam beam(5, 30, 0.25, stiffness, 1000, ElasticSolve::preconditioned, dt);
  beam.parameters.of<ElasticSphParameters>().factor_precision = precision;
  beam.parameters.of<ElasticSphParameters>().factor_parts = parts;
  ElasticDriver driver(beam, gravity);
  double sum = 0;
  for (int k = 0; k < 40; ++k) {
    driver.step(dt);
    EXPECT_TRUE(driver.system->tolerance_met());
    sum += driver.system->statistics(driver.store).iterations[0];
  }
  return sum / 40;
}
/// It takes half of the memory, and rounding of 1e-3 in a preconditioner costs no more than a few iterations,
/// whatever the stiffness.
TEST(ElasticStep, HalfPrecisionCostsFewIterations) {
  for (const double stiffness : {1e6, 1e8})
    for (const int parts : {1, 7}) {
      const double single = swing_iterations(FactorPrecision::single, parts, stiffness),
                   half = swing_iterations(FactorPrecision::half, parts, stiffness);
      note("E %g, %d parts: %.2f iterations, %.2f in half precision\n", stiffness, parts, single, half);
      EXPECT_LT(half, 1.5 * single + 1);
    }
  SoftBody body = block(ElasticSolve::preconditioned);
  body.add_lattice(20, 10, 10, {3, 0, 0}, 0.1);
  const auto bytes = [&](FactorPrecision precision, int parts) {
    body.parameters.of<ElasticSphParameters>().factor_precision = precision;
    body.parameters.of<ElasticSphParameters>().factor_parts = parts;
    return ElasticDriver(body).system->factor_metrics().bytes;
  };
  EXPECT_EQ(2 * bytes(FactorPrecision::half, 1), bytes(FactorPrecision::single, 1));
  EXPECT_LT(bytes(FactorPrecision::half, 9), 0.8 * double(bytes(FactorPrecision::single, 9)));
}

/// Eight copies, turned and shifted, share one factor; so does one of twice the spacing, half the stiffness
/// and an eighth of the density, whose matrix is the same. A softer one does not.
TEST(ElasticStep, EqualBodiesShareAFactor) {
  SoftBody body = block(ElasticSolve::preconditioned);
  const auto shape = body.position;
  auto add = [&](int index, double stiffness, double spacing, auto map) {
    body.parameters.of<ElasticSphParameters>().materials.push_back(
        {.body = index, .spacing = spacing, .youngs_modulus = stiffness});
    const double density = 1000 * std::pow(0.05 / spacing, 3);
    for (const Float3& p : shape) {
      const Vec3 x = map(Vec3{p[0], p[1], p[2]});
      body.add({x.x, x.y, x.z}, density, false, index);
    }
  };
  for (int k = 1; k < 8; ++k)
    add(k, 1e6, 0.05, [k](const Vec3& p) { return test::moved_rigidly(p, 0.7 * k, {float(k), 2, 1}); });
  add(8, 5e5, 0.1, [](const Vec3& p) { return 2.0f * p; });
  add(9, 9e5, 0.05, [](const Vec3& p) { return p; });
  const ElasticDriver driver(body);
  const FactoredBodies::Figures figures = driver.system->factor_metrics();
  EXPECT_EQ(figures.bodies, 10);
  EXPECT_EQ(figures.factors, 2);
}

/// Copies that move alike, far apart: one factor for all, of many small ones its inverse, and the same
/// velocities as a body by itself.
TEST(ElasticStep, CopiesMoveLikeOne) {
  SoftBody one = block(ElasticSolve::preconditioned);
  for (size_t i = 0; i < one.position.size(); ++i)
    one.velocity[i] = {0, 0, 4 * std::sin(20 * one.position[i][0])};
  ElasticDriver single(one);
  single.run(20, dt);
  const auto a = single.velocities();
  for (const int copies : {3, 5}) {
    SoftBody many = one;
    for (int k = 1; k < copies; ++k) {
      many.parameters.of<ElasticSphParameters>().materials.push_back(
          one.parameters.of<ElasticSphParameters>().materials[0]);
      many.parameters.of<ElasticSphParameters>().materials.back().body = k;
      for (size_t i = 0; i < one.position.size(); ++i) {
        const Float3& p = one.position[i];
        many.add({p[0], p[1] + 4 * float(k), p[2]}, 1000, false, k);
        many.velocity.back() = one.velocity[i];
      }
    }
    ElasticDriver driver(many);
    EXPECT_EQ(driver.system->factor_metrics().factors, 1);
    EXPECT_EQ(driver.system->factor_metrics().inverses, copies < 4 ? 0 : 1);
    driver.run(20, dt);
    const auto b = driver.velocities();
    for (size_t i = 0; i < b.size(); ++i) EXPECT_LT(norm(b[i] - a[i % a.size()]), 1e-3f);
  }
}

/// A stiff body, a soft one and one of another size, far apart, that move like each by itself: on the GPU
/// their factors are one forest.
TEST(ElasticStep, UnequalBodiesMoveLikeEachAlone) {
  const SoftBody like = block(ElasticSolve::preconditioned);
  const auto add = [&](SoftBody& to, int index, size_t count, double stiffness, float shift) {
    to.parameters.of<ElasticSphParameters>().materials.resize(
        size_t(index) + 1, like.parameters.of<ElasticSphParameters>().materials[0]);
    to.parameters.of<ElasticSphParameters>().materials.back().body = index;
    to.parameters.of<ElasticSphParameters>().materials.back().youngs_modulus = stiffness;
    for (size_t i = 0; i < count; ++i) {
      const Float3& p = like.position[i];
      to.add({p[0], p[1] + shift, p[2]}, 1000, false, index);
      to.velocity.back() = {0, 0, 4 * std::sin(20 * p[0])};
    }
  };
  const size_t whole = like.position.size();
  const std::vector<std::pair<size_t, double>> bodies{{whole, 1e6}, {whole, 3e5}, {whole - 20, 1e6}};
  SoftBody all;
  all.parameters.of<ElasticSphParameters>() = like.parameters.of<ElasticSphParameters>();
  std::vector<Vec3> alone;
  for (size_t k = 0; k < bodies.size(); ++k) {
    SoftBody one;
    one.parameters.of<ElasticSphParameters>() = like.parameters.of<ElasticSphParameters>();
    add(one, 0, bodies[k].first, bodies[k].second, 0);
    add(all, static_cast<int>(k), bodies[k].first, bodies[k].second, 4 * float(k));
    ElasticDriver driver(one);
    driver.run(20, dt);
    const auto velocities = driver.velocities();
    alone.insert(alone.end(), velocities.begin(), velocities.end());
  }
  ElasticDriver driver(all);
  EXPECT_EQ(driver.system->factor_metrics().factors, 3);
  driver.run(20, dt);
  const auto together = driver.velocities();
  ASSERT_EQ(together.size(), alone.size());
  for (size_t i = 0; i < alone.size(); ++i) EXPECT_LT(norm(together[i] - alone[i]), 1e-3f) << i;
}

/// One more body: the first one's particles, turned and shifted, with its velocities turned and its rest
/// shape.
void add_copy(SoftBody& body, size_t own, double angle, const Vec3& shift, bool shares) {
  auto& materials = body.parameters.of<ElasticSphParameters>().materials;
  const int index = static_cast<int>(materials.size());
  materials.push_back(materials[0]);
  materials.back().body = index;
  if (shares) materials.back().rest_shape_of = 0;
  const auto at = [&](const Float3& p, const Vec3& by) {
    return test::moved_rigidly({p[0], p[1], p[2]}, angle, by);
  };
  for (size_t i = 0; i < own; ++i) {
    const Vec3 x = at(body.position[i], shift), v = at(body.velocity[i], {0, 0, 0});
    body.add({x.x, x.y, x.z}, 1000, body.immobile[i], index);
    body.velocity.back() = {v.x, v.y, v.z};
  }
}

/// The matrix is built of distances and of scalar products of offsets, so that turning the rest shape does
/// not change it: copies that start turned, by more than Newton's method for rotations reaches, move like the
/// first body, turned, whatever controls their zero-energy modes.
TEST(ElasticStep, TurnedCopiesMoveLikeTheFirstTurned) {
  for (const ZeroEnergyControl control :
       {ZeroEnergyControl::implicit_energy, ZeroEnergyControl::explicit_force}) {
    SoftBody body = block(ElasticSolve::preconditioned);
    body.parameters.of<ElasticSphParameters>().zero_energy = control;
    const bool is_explicit = control == ZeroEnergyControl::explicit_force;
    if (is_explicit) body.parameters.of<ElasticSphParameters>().materials[0].alpha = 0.1;  // 10 is unstable
    const size_t own = body.position.size();
    body.immobile[7] = 1;
    for (size_t i = 0; i < own; ++i)
      if (i != 7) body.velocity[i] = {0, 0, 4 * std::sin(20 * body.position[i][0])};
    const std::vector<double> angles{1.7, 3.14159265, 4.4};
    for (size_t k = 0; k < angles.size(); ++k) add_copy(body, own, angles[k], {4 * float(k + 1), 0, 0}, true);
    ElasticDriver driver(body);
    EXPECT_EQ(driver.system->factor_metrics().factors, 1);
    EXPECT_EQ(driver.system->factor_metrics().approximate, 0);
    driver.run(20, is_explicit ? 0.1 * dt : dt);
    const auto v = driver.velocities();
    for (size_t k = 0; k < angles.size(); ++k)
      for (size_t i = 0; i < own; ++i)
        EXPECT_LT(norm(v[(k + 1) * own + i] - test::moved_rigidly(v[i], angles[k], {0, 0, 0})), 2e-3f);
  }
}

/// |b - A u| / |b| of the step that is taken, by the dense equations in double.
double true_residual(const SoftBody& body, ElasticDriver& driver) {
  const auto equations = test::dense_equations(body, driver, dt, {}, {});
  const StepContext step = driver.context(dt);
  driver.system->prepare(step);
  driver.system->integrate(step, MetaParticleView{}, 0, driver.end_velocity.view());
  return test::residual_of(equations, test::precise(driver.end_velocity.to_host()));
}

/// What a solve says that it has left is what it has left: of a body far from the origin whose factor is that
/// of another, whose positions are rounded otherwise; and of bodies so stiff that float takes digits off the
/// factor's solution. (Alone a body's products of what the factor has solved for are known, see
/// known_product.h.) The last digits of end velocities are float's, 6e-8 of them times the stiffness.
TEST(ElasticStep, ResidualIsWhatIsClaimed) {
  for (const double stiffness : {1e6, 3e8})
    for (const bool copied : {true, false}) {
      SoftBody body = block(ElasticSolve::preconditioned, 1e-4);
      body.parameters.of<ElasticSphParameters>().materials[0].youngs_modulus = stiffness;
      if (copied) add_copy(body, body.position.size(), 0.7, {150, -120, 90}, false);
      ElasticDriver driver(body, gravity);
      EXPECT_EQ(driver.system->factor_metrics().factors, 1);
      EXPECT_EQ(driver.system->factor_metrics().approximate, copied ? 1 : 0);
      disturb(driver);
      const double found = true_residual(body, driver);
      const SystemStatistics statistics = driver.system->statistics(driver.store);
      EXPECT_TRUE(statistics.tolerance_met);
      note("E %g, %s: claimed %g, found %g, %d iterations\n", stiffness, copied ? "and a copy" : "alone",
           statistics.residual, found, statistics.iterations[0]);
      EXPECT_LT(found, 1.2e-4) << "claimed " << statistics.residual;
    }
}

TEST(ElasticStep, WithoutMemoryForTheFactorBlockJacobiTakesItsPlace) {
  SoftBody body = block(ElasticSolve::preconditioned);
  body.parameters.of<ElasticSphParameters>().factor_memory = 100;
  ElasticDriver driver(body, gravity);
  EXPECT_FALSE(driver.system->implicit_system()->preconditions());
  EXPECT_EQ(driver.system->warnings().size(), 1u);
  disturb(driver);
  const auto start = driver.velocities();
  const auto wanted = dense_step(body, driver, dt, {}, {});
  driver.step(dt);
  EXPECT_LT(error_of(driver.velocities(), wanted, start), 1e-4);
  body.parameters.of<ElasticSphParameters>().solve = ElasticSolve::split;
  EXPECT_THROW(ElasticDriver refused(body), InputError);
}

}  // namespace elastic_factor_test
MERGANSER_END
