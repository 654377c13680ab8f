/// "solve": "auto": which preconditioner solves of elastic bodies take, and when.
#include <gtest/gtest.h>

#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "solvers/methods/elastic_sph/solve_choice.h"
#include "tests/support/elastic_beam.h"
#include "tests/support/elastic_block.h"

MERGANSER_BEGIN
namespace elastic_choice_test {

using test::ElasticDriver;

constexpr SolveCosts costs{.blocks_iteration = 10, .factor_iteration = 20, .setup = 1000};
constexpr double tolerance = 1e-4;

/// A solve that began at a sixteenth of |b| and took so many iterations.
LinearSolveResult solve_of(int iterations) {
  return {.iterations = iterations, .residual = 0.9 * tolerance, .start = 1.0 / 16, .tolerance_met = true};
}

/// Steps in which block Jacobi takes `blocks` iterations and the factor `factor`; returns how many of them
/// the factor solved, and adds what was spent.
int simulate(SolveChoice& choice, int steps, int blocks, int factor, double& spent) {
  int by_factor = 0;
  for (int k = 0; k < steps; ++k) {
    choice.begin_step();
    if (choice.wants_factor()) choice.set_up(costs), spent += costs.setup;
    if (choice.by_factor()) {
      ++by_factor;
      choice.count(true, solve_of(factor));
      spent += factor * costs.factor_iteration;
      continue;
    }
    const int most = choice.most_iterations(1000);
    LinearSolveResult result = solve_of(std::min(blocks, most));
    result.tolerance_met = blocks <= most;
    choice.count(false, result);
    spent += result.iterations * costs.blocks_iteration;
    if (result.tolerance_met) continue;
    choice.take_factor();
    choice.count(true, solve_of(factor));
    spent += factor * costs.factor_iteration;
  }
  return by_factor;
}

TEST(SolveChoice, TakesTheFactorOnceItIsPaidForAndReturns) {
  SolveChoice choice(costs, 2, tolerance);
  double spent = 0;
  EXPECT_EQ(simulate(choice, 2000, 6, 5, spent), 0);  // 60 a step against 100
  spent = 0;
  const int by_factor = simulate(choice, 1000, 60, 5, spent);  // 600 against 100
  EXPECT_GE(by_factor, 970);  // but for the first two or three steps and a trial every 50 steps
  EXPECT_LT(by_factor, 1000);
  // What could not be known costs no more than the set-up once more, trials a fiftieth.
  EXPECT_LT(spent, 1.05 * 1000 * 100 + 2.8 * costs.setup);
  spent = 0;
  EXPECT_LE(simulate(choice, 1000, 6, 5, spent), 50);    // the first trial finds it cheaper
  EXPECT_GE(simulate(choice, 1000, 60, 5, spent), 970);  // it is set up already
}

/// As cheap as each other: no going to and fro.
TEST(SolveChoice, StaysWithWhatItHasWhereBothCostTheSame) {
  SolveChoice choice(costs, 2, tolerance);
  double spent = 0;
  simulate(choice, 200, 60, 5, spent);
  int changes = 0;
  for (int k = 0; k < 10; ++k) changes += simulate(choice, 50, 9, 5, spent) != 49;  // 90 against 100
  EXPECT_EQ(changes, 0);
}

TEST(SolveChoice, NeverAsksAgainForWhatCannotBe) {
  SolveChoice choice(costs, 2, tolerance);
  for (int k = 0; k < 100; ++k) {
    choice.begin_step();
    EXPECT_FALSE(choice.by_factor());
    choice.count(false, solve_of(60));
    if (k == 0) choice.refuse();
    EXPECT_EQ(choice.most_iterations(77), 77);
  }
}

/// A clamped beam of 4 x 4 particles that swings.
test::Beam beam(double stiffness, ElasticSolve solve) {
  return {4, 30, 0.2, stiffness, 1000, solve, elastic_step_test::dt};
}

int steps_by_factor(ElasticDriver& driver, int steps, double dt) {
  int count = 0;
  for (int k = 0; k < steps; ++k) {
    driver.step(dt);
    EXPECT_TRUE(driver.system->tolerance_met());
    count += driver.system->implicit_system()->preconditions();
  }
  return count;
}

/// A stiff beam in long steps takes the factor for good; in steps a hundred times shorter, where a handful of
/// iterations do, it leaves it; and a soft beam never sets it up. All the while it moves as by block Jacobi.
TEST(ElasticChoice, StiffBeamsTakeTheFactorSoftOnesDoNot) {
  const double dt = elastic_step_test::dt;
  ElasticDriver driver(beam(3e6, ElasticSolve::automatic), {0, 0, -9.81f}),
      beside(beam(3e6, ElasticSolve::conjugate_gradient), {0, 0, -9.81f});
  EXPECT_EQ(driver.system->factor_metrics().factors, 0);
  EXPECT_GE(steps_by_factor(driver, 120, dt), 60);
  EXPECT_EQ(driver.system->factor_metrics().factors, 1);
  beside.run(120, dt);
  const auto a = driver.positions(), b = beside.positions();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_LT(norm(a[i] - b[i]), 2e-4f);
  EXPECT_LT(steps_by_factor(driver, 120, 0.01 * dt), 100);  // at the first or second trial
  EXPECT_EQ(steps_by_factor(driver, 120, 0.01 * dt), 0);
  ElasticDriver soft(beam(3e3, ElasticSolve::automatic), {0, 0, -9.81f});
  EXPECT_EQ(steps_by_factor(soft, 120, 0.1 * dt), 0);
  EXPECT_EQ(soft.system->factor_metrics().factors, 0);
}

/// Where block Jacobi does not reach its tolerance within the iterations allowed, the factor goes on within
/// the same solve.
TEST(ElasticChoice, TheFactorTakesOverWithinASolve) {
  test::Beam stiff = beam(1e8, ElasticSolve::automatic);
  stiff.parameters.of<ElasticSphParameters>().max_iterations = 20;
  ElasticDriver driver(stiff, {0, 0, -9.81f});
  EXPECT_EQ(steps_by_factor(driver, 3, elastic_step_test::dt), 3);
  stiff.parameters.of<ElasticSphParameters>().factor_memory = 100;
  ElasticDriver without(stiff, {0, 0, -9.81f});
  without.step(elastic_step_test::dt);
  EXPECT_FALSE(without.system->tolerance_met());
  EXPECT_FALSE(without.system->implicit_system()->preconditions());
}

/// A run that goes on from a checkpoint has the same bits, whether the factor is there, not yet, or no longer
/// in use, and makes it again where it was.
TEST(ElasticChoice, ResumesAreExact) {
  const double dt = elastic_step_test::dt;
  const test::Beam body = beam(3e6, ElasticSolve::automatic);
  for (const int before : {5, 70, 260}) {
    const auto step_of = [&](int k) { return k < 140 ? dt : 0.01 * dt; };
    ElasticDriver whole(body, {0, 0, -9.81f}), resumed(body, {0, 0, -9.81f});
    for (int k = 0; k < before; ++k) whole.step(step_of(k));
    StateArchive archive;
    whole.system->save(archive, "systems/0");
    resumed.store.position.assign(whole.store.position.const_view());
    resumed.store.velocity.assign(whole.store.velocity.const_view());
    resumed.time = whole.time;
    resumed.system->load(archive, "systems/0");
    for (int k = before; k < before + 60; ++k) {
      whole.step(step_of(k)), resumed.step(step_of(k));
      ASSERT_EQ(whole.system->implicit_system()->preconditions(),
                resumed.system->implicit_system()->preconditions());
    }
    EXPECT_EQ(whole.system->factor_metrics().factors, resumed.system->factor_metrics().factors);
    EXPECT_EQ(whole.positions(), resumed.positions()) << before;
    EXPECT_EQ(whole.velocities(), resumed.velocities()) << before;
  }
}

}  // namespace elastic_choice_test
MERGANSER_END
