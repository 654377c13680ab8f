/// Bonds break above the critical stretch, for good, on both sides at once; pre-cracks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/random.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/peridynamics_driver.h"

MERGANSER_BEGIN
namespace peridynamics_fracture_test {

using test::BrittleBody;
using test::half_bonds_agree;
using test::PeridynamicsDriver;

BrittleBody block(double critical_stretch, double scatter = 0) {
  BrittleBody state;
  state.parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = critical_stretch;
  state.parameters.of<PeridynamicsParameters>().materials[0].stretch_scatter = scatter;
  state.add_lattice(12, 9, 5);
  return state;
}
/// The body expanded by `strain`: every bond has that stretch.
std::vector<Vec3> expanded(const SystemState& state, double strain) {
  std::vector<Vec3> x;
  for (const Float3& p : state.position) x.push_back(to_float((1 + strain) * Vec3d{p[0], p[1], p[2]}));
  return x;
}
long long broken(PeridynamicsDriver& driver) { return driver.system->statistics(driver.store).broken_bonds; }

// Positions near 0.1 m are rounded by 4e-9 m, 4e-7 of a bond at most.
TEST(PeridynamicsFracture, NoneBelowTheCriticalStretchAndAllAbove) {
  const BrittleBody state = block(0.02);
  PeridynamicsDriver driver(state);
  driver.fracture(expanded(state, 0.02 - 2e-6));
  EXPECT_EQ(broken(driver), 0);
  driver.fracture(expanded(state, -0.5));
  EXPECT_EQ(broken(driver), 0) << "in compression";
  driver.fracture(expanded(state, 0.02 + 2e-6));
  EXPECT_EQ(broken(driver), driver.system->bond_neighbor().count / 2);
  driver.fracture(expanded(state, 0));
  EXPECT_EQ(broken(driver), driver.system->bond_neighbor().count / 2) << "bonds heal";
  driver.set_positions(expanded(state, 0.01));
  for (const Vec3& f : driver.forces()) ASSERT_EQ(f, (Vec3{0, 0, 0}));
  const auto fields = driver.system->frame_fields();
  for (float damage : fields[0].second) ASSERT_EQ(damage, 1);
}
TEST(PeridynamicsFracture, FractureEnergyGivesTheCriticalStretch) {
  BrittleBody state = block(0);
  const double horizon = 3.015 * 0.01;
  state.parameters.of<PeridynamicsParameters>().materials[0].fracture_energy =
      9 * 1e6 * horizon * 0.02 * 0.02 / 5;
  PeridynamicsDriver driver(state);
  driver.fracture(expanded(state, 0.02 - 2e-6));
  EXPECT_EQ(broken(driver), 0);
  driver.fracture(expanded(state, 0.02 + 2e-6));
  EXPECT_EQ(broken(driver), driver.system->bond_neighbor().count / 2);
}
TEST(PeridynamicsFracture, InfiniteStretchNeverBreaks) {
  const BrittleBody state = block(std::numeric_limits<double>::infinity());
  PeridynamicsDriver driver(state);
  driver.fracture(expanded(state, 50));
  for (int entry : driver.entries()) ASSERT_GE(entry, 0);
}
// Scatter of 0.3: at a strain of s0 (1 + 0.3 q) the share (1 + q)/2 of 16,000 bonds is broken, within four
// standard deviations of 0.4 %.
TEST(PeridynamicsFracture, ScatterIsUniformAndTheSameFromBothSides) {
  const BrittleBody state = block(0.02, 0.3);
  PeridynamicsDriver driver(state);
  const double all = driver.system->bond_neighbor().count / 2;
  for (double q : {-1.001, -0.5, 0.0, 0.5, 1.001}) {
    driver.fracture(expanded(state, 0.02 * (1 + 0.3 * q)));
    const double share = std::clamp((1 + q) / 2, 0.0, 1.0);
    EXPECT_NEAR(double(broken(driver)) / all, share, share * (1 - share) > 0 ? 0.016 : 1e-12) << q;
    EXPECT_TRUE(half_bonds_agree(driver)) << q;
  }
}
// Random motion through the threshold, from many sides.
TEST(PeridynamicsFracture, HalfBondsAgree) {
  const BrittleBody state = block(0.02);
  PeridynamicsDriver driver(state);
  for (int round = 0; round < 5; ++round) {
    std::vector<Vec3> x;
    for (size_t i = 0; i < state.position.size(); ++i) {
      const Float3& p = state.position[i];
      const RandomBits bits = random_draw(9, RandomPurpose::test, unsigned(i), unsigned(round));
      auto offset = [&](int word) { return 2e-4f * (uniform_float(bits.word[word]) - 0.5f); };
      x.push_back({1.01f * p[0] + offset(0), 1.01f * p[1] + offset(1), 1.01f * p[2] + offset(2)});
    }
    driver.fracture(x);
    ASSERT_TRUE(half_bonds_agree(driver));
  }
  EXPECT_GT(broken(driver), 100);
  EXPECT_LT(broken(driver), driver.system->bond_neighbor().count / 4);
}

// A slit between columns 5 and 6 up to row 4: bonds that cross x = 0.055 below y = 0.045 are gone from the
// beginning, do not count as broken in the run and count as damage.
TEST(PeridynamicsFracture, PreCracksCutTheBondsThatCrossThem) {
  BrittleBody state = block(0.02);
  state.add_lattice(4, 9, 5, {0.04f, 0, 0}, 0);
  for (size_t i = 12 * 9 * 5; i < state.body.size(); ++i)
    state.body[i] = 1;  // another body at the same place
  state.parameters.of<PeridynamicsParameters>().materials.push_back(
      state.parameters.of<PeridynamicsParameters>().materials[0]);
  state.parameters.of<PeridynamicsParameters>().materials[1].body = 1;
  state.parameters.of<PeridynamicsParameters>().pre_cracks = {
      {.body = 0, .corner = {0.055, -0.1, -0.1}, .edge_u = {0, 0.145, 0}, .edge_v = {0, 0, 1}}};
  PeridynamicsDriver driver(state);
  const auto first = driver.first(), entries = driver.entries();
  const auto damage = driver.system->frame_fields()[0].second;
  long long cut = 0;
  for (size_t i = 0; i < state.position.size(); ++i) {
    int own = 0;
    for (int e = first[i]; e < first[i + 1]; ++e) {
      const size_t j = size_t(bonded_particle(entries[size_t(e)]));
      const Float3 &p = state.position[i], &q = state.position[j];
      bool crosses = false;
      if (state.body[i] == 0 && (p[0] < 0.055f) != (q[0] < 0.055f)) {
        const double share = (0.055 - p[0]) / (double(q[0]) - p[0]);
        crosses = p[1] + share * (double(q[1]) - p[1]) <= 0.045;
      }
      ASSERT_EQ(entries[size_t(e)] < 0, crosses) << i << " to " << j;
      own += crosses;
    }
    cut += own;
    ASSERT_FLOAT_EQ(damage[i], float(own) / float(first[i + 1] - first[i]));
  }
  EXPECT_GT(cut, 1000);
  EXPECT_TRUE(half_bonds_agree(driver));
  EXPECT_EQ(broken(driver), 0);
  EXPECT_EQ(driver.system->frame_fields()[1].second.back(), 1);  // two fragments: the two bodies
}

// Pulled apart at both ends, a bar breaks across and its parts go on by themselves.
TEST(PeridynamicsFracture, PulledBarBreaksInTwo) {
  for (auto integration : {PeridynamicIntegration::implicit_euler, PeridynamicIntegration::explicit_verlet}) {
    BrittleBody state;
    state.parameters.of<PeridynamicsParameters>().integration = integration;
    state.parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = 0.02;
    state.add_lattice(30, 4, 4);
    PrescribedMotion left{{}, {-1, 0, 0}, 0, 1e30}, right{{}, {1, 0, 0}, 0, 1e30};
    for (int i = 0; i < 480; ++i) {
      if (i % 30 < 3) left.particles.push_back(i);
      if (i % 30 >= 27) right.particles.push_back(i);
      state.velocity[size_t(i)] = {float(2 * (i % 30) / 29.0 - 1), 0, 0};
      state.immobile[size_t(i)] = i % 30 < 3 || i % 30 >= 27;
    }
    state.prescribed = {left, right};
    PeridynamicsDriver driver(state);
    driver.run(200, 0.5 * driver.system->bonds().stable_time_step());
    const auto fragment = driver.system->frame_fields()[1].second;
    EXPECT_NE(fragment[0], fragment[29]);
    EXPECT_EQ(fragment[0], fragment[30]);
    EXPECT_TRUE(half_bonds_agree(driver));
    for (const Vec3& x : driver.positions()) ASSERT_TRUE(is_finite(x));
  }
}

}  // namespace peridynamics_fracture_test
MERGANSER_END
