/// One step and many of elastic SPH: the linear solve against a dense one in double, meta-particles,
/// momentum, bits.
#include <gtest/gtest.h>

#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/dense_algebra.h"
#include "tests/support/elastic_beam.h"
#include "tests/support/elastic_block.h"
#include "tests/support/elastic_dense_step.h"
#include "tests/support/meta_particles.h"
#include "tests/support/note.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace elastic_step_test {

using namespace elastic_step_test;
using test::dense_step;
using test::ElasticDriver;
using test::ElasticReference;
using test::error_of;
using test::HandMadeGroups;
using test::held_forces;
using test::predicted_positions;
using test::SoftBody;

/// A tolerance of 1e-6 leaves about that times the condition number (some hundred) in the worst particle.
TEST(ElasticStep, IsTheDenseSolutionOfTheUnsplitSystem) {
  for (ElasticSolve solve : {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient}) {
    SoftBody body = block(solve);
    body.immobile[7] = body.immobile[30] = 1;
    ElasticDriver driver(body, gravity);
    disturb(driver);
    EXPECT_LT(error_beside_dense_step(body, driver), 1e-4);
    const SystemStatistics statistics = driver.system->statistics(driver.store);
    EXPECT_TRUE(statistics.tolerance_met);
    if (solve == ElasticSolve::preconditioned) {
      // Condition number at most 1 + 3 lambda / 2 mu = 3.9: a factor of 3 an iteration.
      EXPECT_LE(statistics.iterations[0], 16);
      EXPECT_GT(driver.system->factor_metrics().nonzeros, 0);
    }
  }
}

/// [ES] alg. 1, lines 3 to 9: (M + dt^2 K0) u = dt (f0 + M g) at x + dt v with stretching and zero-energy
/// control alone, then (M + dt^2 K^V) w = dt f^V at x + dt (v + u) with rotations of that place. The body
/// without a volume term (nu = 0) of the same mu tells the two parts apart.
TEST(ElasticStep, SplitIsTheDenseSplitStep) {
  SoftBody body = block(ElasticSolve::split), stretching = body;
  ElasticMaterial& material = stretching.parameters.of<ElasticSphParameters>().materials[0];
  material.youngs_modulus /= 1 + material.poisson_ratio;
  material.poisson_ratio = 0;
  ElasticDriver driver(body, gravity);
  disturb(driver);
  const ElasticReference whole(body), part(stretching);
  const auto mass = driver.store.mass.to_host();
  const Eigen::Index n = Eigen::Index(mass.size());
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (Eigen::Index i = 0; i < 3 * n; ++i) m(i, i) = mass[size_t(i / 3)];
  auto [x, v] = predicted_positions(driver, {}, dt);
  auto advance = [&](const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
    const Eigen::VectorXd u = test::solution(a, b);
    for (size_t i = 0; i < x.size(); ++i) {
      v[i] += u.segment<3>(3 * Eigen::Index(i));
      x[i] += dt * u.segment<3>(3 * Eigen::Index(i));
    }
  };
  Eigen::VectorXd b(3 * n);
  auto r = whole.rotations(x);
  auto force = held_forces(part, x, r);
  for (size_t i = 0; i < x.size(); ++i)
    b.segment<3>(3 * Eigen::Index(i)) =
        dt * (force[i] + mass[i] * Eigen::Vector3d(gravity.x, gravity.y, gravity.z));
  advance(m + dt * dt * part.stiffness(r), b);
  r = whole.rotations(x);
  force = held_forces(whole, x, r);
  const auto without = held_forces(part, x, r);
  for (size_t i = 0; i < x.size(); ++i) b.segment<3>(3 * Eigen::Index(i)) = dt * (force[i] - without[i]);
  advance(m + dt * dt * (whole.stiffness(r) - part.stiffness(r)), b);
  const auto start = driver.velocities();
  StepContext step = driver.context(dt);
  driver.system->prepare(step);
  driver.system->integrate(step, MetaParticleView{}, 0, driver.end_velocity.view());
  EXPECT_LT(error_of(driver.end_velocity.to_host(), v, start), 1e-4);
}

/// Far from the origin positions are rounded to 1e-7 of their size, a strain of 1e-5 in every step; what is
/// taken off is kept, so that the last steps' solutions still tell the next one.
TEST(ElasticStep, RoundingOfPositionsDoesNotDisturbTheGuess) {
  SoftBody body;
  body.parameters.of<ElasticSphParameters>().materials[0].youngs_modulus = 1e7;
  body.parameters.of<ElasticSphParameters>().elastic_time_step = dt;
  body.add_lattice(16, 5, 5, {20, -30, 10});
  for (int i = 0; i < 400; i += 16) body.immobile[size_t(i)] = 1;
  ElasticDriver driver(body, {0, 0, -9.81f});
  driver.run(20, dt);
  int iterations = 0;
  for (int k = 0; k < 20; ++k) {
    driver.step(dt);
    iterations += driver.system->statistics(driver.store).iterations[0];
  }
  EXPECT_LE(iterations, 20 * 4);
}

/// The explicit control's forces are antisymmetric, whatever the volumes and however bent the body.
TEST(ElasticStep, ExplicitControlKeepsMomentum) {
  SoftBody body = block(ElasticSolve::preconditioned);
  body.parameters.of<ElasticSphParameters>().zero_energy = ZeroEnergyControl::explicit_force;
  ElasticDriver driver(body, {0, 0, 0});
  disturb(driver);
  auto momentum = [&] {
    Vec3d sum{0, 0, 0};
    const auto v = driver.velocities();
    for (size_t i = 0; i < v.size(); ++i) sum += double(body.mass[i]) * to_double(v[i]);
    return sum;
  };
  const Vec3d before = momentum();
  driver.run(5, 1e-4);
  EXPECT_LT(norm(momentum() - before), 1e-5 * norm(before));
}

/// Groups within the body, one of them with a fixed particle; then larger ones in a second stage.
TEST(ElasticStep, GroupsAreOneUnknown) {
  SoftBody body = block(ElasticSolve::preconditioned);
  ElasticDriver driver(body, gravity);
  disturb(driver);
  const auto start = driver.velocities();
  const std::vector<std::vector<int>> first{{0, 13}, {22, 40, 41}},
      second{{0, 13}, {5, 22, 40, 41}, {50, 59}};
  StepContext step = driver.context(dt);
  driver.system->prepare(step);
  int stage = 0;
  for (const auto& members : {first, second}) {
    const HandMadeGroups groups(driver.store, members, {true});
    driver.system->integrate(step, groups.view(), stage, driver.end_velocity.view());
    const auto end = driver.end_velocity.to_host();
    EXPECT_LT(error_of(end, dense_step(body, driver, dt, members, first), start), 2e-4) << "stage " << stage;
    for (const auto& group : members)
      for (int i : group) EXPECT_EQ(end[size_t(i)].y, end[size_t(group[0])].y);
    ++stage;
  }
  EXPECT_TRUE(driver.system->statistics(driver.store).tolerance_met);
}

/// Two systems that share a solve are one system with both bodies.
TEST(ElasticStep, TwoSystemsAreOne) {
  SoftBody one = block(ElasticSolve::preconditioned), both = one;
  both.parameters.of<ElasticSphParameters>().materials.push_back(
      both.parameters.of<ElasticSphParameters>().materials[0]);
  both.parameters.of<ElasticSphParameters>().materials[1].body = 1;
  both.add_lattice(4, 4, 3, {1, -0.5f, 0.5f}, 0.1, 1);
  SoftBody other;
  other.parameters.of<ElasticSphParameters>() = one.parameters.of<ElasticSphParameters>();
  other.add_lattice(4, 4, 3, {1, -0.5f, 0.5f}, 0.1);
  ElasticDriver whole(both, gravity);
  ParticleStore apart;
  apart.add_system(initial_particles(one));
  HostParticles above = initial_particles(other);
  std::fill(above.system.begin(), above.system.end(), 1);
  apart.add_system(above);
  ElasticSph first(one, 0, apart), second(other, 1, apart);
  ImplicitCoupling solids({first.implicit_system(), second.implicit_system()});
  const std::vector<std::vector<int>> members{{59, 60}, {58, 61, 77}, {3, 20}};
  const HandMadeGroups groups_apart(apart, members, {true, true}), groups(whole.store, members, {true});
  KernelReport report;
  StepContext step{apart, report, gravity, 0, dt, 0}, step_whole = whole.context(dt);
  Array<Vec3> end(apart.count());
  first.prepare(step);
  second.prepare(step);
  whole.system->prepare(step_whole);
  solids.integrate(step, groups_apart.view(), 0, end.view());
  whole.system->integrate(step_whole, groups.view(), 0, whole.end_velocity.view());
  const auto a = end.to_host(), b = whole.end_velocity.to_host();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_LT(norm(a[i] - b[i]), 1e-4f * float(test::greatest(b)));
}

/// Momentum of a free body changes by gravity alone, whatever the tolerance and the solve; its angular
/// momentum to the first order in the step, for the rotations are those of a predicted position (here 100
/// steps of a spin of 3 rad/s; with a tolerance of 0.1 the worst is 2.2 %).
TEST(ElasticStep, KeepsMomentum) {
  for (ElasticSolve solve :
       {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient, ElasticSolve::split}) {
    SoftBody body = block(solve, 0.1);
    for (size_t i = 0; i < body.position.size(); ++i) {
      const Float3& x = body.position[i];
      body.velocity[i] = {-3 * (x[1] + 0.4f), 3 * (x[0] - 1.1f), 0.4f * x[0]};
    }
    ElasticDriver driver(body, {0, 0, -9.81f});
    auto sums = [&] {
      std::pair<Vec3d, Vec3d> sum{{0, 0, 0}, {0, 0, 0}};
      const auto x = driver.positions(), v = driver.velocities();
      Vec3d centre{0, 0, 0};
      for (const Vec3& p : x) centre += (1.0 / double(x.size())) * to_double(p);
      for (size_t i = 0; i < x.size(); ++i) {
        const Vec3d momentum = double(body.mass[i]) * to_double(v[i]);
        sum.first += momentum;
        sum.second += cross(to_double(x[i]) - centre, momentum);
      }
      return sum;
    };
    const auto before = sums();
    driver.run(100, dt);
    const auto after = sums();
    double mass = 0;
    for (float m : body.mass) mass += m;
    EXPECT_LT(norm(after.first - before.first - 0.2 * mass * Vec3d{0, 0, -9.81}), 1e-5 * mass * 2);
    EXPECT_LT(norm(after.second - before.second), 0.04 * norm(before.second)) << "solve " << int(solve);
  }
}

/// A stiff body at rest stays there, wherever it lies: the forces of its zero-energy control, large even at
/// rest, cancel to the last digit. (With one of their sums in float: 0.019 kg m/s.)
TEST(ElasticStep, ABodyAtRestDoesNotMoveItself) {
  for (const ElasticSolve solve :
       {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient, ElasticSolve::split}) {
    SoftBody body;
    body.parameters.of<ElasticSphParameters>().solve = solve;
    body.parameters.of<ElasticSphParameters>().materials[0].youngs_modulus = 1e8;
    body.add_lattice(5, 5, 5);
    ElasticDriver driver(body, {0, 0, 0});
    driver.run(100, dt);
    Vec3d momentum{0, 0, 0};
    const auto mass = driver.store.mass.to_host();
    const auto velocity = driver.velocities();
    for (size_t i = 0; i < mass.size(); ++i) momentum += double(mass[i]) * to_double(velocity[i]);
    note("%g kg m/s\n", norm(momentum));
    EXPECT_LT(norm(momentum), 1e-6);
  }
}

TEST(ElasticStep, UnmetToleranceIsReported) {
  for (ElasticSolve solve :
       {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient, ElasticSolve::split}) {
    SoftBody body = block(solve, 1e-6);
    body.parameters.of<ElasticSphParameters>().max_iterations = 1;
    ElasticDriver driver(body, gravity);
    disturb(driver);
    driver.step(dt);
    EXPECT_FALSE(driver.system->statistics(driver.store).tolerance_met);
    EXPECT_EQ(driver.system->statistics(driver.store).iterations[0], 1);
  }
}

/// The same bits for any number of threads, and from a saved state.
TEST(ElasticStep, SameBits) {
  for (ElasticSolve solve :
       {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient, ElasticSolve::split}) {
    SoftBody body = block(solve, 1e-4);
    body.add_lattice(20, 10, 10, {3, 0, 0}, 0.1);  // enough for several chunks
    body.immobile[3] = 1;
    auto result = [&](ElasticDriver& driver) {
      auto all = driver.positions();
      for (const Vec3& v : driver.velocities()) all.push_back(v);
      return all;
    };
    auto run = [&] {
      ElasticDriver driver(body, gravity);
      driver.run(8, dt);
      return result(driver);
    };
    const auto one = with_threads(1, run), two = with_threads(2, run);
    ASSERT_EQ(one.size(), two.size());
    for (size_t i = 0; i < one.size(); ++i) ASSERT_TRUE(one[i] == two[i]) << "solve " << int(solve);

    ElasticDriver before(body, gravity), after(body, gravity);
    before.run(5, dt);
    StateArchive archive;
    before.system->save(archive, "soft");
    after.system->load(archive, "soft");
    after.store.position.assign(before.positions());
    after.store.velocity.assign(before.velocities());
    after.time = before.time, after.steps = before.steps;
    after.run(3, dt);
    const auto resumed = result(after);
    for (size_t i = 0; i < one.size(); ++i) ASSERT_TRUE(one[i] == resumed[i]) << "solve " << int(solve);
  }
}

/// In 100 steps, on average over them.
void expect_no_iterations(ElasticDriver& driver) {
  int most = 0;
  double sum = 0;
  for (int k = 0; k < 100; ++k) {
    driver.step(dt);
    const int iterations = driver.system->statistics(driver.store).iterations[0];
    most = std::max(most, iterations);
    sum += iterations;
  }
  note("gravity %g: at most %d iterations, %.2f on average\n", double(norm(driver.gravity)), most, sum / 100);
  EXPECT_LE(most, 1) << "gravity " << norm(driver.gravity);
}

/// Near rest right sides are what rounding leaves of balanced forces: nothing is to be solved for. A beam
/// that hangs under its weight, and one that floats.
TEST(ElasticStep, AtRestNothingIsSolvedFor) {
  for (const ElasticSolve solve : {ElasticSolve::preconditioned, ElasticSolve::split})
    for (const float weight : {9.81f, 0.0f}) {
      test::Beam beam(4, 12, 0.2, 1e6, 1000, solve, dt);
      ElasticDriver driver(beam, {0, 0, -weight});
      test::settle(driver, dt, 600);
      driver.run(300, dt);
      expect_no_iterations(driver);
    }
}

/// A body that falls goes on as it did: what restores its momentum after every solve belongs to the solutions
/// from which the next one starts, and to what the matrix made of them.
TEST(ElasticStep, AFallingBodyNeedsFewIterations) {
  SoftBody body;
  body.parameters.of<ElasticSphParameters>().solve = ElasticSolve::conjugate_gradient;
  body.add_lattice(12, 12, 12);
  ElasticDriver driver(body, gravity);
  driver.run(10, dt);
  double sum = 0;
  for (int k = 0; k < 50; ++k) {
    driver.step(dt);
    sum += driver.system->statistics(driver.store).iterations[0];
  }
  note("%.2f iterations a step\n", sum / 50);
  EXPECT_LT(sum / 50, 3);
}

/// Prescribed parts move as they do over the step, not over the longer elastic step.
TEST(ElasticStep, AccelerationsMovePrescribedPartsOverTheStep) {
  SoftBody body = block(ElasticSolve::split);
  body.immobile[3] = 1;
  body.prescribed = {{.particles = {3}, .velocity = {1, 0, 0}, .end_time = 0.5 * dt}};
  ElasticDriver driver(body, gravity);
  Array<Vec3> acceleration(driver.store.count());
  driver.system->accelerations(driver.context(0.25 * dt), acceleration.view());
  EXPECT_NEAR(driver.velocities()[3].x, 1, 1e-6);
}

/// [ES] alg. 1, line 11: over the elastic step, the change that a step of that size makes.
TEST(ElasticStep, AccelerationsAreThoseOfTheElasticStep) {
  for (ElasticSolve solve : {ElasticSolve::preconditioned, ElasticSolve::split}) {
    SoftBody body = block(solve);
    ElasticDriver driver(body, gravity), stepped(body, gravity);
    disturb(driver);
    disturb(stepped);
    Array<Vec3> acceleration(driver.store.count());
    StepContext step = driver.context(0.3 * dt);
    driver.system->accelerations(step, acceleration.view());
    const auto before = stepped.velocities(), a = acceleration.to_host();
    stepped.step(dt);
    const auto after = stepped.velocities();
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_LT(norm(float(dt) * a[i] - (after[i] - before[i])), 2e-5f * float(test::greatest(after)));
  }
}

}  // namespace elastic_step_test
MERGANSER_END
