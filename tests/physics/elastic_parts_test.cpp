/// Elastic bodies whose matrix is cut into parts.
#include <gtest/gtest.h>

#include <cmath>

#include "device/launch_order.h"
#include "solvers/methods/elastic_sph/elastic_estimate.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/elastic_beam.h"
#include "tests/support/elastic_block.h"
#include "tests/support/note.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace elastic_parts_test {

using namespace elastic_step_test;
using test::ElasticDriver;
using test::SoftBody;

SoftBody cut_block(int parts, double tolerance = 1e-6) {
  SoftBody body = block(ElasticSolve::preconditioned, tolerance);
  body.parameters.of<ElasticSphParameters>().factor_parts = parts;
  return body;
}

/// Parts take their share of the answer's accuracy from the tolerance alone, whichever particles are held.
TEST(ElasticParts, AStepIsTheDenseSolution) {
  for (const int parts : {2, 5, 30})
    for (const bool held : {false, true}) {
      SoftBody body = cut_block(parts);
      if (held)
        for (const size_t i : {size_t(0), size_t(7), size_t(31), size_t(32)}) body.immobile[i] = 1;
      ElasticDriver driver(body, gravity);
      EXPECT_EQ(driver.system->factor_metrics().parts, parts);
      EXPECT_EQ(driver.system->factor_metrics().factors, 1);
      EXPECT_TRUE(driver.system->implicit_system()->preconditions());
      disturb(driver);
      EXPECT_LT(error_beside_dense_step(body, driver), 1e-4);
      EXPECT_TRUE(driver.system->statistics(driver.store).tolerance_met);
    }
}

/// A clamped beam of 4 x 4 particles that swings: iterations of its solves and where it is.
struct Swing {
  double iterations = 0;
  std::vector<Vec3> positions;
};
Swing swing(int parts, double stiffness, ElasticSolve solve = ElasticSolve::preconditioned) {
  test::Beam beam(4, 60, 0.2, stiffness, 1000, solve, dt);
  beam.parameters.of<ElasticSphParameters>().factor_parts = parts;
  beam.parameters.of<ElasticSphParameters>().max_iterations = 2000;
  ElasticDriver driver(beam, {0, 0, -9.81f});
  Swing made;
  constexpr int steps = 40;
  for (int k = 0; k < steps; ++k) {
    driver.step(dt);
    EXPECT_TRUE(driver.system->tolerance_met());
    made.iterations += double(driver.system->statistics(driver.store).iterations[0]) / steps;
  }
  made.positions = driver.positions();
  return made;
}

/// A slender beam moves like that of a whole factor, with at most two and a half times its iterations,
/// however many parts there are and however stiff it is (block Jacobi: fifteen times).
TEST(ElasticParts, IterationsDoNotGrowWithTheParts) {
  for (const double stiffness : {3e6, 3e8}) {
    const Swing whole = swing(1, stiffness);
    const Swing blocks = swing(1, stiffness, ElasticSolve::conjugate_gradient);
    for (const int parts : {2, 8, 30}) {
      const Swing cut = swing(parts, stiffness);
      note("E %g, %d parts: %.1f iterations, whole %.1f, block Jacobi %.1f\n", stiffness, parts,
           cut.iterations, whole.iterations, blocks.iterations);
      EXPECT_LT(cut.iterations, 2.5 * whole.iterations + 1);
      for (size_t i = 0; i < whole.positions.size(); ++i)
        ASSERT_LT(norm(cut.positions[i] - whole.positions[i]), 3e-4f) << i;
    }
  }
}

/// Copies, turned and shifted, share one set of parts, which serves the right sides of all.
TEST(ElasticParts, CopiesShareThem) {
  SoftBody body = cut_block(6, 1e-5);
  const size_t own = body.position.size();
  for (size_t i = 0; i < own; ++i) body.velocity[i] = {0, 0, 4 * std::sin(20 * body.position[i][0])};
  for (int k = 1; k < 4; ++k) {
    auto& materials = body.parameters.of<ElasticSphParameters>().materials;
    materials.push_back(materials[0]);
    materials.back().body = k;
    materials.back().rest_shape_of = 0;
    for (size_t i = 0; i < own; ++i) {
      const Float3 p = body.position[i];
      body.add({p[0], p[1] + 4 * float(k), p[2]}, 1000, false, k);
      body.velocity.back() = body.velocity[i];
    }
  }
  ElasticDriver driver(body);
  EXPECT_EQ(driver.system->factor_metrics().factors, 1);
  EXPECT_EQ(driver.system->factor_metrics().bodies, 4);
  EXPECT_EQ(driver.system->factor_metrics().parts, 6);
  driver.run(10, dt);
  const auto v = driver.velocities();
  for (size_t i = own; i < v.size(); ++i) EXPECT_LT(norm(v[i] - v[i % own]), 1e-3f);
}

/// Where the whole factor exceeds `factorMemory`, parts take its place, by `preconditioned` and by `auto`;
/// where they do not fit either, block Jacobi does.
TEST(ElasticParts, TakeThePlaceOfAFactorThatIsTooLarge) {
  SoftBody body = block(ElasticSolve::preconditioned, 1e-5);
  body.add_lattice(14, 10, 10, {3, 0, 0}, 0.1);
  ElasticDriver whole(body, gravity);
  const FactoredBodies::Figures figures = whole.system->factor_metrics();
  EXPECT_EQ(figures.parts, 0);
  for (const ElasticSolve solve : {ElasticSolve::preconditioned, ElasticSolve::automatic})
    for (const double share : {0.9, 0.6}) {
      auto& p = body.parameters.of<ElasticSphParameters>();
      p.factor_memory = share * double(figures.bytes);
      p.solve = solve;
      ElasticDriver cut(body, gravity);
      if (solve == ElasticSolve::automatic) disturb(cut), cut.run(60, dt);
      if (!cut.system->implicit_system()->preconditions()) continue;
      EXPECT_GT(cut.system->factor_metrics().parts, 5);
      EXPECT_LT(double(cut.system->factor_metrics().bytes), p.factor_memory);
    }
  auto& p = body.parameters.of<ElasticSphParameters>();
  p.solve = ElasticSolve::preconditioned;
  p.factor_memory = 0.9 * double(figures.bytes);
  EXPECT_TRUE(ElasticDriver(body).system->implicit_system()->preconditions());
  p.factor_memory = 1000;
  EXPECT_FALSE(ElasticDriver(body).system->implicit_system()->preconditions());
  p.factor_parts = 1;  // whole or not at all
  p.factor_memory = 0.9 * double(figures.bytes);
  EXPECT_FALSE(ElasticDriver(body).system->implicit_system()->preconditions());
}

/// The same bits with any number of threads, in any order of indices, and from a checkpoint.
TEST(ElasticParts, SameBits) {
  const std::vector<std::pair<ElasticSolve, FactorPrecision>> cases{
      {ElasticSolve::preconditioned, FactorPrecision::single},
      {ElasticSolve::automatic, FactorPrecision::single},
      {ElasticSolve::preconditioned, FactorPrecision::half}};
  for (const auto& [solve, precision] : cases) {
    SoftBody body = cut_block(9, 1e-4);
    body.parameters.of<ElasticSphParameters>().solve = solve;
    body.parameters.of<ElasticSphParameters>().factor_precision = precision;
    body.add_lattice(20, 5, 5, {3, 0, 0}, 0.1);
    body.immobile[3] = 1;
    const auto run = [&] {
      ElasticDriver driver(body, gravity);
      disturb(driver);
      driver.run(8, dt);
      auto all = driver.positions();
      for (const Vec3& v : driver.velocities()) all.push_back(v);
      return all;
    };
    const auto one = with_threads(1, run);
    EXPECT_EQ(with_threads(2, run), one);
    for (const char* order : {"reversed", "shuffled:1"}) {
      set_launch_order(order);
      EXPECT_EQ(run(), one) << order;
    }
    set_launch_order("ascending");
    ElasticDriver before(body, gravity), after(body, gravity);
    disturb(before);
    before.run(5, dt);
    StateArchive archive;
    before.system->save(archive, "soft");
    after.system->load(archive, "soft");
    after.store.position.assign(before.positions());
    after.store.velocity.assign(before.velocities());
    after.time = before.time, after.steps = before.steps;
    after.run(3, dt);
    auto resumed = after.positions();
    for (const Vec3& v : after.velocities()) resumed.push_back(v);
    EXPECT_EQ(resumed, one);
  }
}

/// What is expected of memory before anything is factored, beside what is stored.
TEST(ElasticParts, EstimateIsNearWhatIsStored) {
  SoftBody body;
  auto& p = body.parameters.of<ElasticSphParameters>();
  p.solve = ElasticSolve::preconditioned;
  p.factor_parts = 27;
  body.add_lattice(15, 15, 15);
  const FactoredBodies::Figures figures = ElasticDriver(body).system->factor_metrics();
  const double expected = 4 * numbers_in_parts(15 * 15 * 15, 27);
  note("%lld bytes, %.0f expected\n", figures.bytes, expected);
  EXPECT_GT(double(figures.bytes), 0.6 * expected);
  EXPECT_LT(double(figures.bytes), 1.3 * expected);
}

}  // namespace elastic_parts_test
MERGANSER_END
