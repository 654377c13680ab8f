/// Peridynamic bodies in motion: conservation, waves, the same bits.
#include <gtest/gtest.h>
#if !defined(__CUDACC__)
#include <omp.h>
#endif

#include <algorithm>
#include <numbers>
#include <numeric>
#include <random>

#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/peridynamics_driver.h"
#include "tests/support/reference.h"

MERGANSER_BEGIN
namespace peridynamics_motion_test {

using test::BrittleBody;
using test::PeridynamicsDriver;

constexpr double pi = std::numbers::pi;
constexpr auto implicit_euler = PeridynamicIntegration::implicit_euler;
constexpr auto explicit_verlet = PeridynamicIntegration::explicit_verlet;

/// A block with random velocities up to `speed` [m/s].
BrittleBody agitated_block(PeridynamicIntegration integration, float speed, int nx = 14, int ny = 8,
                           int nz = 6) {
  BrittleBody state;
  state.parameters.of<PeridynamicsParameters>().integration = integration;
  state.add_lattice(nx, ny, nz);
  std::mt19937 engine(5);
  auto uniform = [&] { return speed * (2 * float(engine() * 0x1p-32) - 1); };
  for (Float3& v : state.velocity) v = {uniform(), uniform(), uniform()};
  return state;
}

// A tolerance of a hundredth leaves errors of a hundredth in single velocities and none in their sum: float
// rounding of 672 velocities a step, 1e-6 over 40 steps. Velocities of 20 m/s tear the block apart.
TEST(PeridynamicsMotion, MomentumOfFreeBodiesIsKept) {
  for (auto integration : {implicit_euler, explicit_verlet})
    for (double s0 : {1e30, 0.05}) {
      BrittleBody state = agitated_block(integration, 20);
      state.parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = s0;
      state.parameters.of<PeridynamicsParameters>().tolerance = 1e-2;
      PeridynamicsDriver driver(state);
      const test::Totals before = driver.totals();
      const double stable = driver.system->bonds().stable_time_step();
      driver.run(40, integration == implicit_euler ? 3 * stable : 0.5 * stable);
      const test::Totals after = driver.totals();
      EXPECT_LT(norm(after.momentum - before.momentum), 1e-6 * before.size)
          << "implicit " << (integration == implicit_euler) << ", s0 " << s0;
      const auto broken = driver.system->statistics(driver.store).broken_bonds;
      if (s0 < 1) {
        EXPECT_GT(broken, 5000);
      } else {
        EXPECT_EQ(broken, 0);
      }
    }
}

// The two halves of a cut body, each by itself.
TEST(PeridynamicsMotion, MomentumOfEachFragmentIsKept) {
  BrittleBody state = agitated_block(implicit_euler, 0.5f);
  state.parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = 0.5;
  state.parameters.of<PeridynamicsParameters>().tolerance = 1e-2;
  state.parameters.of<PeridynamicsParameters>().pre_cracks = {
      {.body = 0, .corner = {0.065, -1, -1}, .edge_u = {0, 3, 0}, .edge_v = {0, 0, 3}}};
  PeridynamicsDriver driver(state);
  auto left_momentum = [&] {
    Vec3d sum{0, 0, 0};
    const auto v = driver.velocities();
    for (size_t i = 0; i < v.size(); ++i)
      if (i % 14 < 7) sum += to_double(v[i]);
    return sum;
  };
  const auto fragment = driver.system->frame_fields()[1];
  EXPECT_EQ(fragment.first, "fragment");
  for (size_t i = 0; i < fragment.second.size(); ++i) ASSERT_EQ(fragment.second[i], i % 14 < 7 ? 0 : 1) << i;
  const Vec3d before = left_momentum();
  driver.run(30, 1e-3);
  EXPECT_LT(norm(left_momentum() - before), 1e-6 * 336 * 0.5);
}

// Leapfrog at a half of the stable step: the energy with velocities averaged over the steps on both sides
// swings by up to (w dt)^2/8 of the highest modes and does not drift. Backward Euler only loses.
TEST(PeridynamicsMotion, EnergyIsKeptByVerletAndNeverGainedByEuler) {
  PeridynamicsDriver explicitly(agitated_block(explicit_verlet, 0.2f));
  const double dt = 0.5 * explicitly.system->bonds().stable_time_step();
  std::vector<double> energies;
  auto last = explicitly.velocities();
  for (int k = 0; k < 600; ++k) {
    const double elastic = explicitly.elastic_energy();
    explicitly.step(dt);
    const auto now = explicitly.velocities();
    double kinetic = 0;
    for (size_t i = 0; i < now.size(); ++i)
      kinetic += 0.5e-3 * norm_squared(0.5 * (to_double(now[i]) + to_double(last[i])));
    last = now;
    if (k > 20) energies.push_back(elastic + kinetic);
  }
  const auto [least, most] = std::minmax_element(energies.begin(), energies.end());
  EXPECT_LT(*most - *least, 0.03 * *most);
  auto mean = [](auto begin, auto end) { return std::accumulate(begin, end, 0.0) / double(end - begin); };
  EXPECT_NEAR(mean(energies.begin(), energies.begin() + 100), mean(energies.end() - 100, energies.end()),
              0.003 * *most);

  BrittleBody state = agitated_block(implicit_euler, 0.2f);
  state.parameters.of<PeridynamicsParameters>().tolerance = 1e-5;
  PeridynamicsDriver implicitly(state);
  double energy = implicitly.totals().kinetic;
  const double first = energy;
  for (int k = 0; k < 60; ++k) {
    implicitly.step(4 * dt);
    const double now = implicitly.totals().kinetic + implicitly.elastic_energy();
    ASSERT_LE(now, energy * (1 + 1e-5)) << "step " << k;
    energy = now;
  }
  EXPECT_LT(energy, 0.5 * first);
}

// Damping takes energy out of explicit motion as well, and no momentum.
TEST(PeridynamicsMotion, DampingTakesEnergyAndNoMomentum) {
  double energy[2];
  for (double damping : {0.0, 1e-4}) {
    BrittleBody state = agitated_block(explicit_verlet, 0.2f);
    state.parameters.of<PeridynamicsParameters>().damping = damping;
    PeridynamicsDriver driver(state);
    const test::Totals before = driver.totals();
    driver.run(60, driver.system->largest_time_step(driver.store));
    EXPECT_LT(norm(driver.totals().momentum - before.momentum), 1e-6 * before.size);
    energy[damping > 0] = (driver.totals().kinetic + driver.elastic_energy()) / before.kinetic;
  }
  EXPECT_NEAR(energy[0], 1, 0.2);
  EXPECT_LT(energy[1], 0.5 * energy[0]);
}

// Half a wave of longitudinal motion in a free bar: its period is 2 L / sqrt(E/rho). The lattice's [100] and
// the volume method's surfaces make the bar up to 10 % stiffer or softer than E, half of that in speed.
TEST(PeridynamicsMotion, BarWaveSpeed) {
  for (auto integration : {implicit_euler, explicit_verlet}) {
    BrittleBody state;
    state.parameters.of<PeridynamicsParameters>().integration = integration;
    const int n = 60;
    state.add_lattice(n, 6, 6);
    const double length = n * 0.01, speed = std::sqrt(1.5e6 / 1000);
    for (size_t i = 0; i < state.velocity.size(); ++i)
      state.velocity[i] = {float(0.01 * std::cos(pi * (double(i % n) + 0.5) / n)), 0, 0};
    PeridynamicsDriver driver(state);
    const double dt = 0.5 * driver.system->bonds().stable_time_step();
    auto amplitude = [&] {
      double sum = 0;
      const auto v = driver.velocities();
      for (size_t i = 0; i < v.size(); ++i) sum += double(v[i].x) * std::cos(pi * (double(i % n) + 0.5) / n);
      return sum;
    };
    std::vector<double> crossings;
    double before = amplitude();
    while (crossings.size() < 2 && driver.time < 4 * length / speed) {
      driver.step(dt);
      const double now = amplitude();
      if ((before > 0) != (now > 0)) crossings.push_back(driver.time - dt * now / (now - before));
      before = now;
    }
    ASSERT_EQ(crossings.size(), 2u);
    const double measured = length / (crossings[1] - crossings[0]);
    RecordProperty("relative_speed", std::to_string(measured / speed));
    EXPECT_NEAR(measured, speed, 0.1 * speed);
  }
}

// Plane waves u = cos(k x) along a chain, in its middle: K u = m w^2 u with w^2 = sum_j k_j (1 - cos(k
// r_j))/m, which is the exact symbol. A chain within a horizon of 3 spacings has whole bonds to 1 and 2 and
// half a volume at 3.
TEST(PeridynamicsMotion, DispersionOfAChain) {
  MERGANSER_REFERENCE_OR_SKIP(rows, "peridynamics_1d_dispersion.csv");
  BrittleBody state;
  state.parameters.of<PeridynamicsParameters>().materials[0].spacing = 0x1p-7;
  state.parameters.of<PeridynamicsParameters>().horizon_factor = 3.00001;
  const int n = 41, middle = 20;
  const double dx = 0x1p-7, horizon = 3 * dx;
  state.add_lattice(n, 1, 1, {-float(middle * dx), 0, 0});
  PeridynamicsDriver driver(state);
  auto product = [&](auto field) {
    std::vector<Vec3> u;
    for (const Float3& x : state.position) u.push_back({float(field(double(x[0]))), 0, 0});
    Array<Vec3> vector(u), result(n);
    driver.system->bonds().set_vector(vector.const_view());
    driver.system->bonds().sum(BondProduct{{}, 1.0f, {}, vector.const_view(), result.view()});
    return double(result.to_host()[middle].x);
  };
  const double long_wave = -product([](double x) { return 0.5 * x * x; });  // sum of k_j r_j^2/2, c0^2 m
  for (const auto& row : rows) {
    const double k = row[0] / horizon;
    const double square = product([k](double x) { return std::cos(k * x) - 1; });
    EXPECT_NEAR(std::sqrt(square / long_wave) / k, row[2], 1e-3) << "k delta = " << row[0];
  }
}

// A load gives m a t, whatever the steps, and only within its times.
TEST(PeridynamicsMotion, LoadsGiveTheirImpulse) {
  for (auto integration : {implicit_euler, explicit_verlet}) {
    BrittleBody state;
    state.parameters.of<PeridynamicsParameters>().integration = integration;
    state.add_lattice(6, 4, 4);
    state.parameters.of<PeridynamicsParameters>().loads = {{{3, 4, 20}, {2, 0, -1}, 0.0013, 0.0047},
                                                           {{4}, {0, 5, 0}, 0.002, 1}};
    PeridynamicsDriver driver(state);
    driver.run(200, 5e-5);
    const double m = 1e-3;
    const Vec3d exact{3 * m * 2 * 0.0034, m * 5 * 0.008, -3 * m * 0.0034};
    EXPECT_LT(norm(driver.totals().momentum - exact), 1e-6 * norm(exact) + 1e-12);
  }
}

// Prescribed particles move as told and pull the others along.
TEST(PeridynamicsMotion, PrescribedParticlesPull) {
  for (auto integration : {implicit_euler, explicit_verlet}) {
    BrittleBody state;
    state.parameters.of<PeridynamicsParameters>().integration = integration;
    state.add_lattice(10, 4, 4);
    PrescribedMotion motion{
        .particles = {}, .velocity = {-0.02, 0, 0}, .start_time = 0.001, .end_time = 0.003};
    for (int i = 0; i < 160; ++i)
      if (i % 10 < 2) state.immobile[size_t(i)] = 1, motion.particles.push_back(i);
    state.prescribed = {motion};
    PeridynamicsDriver driver(state);
    driver.run(40, 5e-5);
    EXPECT_LT(driver.totals().momentum.x, -1e-3 * 32 * 0.02);  // of the prescribed ones alone
    driver.run(40, 5e-5);
    const auto x = driver.positions();
    EXPECT_NEAR(x[0].x, -4e-5, 1e-8);
    EXPECT_NEAR(x[11].x, 0.01 - 4e-5, 1e-8);
  }
}

// Nothing, one particle and two without a bond: they fly on.
TEST(PeridynamicsMotion, ParticlesWithoutBondsFlyFreely) {
  for (auto integration : {implicit_euler, explicit_verlet})
    for (int count : {0, 1, 2}) {
      BrittleBody state;
      state.parameters.of<PeridynamicsParameters>().integration = integration;
      state.parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = 0.1;
      for (int i = 0; i < count; ++i) state.add({0.5f * float(i), 0, 0}, {0, 1, 0});
      PeridynamicsDriver driver(state, {0, 0, -8});
      driver.run(4, 0.125);
      for (const Vec3& v : driver.velocities()) EXPECT_EQ(v, (Vec3{0, 1, -4}));
      EXPECT_EQ(driver.elastic_energy(), 0);
      EXPECT_EQ(driver.system->frame_fields()[0].second, std::vector<float>(size_t(count), 0.0f));
    }
}

BrittleBody tearing_block(PeridynamicIntegration integration) {
  BrittleBody state = agitated_block(integration, 12, 20, 9, 7);
  state.parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = 0.06;
  state.parameters.of<PeridynamicsParameters>().materials[0].stretch_scatter = 0.3;
  return state;
}
double safe_step(const PeridynamicsDriver& driver, PeridynamicIntegration integration) {
  return (integration == implicit_euler ? 3 : 0.5) * driver.system->bonds().stable_time_step();
}

#if !defined(__CUDACC__)
TEST(PeridynamicsMotion, SameBitsForOneAndTwoThreads) {
  const int threads_before = omp_get_max_threads();
  for (auto integration : {implicit_euler, explicit_verlet}) {
    std::vector<Vec3> x[2];
    std::vector<int> entries[2];
    for (int threads : {1, 2}) {
      omp_set_num_threads(threads);
      PeridynamicsDriver driver(tearing_block(integration));
      driver.run(12, safe_step(driver, integration));
      x[threads - 1] = driver.positions();
      entries[threads - 1] = driver.entries();
    }
    EXPECT_EQ(entries[0], entries[1]);
    for (size_t i = 0; i < x[0].size(); ++i) ASSERT_EQ(x[0][i], x[1][i]) << "particle " << i;
  }
  omp_set_num_threads(threads_before);
}
#endif

TEST(PeridynamicsMotion, CheckpointContinuesBitForBit) {
  for (auto integration : {implicit_euler, explicit_verlet}) {
    const BrittleBody state = tearing_block(integration);
    PeridynamicsDriver whole(state);
    const double dt = safe_step(whole, integration);
    whole.run(8, dt);
    StateArchive archive;
    whole.system->save(archive, "systems/0");
    const auto x = whole.positions(), v = whole.velocities();
    const auto statistics = whole.system->statistics(whole.store);
    ASSERT_GT(statistics.broken_bonds, 100);
    whole.run(8, dt);
    PeridynamicsDriver resumed(state);
    resumed.store.position.assign(x);
    resumed.store.velocity.assign(v);
    resumed.system->load(archive, "systems/0");
    resumed.time = 8 * dt;
    EXPECT_EQ(resumed.system->statistics(resumed.store).broken_bonds, statistics.broken_bonds);
    EXPECT_EQ(resumed.elastic_energy(), statistics.elastic_energy);
    resumed.run(8, dt);
    EXPECT_EQ(resumed.entries(), whole.entries());
    const auto a = whole.positions(), b = resumed.positions();
    for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i]) << "particle " << i;
    // A body of another size is refused.
    BrittleBody other;
    other.add_lattice(3, 3, 3);
    PeridynamicsDriver smaller(other);
    EXPECT_THROW(smaller.system->load(archive, "systems/0"), FileError);
  }
}

}  // namespace peridynamics_motion_test
MERGANSER_END
