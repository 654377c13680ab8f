/// One implicit step of two or three particles on the x axis, worked out by hand. Two particles of mass m
/// that a stiffness k joins and an elongation e pulls at get by backward Euler the relative velocity
///   w = -2 dt k e / (m + 2 dt^2 k),
/// half of it each; one of them, joined to a held one, -dt k e / (m + dt^2 k). Tolerances: float, and those
/// of the solves.
#include <gtest/gtest.h>

#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "tests/support/elastic_driver.h"
#include "tests/support/mass_spring_driver.h"
#include "tests/support/meta_particles.h"
#include "tests/support/peridynamics_driver.h"

MERGANSER_BEGIN
namespace by_hand_test {

using test::BrittleBody;
using test::ElasticDriver;
using test::HandMadeGroups;
using test::MassSpringDriver;
using test::PeridynamicsDriver;
using test::SoftBody;
using test::SpringBody;

/// Velocities along x after a step of `dt` from rest, with the particles moved to these places first.
template <class Driver>
std::vector<float> step_from(Driver& driver, const std::vector<Vec3>& x, double dt) {
  driver.store.position.assign(x);
  driver.step(dt);
  std::vector<float> along;
  for (const Vec3& v : driver.velocities()) {
    EXPECT_EQ(v.y, 0);
    EXPECT_EQ(v.z, 0);
    along.push_back(v.x);
  }
  return along;
}

/// Two particles of 1 kg, a spacing d = 0.1 m apart, h = d: W(0) = 1/(pi h^3) and W(d) = 1/(4 pi h^3), so
/// that V = 1/(W(0) + W(d)) = 0.8 pi d^3 by summation. F = s n n^T with s = |x|/d and, on the span of the
/// neighbors, R = n n^T. With E = 10 kPa and nu = 1/4: mu = lambda = 0.4 E = 4 kPa, and no error of the
/// zero-energy term.
///   energy   2 V (mu + lambda/2) (s - 1)^2 = 1.2 V E (s - 1)^2 = k e^2/2
///   k        2.4 V E/d^2 = 1.92 pi E d = 6031.86 N/m, two thirds of it of stretching, one of volume
SoftBody elastic_pair(ElasticSolve solve, bool held = false) {
  SoftBody body;
  auto& of_method = body.parameters.of<ElasticSphParameters>();
  of_method.materials = {{.body = 0, .spacing = 0.1, .youngs_modulus = 1e4, .poisson_ratio = 0.25}};
  of_method.solve = solve;
  of_method.tolerance = 1e-6;
  of_method.elastic_time_step = 0.01;
  of_method.volumes = ElasticVolumes::summation;
  body.add({0, 0, 0}, 1000, held);
  body.add({0.1f, 0, 0});
  return body;
}

/// e = 1 mm: energy 6031.86 (1e-3)^2/2 = 3.01593 mJ, force 6.03186 N.
TEST(ElasticByHand, PairHasTheStiffnessOfItsVolumes) {
  ElasticDriver driver(elastic_pair(ElasticSolve::preconditioned));
  const std::vector<Vec3> stretched{{0, 0, 0}, {0.101f, 0, 0}};
  EXPECT_NEAR(driver.energy(stretched), 3.01593e-3, 1e-5 * 3.01593e-3);
  const auto force = driver.forces(stretched);
  EXPECT_NEAR(force[0].x, 6.03186f, 1e-4f);
  EXPECT_NEAR(force[1].x, -6.03186f, 1e-4f);
}

/// dt = 10 ms: dt^2 k = 0.603186 kg, w = -0.1206372/2.206372 = -54.6767 mm/s. The split takes stretching
/// first, w1 = -0.0804248/1.804248 = -44.5752 mm/s, then volume from e + dt w1 = 0.554248 mm,
/// w2 = -0.0222875/1.402124 = -15.8956 mm/s.
TEST(ElasticByHand, StretchedPairPullsTogether) {
  const std::vector<Vec3> stretched{{0, 0, 0}, {0.101f, 0, 0}};
  for (ElasticSolve solve : {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient}) {
    ElasticDriver driver(elastic_pair(solve));
    const auto v = step_from(driver, stretched, 0.01);
    EXPECT_NEAR(v[0], 0.0273384f, 1e-6f);
    EXPECT_NEAR(v[1], -0.0273384f, 1e-6f);
  }
  ElasticDriver driver(elastic_pair(ElasticSolve::split));
  const auto v = step_from(driver, stretched, 0.01);
  EXPECT_NEAR(v[0], 0.0302354f, 1e-6f);
  EXPECT_NEAR(v[1], -0.0302354f, 1e-6f);
}

/// Gravity of 2 m/s^2 along the pair, one held: u = dt m g / (m + dt^2 k) = 0.02/1.603186 = 12.4752 mm/s.
TEST(ElasticByHand, HeldPairYieldsToGravity) {
  for (ElasticSolve solve : {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient}) {
    ElasticDriver driver(elastic_pair(solve, true), {2, 0, 0});
    const auto v = step_from(driver, driver.positions(), 0.01);
    EXPECT_EQ(v[0], 0);
    EXPECT_NEAR(v[1], 0.0124752f, 1e-6f);
  }
}

/// Masses of 1 and 3 kg, a spring of 1 m and 100 N/m, pulled out by 0.2 m. The reduced mass is 0.75 kg, so
/// w (0.75 + dt^2 k) = -dt k e: with dt = 0.1 s, w = -2/1.75 = -1.142857 m/s, three quarters of it the
/// lighter one's.
TEST(ClothByHand, StretchedPairPullsTogether) {
  SpringBody body;
  body.add({0, 0, 0}, 1);
  body.add({1.2f, 0, 0}, 3);
  body.springs = {{0, 1, 1.0f, 100.0f, SpringKind::structural}};
  body.parameters.of<MassSpringParameters>().tolerance = 1e-6;
  MassSpringDriver driver(body);
  const auto v = step_from(driver, driver.positions(), 0.1);
  EXPECT_NEAR(v[0], 0.857143f, 2e-6f);
  EXPECT_NEAR(v[1], -0.285714f, 2e-6f);
}

/// The same spring between a pin and a particle of 1 kg, which a group joins with one of 3 kg of an explicit
/// system; both move at V = 1 m/s along the spring. The cloth feels M = 4 kg, a mass scale of 4:
///   (M + dt^2 k) u = -dt k e - dt^2 k V = -2 - 1,   u = -0.6 m/s
/// and returns V + 4 u = -1.4 m/s, so that the mean of both is V + u = 0.4 m/s ([MS] eq. 17).
TEST(ClothByHand, GroupMovesWithItsWholeMass) {
  SpringBody body, foreign;
  body.add({0, 0, 0}, 1, true);
  body.add({1.2f, 0, 0}, 1, false, {1, 0, 0});
  body.springs = {{0, 1, 1.0f, 100.0f, SpringKind::structural}};
  body.parameters.of<MassSpringParameters>().tolerance = 1e-6;
  foreign.add({1.2f, 0.01f, 0}, 3, false, {1, 0, 0});
  MassSpringDriver driver(body);
  driver.store.add_system(initial_particles(foreign, 1));
  const HandMadeGroups groups(driver.store, {{1, 2}}, {true, false});
  driver.end_velocity.assign(driver.velocities());
  StepContext step = driver.context(0.1);
  driver.system->prepare(step);
  driver.system->integrate(step, groups.view(), 0, driver.end_velocity.view());
  EXPECT_NEAR(driver.end_velocity.to_host()[1].x, -1.4f, 1e-5f);
  groups.synchronize(driver.store, driver.end_velocity);
  EXPECT_NEAR(driver.end_velocity.to_host()[1].x, 0.4f, 1e-5f);
  EXPECT_NEAR(driver.end_velocity.to_host()[2].x, 0.4f, 1e-5f);
}

/// Particles of V = 1e-3 m^3 and 1 kg, a spacing d = 0.1 m apart, K = 1 kPa, horizon 1.2 d: only the six
/// neighbors of a lattice are bonded, with ramp 1.2 + 1/2 - 1 = 0.7. So c = 18 K/(6 . 0.7 d V) and V0 = 4.2
/// V.
BrittleBody brittle_row(int count) {
  BrittleBody body;
  auto& of_method = body.parameters.of<PeridynamicsParameters>();
  of_method.materials = {{.body = 0, .density = 1000, .spacing = 0.1, .bulk_modulus = 1e3}};
  of_method.horizon_factor = 1.2;
  of_method.tolerance = 1e-6;
  body.add_lattice(count, 1, 1);
  return body;
}

/// W = 0.7 V at both ends, surface = 2 . 4.2/1.4 = 6: k = c V^2 0.7 . 6/d = 18 K d = 1800 N/m. With e = 1 mm
/// and dt = 10 ms: energy 0.9 mJ, w = -0.036/1.36 = -26.4706 mm/s.
TEST(BrittleByHand, StretchedPairPullsTogether) {
  PeridynamicsDriver driver(brittle_row(2));
  const std::vector<Vec3> stretched{{0, 0, 0}, {0.101f, 0, 0}};
  driver.set_positions(stretched);
  const auto force = driver.forces();
  EXPECT_NEAR(force[0].x, 1.8f, 1e-4f);
  EXPECT_NEAR(force[1].x, -1.8f, 1e-4f);
  driver.store.position.assign(stretched);
  EXPECT_NEAR(driver.elastic_energy(), 0.9e-3, 1e-6);
  const auto v = step_from(driver, stretched, 0.01);
  EXPECT_NEAR(v[0], 0.0132353f, 2e-6f);
  EXPECT_NEAR(v[1], -0.0132353f, 2e-6f);
}

/// Three in a row: the middle one has W = 1.4 V, so surface = 8.4/2.1 = 4 and k = 12 K d = 1200 N/m. Both
/// ends pulled out by 1 mm, the middle one rests: u = -dt k e/(m + dt^2 k) = -0.012/1.12 = -10.7143 mm/s.
TEST(BrittleByHand, MiddleOfThreeRests) {
  PeridynamicsDriver driver(brittle_row(3));
  const auto v = step_from(driver, {{-0.001f, 0, 0}, {0.1f, 0, 0}, {0.201f, 0, 0}}, 0.01);
  EXPECT_NEAR(v[0], 0.0107143f, 2e-6f);
  EXPECT_NEAR(v[1], 0, 2e-6f);
  EXPECT_NEAR(v[2], -0.0107143f, 2e-6f);
}

}  // namespace by_hand_test
MERGANSER_END
