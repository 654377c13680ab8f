/// Backward Euler mass-spring systems against formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/mass_spring/spring_network.h"
#include "tests/support/mass_spring_driver.h"

MERGANSER_BEGIN
namespace mass_spring_test {

using test::MassSpringDriver;
using test::SpringBody;

constexpr double pi = std::numbers::pi;

/// A mass of 1 kg on a spring of rest length 1 m, hung from a pin at the origin, pulled out by half a metre
/// along x.
SpringBody oscillator(double angular_frequency) {
  SpringBody body;
  body.add({0, 0, 0}, 1, true);
  body.add({1.5f, 0, 0}, 1);
  body.springs = {{0, 1, 1.0f, float(angular_frequency * angular_frequency), SpringKind::structural}};
  return body;
}
/// sqrt(e^2 + (v/w)^2) of the oscillator [m], e its elongation.
double amplitude(const MassSpringDriver& driver, double w) {
  return std::hypot(double(driver.positions()[1].x) - 1, double(driver.velocities()[1].x) / w);
}

// Along its axis a spring is linear, so a step of backward Euler shrinks the amplitude by exactly 1/sqrt(1 +
// w^2 dt^2). Float positions near 1.5 m carry 6e-8 m: ten steps of w dt = 0.1 average that below 1e-6 of an
// amplitude of half a metre.
TEST(MassSpring, OscillatorHasTheDampingOfBackwardEuler) {
  for (double dt : {0.02, 0.1, 0.5}) {
    const double w = 1;
    MassSpringDriver driver(oscillator(w));
    const double before = amplitude(driver, w);
    driver.run(10, dt);
    EXPECT_NEAR(std::pow(amplitude(driver, w) / before, 0.1), 1 / std::sqrt(1 + w * w * dt * dt), 1e-6)
        << "dt = " << dt;
  }
}
// Backward Euler turns by atan(w dt) a step: w dt (1 - (w dt)^2/3). At w dt = 0.0063 the numeric and the true
// period agree to 1.3e-5; zero crossings are interpolated to far better than that.
TEST(MassSpring, OscillatorPeriod) {
  const double w = 2 * pi, dt = 1e-3;
  MassSpringDriver driver(oscillator(w));
  std::vector<double> crossings;
  double last = 0.5;
  while (driver.time < 3) {
    driver.step(dt);
    const double now = double(driver.positions()[1].x) - 1;
    if (last < 0 && now >= 0) crossings.push_back(driver.time - dt * now / (now - last));
    last = now;
  }
  ASSERT_EQ(crossings.size(), 3u);
  EXPECT_NEAR((crossings[2] - crossings[0]) / 2, 1.0, 1e-4);
}

/// A rope of n + 1 particles, the first pinned at the origin, hanging along -z.
SpringBody hanging_rope(int n, float spacing, float mass, double stiffness) {
  SpringBody body;
  for (int i = 0; i <= n; ++i) body.add({0, 0, -spacing * float(i)}, mass, i == 0);
  body.springs = rope_springs(n + 1, spacing, stiffness, 0);
  body.parameters.of<MassSpringParameters>().tolerance = 1e-7;
  return body;
}
// Spring i from the top carries N-i+1 masses: elongation m g N (N + 1)/(2 k) = 0.495405 m. Steps of a second
// are longer than all periods of the chain, so what backward Euler leaves after 60 of them is float rounding.
TEST(MassSpring, HangingChainElongation) {
  const int n = 100;
  MassSpringDriver driver(hanging_rope(n, 0.01f, 0.01f, 1e3), {0, 0, -9.81f});
  driver.run(60, 1.0);
  const double elongation = -double(driver.positions().back().z) - n * 0.01;
  EXPECT_NEAR(elongation, 0.495405, 1e-4 * 0.495405);
  const auto statistics = driver.system->statistics(driver.store);
  double energy = 0;
  for (int i = 1; i <= n; ++i) energy += 0.5 / 1e3 * std::pow(0.01 * 9.81 * (n - i + 1), 2);
  EXPECT_NEAR(statistics.elastic_energy, energy, 1e-4 * energy);
}

// Catenary of length 1.2 spans: sag 0.292344 spans, end tension 0.761885 w span (y = a cosh(x/a), 2 a
// sinh(span/2a) = length). 100 links and a strain of 1e-3 are well inside the 1 %.
TEST(MassSpring, Catenary) {
  const int links = 100;
  const double length = 1.2, mass_per_length = 0.1, weight = mass_per_length * 9.81;
  const float spacing = float(length / links);
  SpringBody body;
  for (int i = 0; i <= links; ++i) {
    const double s = double(i) / links;  // a flat V of the right length to begin with
    const double drop = std::sqrt(0.6 * 0.6 - 0.5 * 0.5) * (1 - std::abs(2 * s - 1));
    body.add({float(s), 0, float(-drop)}, float(mass_per_length * spacing), i == 0 || i == links);
  }
  const double stiffness = weight / spacing / 1e-3;
  body.springs = rope_springs(links + 1, spacing, stiffness, 0);
  body.parameters.of<MassSpringParameters>().air_damping = 5;
  body.parameters.of<MassSpringParameters>().max_iterations = 2000;
  MassSpringDriver driver(body, {0, 0, -9.81f});
  driver.run(1500, 5e-3);
  double sag = 0;
  for (const Vec3& x : driver.positions()) sag = std::max(sag, -double(x.z));
  EXPECT_NEAR(sag, 0.292344, 0.01 * 0.292344);
  const auto x = driver.positions();
  const double tension = stiffness * (norm(to_double(x[1] - x[0])) - spacing);
  // Half a link below the support the tension is less by weight * spacing / 2.
  EXPECT_NEAR(tension, 0.761885 * weight, 0.01 * 0.761885 * weight);
}

// Lowest mode of a hanging heavy chain of length L: w = (j01/2) sqrt(g/L) = 1.202413 sqrt(g/L), shape J0(j01
// sqrt(s)) with s the share of L above the free end.
TEST(MassSpring, HeavyChainFrequency) {
  const int n = 50;
  const float spacing = 0.02f, mass = 0.01f, g = 9.81f;
  const double stiffness = 2e4;
  SpringBody body;
  double z = 0;
  for (int i = 0; i <= n; ++i) {
    if (i > 0) z -= spacing + mass * g * (n - i + 1) / stiffness;
    const double share = 1 - double(i) / n;
    body.add({float(0.01 * std::cyl_bessel_j(0, 2.404826 * std::sqrt(share))), 0, float(z)}, mass, i == 0);
  }
  body.springs = rope_springs(n + 1, spacing, stiffness, 0);
  body.parameters.of<MassSpringParameters>().tolerance = 1e-6;
  MassSpringDriver driver(body, {0, 0, -g});
  std::vector<double> crossings;
  double last = 0.01;
  const double dt = 1e-3;
  while (driver.time < 4.5) {
    driver.step(dt);
    const double now = driver.positions().back().x;
    if (last * now < 0) crossings.push_back(driver.time - dt * now / (now - last));
    last = now;
  }
  ASSERT_GE(crossings.size(), 3u);
  const double w = 2 * pi / (crossings[2] - crossings[0]);
  EXPECT_NEAR(w, 1.202413 * std::sqrt(g / 1.0), 0.03 * w);
}

/// A square cloth of side x side vertices in the plane z = 0 around the origin.
SpringBody cloth(int side, bool corners_pinned) {
  SpringBody body;
  const float spacing = 0.02f, middle = 0.5f * float(side - 1);
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const bool corner = (i == 0 || i == side - 1) && (j == 0 || j == side - 1);
      body.add({spacing * (float(i) - middle), spacing * (float(j) - middle), 0}, 1e-3f,
               corners_pinned && corner);
    }
  body.springs = grid_springs(side, side, spacing, spacing, 100, 50, 1e-3);
  return body;
}
double largest_asymmetry(const std::vector<Vec3>& x, int side) {
  double error = 0;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const Vec3 a = x[size_t(i + side * j)], mirrored = x[size_t(side - 1 - i + side * j)],
                 turned = x[size_t(j + side * i)];
      error = std::max(error, norm(to_double(a - Vec3{-mirrored.x, mirrored.y, mirrored.z})));
      error = std::max(error, norm(to_double(a - Vec3{turned.y, turned.x, turned.z})));
    }
  return error;
}
// A cloth hung by its corners has the symmetry of the square. What breaks it is rounding and the solver's
// tolerance: 1e-3 of a spacing.
TEST(MassSpring, DrapedClothIsSymmetric) {
  auto body = cloth(21, true);
  body.parameters.of<MassSpringParameters>().tolerance = 1e-6;
  body.parameters.of<MassSpringParameters>().air_damping = 1;
  MassSpringDriver driver(body, {0, 0, -9.81f});
  driver.run(250, 4e-3);
  const auto x = driver.positions();
  EXPECT_LT(x[10 + 21 * 10].z, -0.02) << "the middle does not hang";
  EXPECT_LT(largest_asymmetry(x, 21), 2e-5);
}
// The default step is 1 ms; at 10 ms (dt^2 k/m = 10) the cloth comes to the same rest and never gains energy.
TEST(MassSpring, StableAtTenTimesTheDefaultStep) {
  auto body = cloth(21, true);
  body.parameters.of<MassSpringParameters>().air_damping = 8;
  MassSpringDriver fine(body, {0, 0, -9.81f}), coarse(body, {0, 0, -9.81f});
  fine.run(2000, 1e-3);
  double fastest = 0;
  for (int k = 0; k < 200; ++k) {
    coarse.step(1e-2);
    for (const Vec3& v : coarse.velocities()) fastest = std::max(fastest, double(norm(v)));
  }
  EXPECT_LT(fastest, 3.0) << "faster than a fall through the cloth's own width";
  const double sag = fine.positions()[10 + 21 * 10].z;
  EXPECT_NEAR(coarse.positions()[10 + 21 * 10].z, sag, 0.01 * std::abs(sag));
}

// Springs act by pairs and a free cloth knows no other force. A velocity is rounded by 6e-8 of itself each
// step: 300 steps of 441 particles add up to far less than 1e-6 of the momentum, while the solver's tolerance
// alone would leave 1e-4.
TEST(MassSpring, FreeClothKeepsItsMomentum) {
  for (float stiffness : {1.0f, 100.0f}) {
    auto body = cloth(21, false);
    for (Spring& s : body.springs) s.stiffness *= stiffness;
    for (size_t i = 0; i < body.velocity.size(); ++i)
      body.velocity[i] = {1.0f, 0.5f * std::sin(float(i)), i % 21 < 8 ? -3.0f : 0.0f};
    MassSpringDriver driver(body);
    auto momentum = [&] {
      Vec3d sum{0, 0, 0};
      for (const Vec3& v : driver.velocities()) sum += 1e-3 * to_double(v);
      return sum;
    };
    const Vec3d before = momentum();
    driver.run(300, 1e-3);
    EXPECT_LT(norm(momentum() - before), 1e-6 * norm(before)) << "stiffness times " << stiffness;
  }
}

// A cloth that flies at 30 m/s pulls itself together like one at rest. In steps of 10 us its springs give it
// 3e-6 of its momentum, so a solve whose tolerance refers to momentum would leave them out. What the speed
// may do to the result is the rounding of velocities near 30 m/s: 1e-6 m/s a step, 0.5 % of the largest
// velocity after 20.
TEST(MassSpring, SpringsActAlikeAtAnySpeed) {
  std::vector<Vec3> velocity[2];
  for (int flying : {0, 1}) {
    auto body = cloth(21, false);
    for (auto& x : body.position) x = {1.01f * x[0], 1.01f * x[1], 0};
    for (auto& v : body.velocity) v = {0, 0, 30.0f * float(flying)};
    MassSpringDriver driver(body);
    driver.run(20, 1e-5);
    velocity[flying] = driver.velocities();
  }
  double largest = 0, difference = 0;
  for (size_t i = 0; i < velocity[0].size(); ++i) {
    largest = std::max(largest, norm(to_double(velocity[0][i])));
    difference = std::max(difference, norm(to_double(velocity[1][i] - velocity[0][i]) - Vec3d{0, 0, 30}));
  }
  EXPECT_GT(largest, 0.003) << "nothing happens";
  EXPECT_LT(difference, 0.02 * largest);
}

TEST(MassSpring, PrescribedParticlesTravelTheRightDistanceAtAnyStep) {
  for (double dt : {0.01, 0.03, 0.07}) {
    SpringBody body;
    body.add({0, 0, 0}, 1, true);
    body.add({1, 0, 0}, 1);
    body.springs = rope_springs(2, 1.0f, 100, 0);
    body.prescribed = {{{0}, {2, 0, -1}, 0.05, 0.15}};
    MassSpringDriver driver(body);
    driver.run(10, dt);
    if (driver.time < 0.15) continue;
    EXPECT_NEAR(driver.positions()[0].x, 0.2, 1e-6);
    EXPECT_NEAR(driver.positions()[0].z, -0.1, 1e-6);
    EXPECT_EQ(driver.velocities()[0], (Vec3{0, 0, 0}));
  }
}

TEST(MassSpring, IterationCapIsReported) {
  auto body = cloth(21, true);
  body.parameters.of<MassSpringParameters>().max_iterations = 3;
  MassSpringDriver driver(body, {0, 0, -9.81f});
  driver.step(0.1);
  driver.step(0.1);
  const auto statistics = driver.system->statistics(driver.store);
  EXPECT_EQ(statistics.iterations[0], 3);
  EXPECT_FALSE(statistics.tolerance_met);
  EXPECT_GT(statistics.residual, body.parameters.of<MassSpringParameters>().tolerance);
}

TEST(MassSpring, SpringsThatDoNotFitAreRefused) {
  SpringBody body;
  body.add({0, 0, 0}, 1);
  body.springs = {{0, 1, 1, 1, SpringKind::structural}};
  EXPECT_THROW(MassSpringDriver{body}, InputError);
}

}  // namespace mass_spring_test
MERGANSER_END
