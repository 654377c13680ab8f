/// A FLIP fluid in tanks: at rest, sloshing, and for long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace flip_tank_test {

using namespace sph_test;

InitialState fluid_state(double radius) {
  InitialState state;
  state.systems = {new_system("flip")};
  state.systems[0].name = "water";
  state.systems[0].fluid.particle_radius = radius;
  return state;
}

/// A lattice of eight particles a cell is an exact discrete hydrostatic state: the pressure is linear, so no
/// velocity is left but the solver's tolerance times g dt.
TEST(FlipHydrostatic, ThreeCellsOnEdgeComeToRestAtOnce) {
  InitialState state = fluid_state(0.025);  // cells of 0.1 m
  add_block(state.systems[0], {0, 0, 0}, 6, 6, 6);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {0.3, 0.3, 1}});
  Driver driver(state);
  driver.step(0.01);
  EXPECT_LT(driver.max_speed(), 1e-6);
  note("speed %.2e m/s\n", driver.max_speed());
  EXPECT_TRUE(driver.system->statistics(driver.store).tolerance_met);
}

TEST(FlipHydrostatic, TankStaysAtRest) {
  for (FlipTransfer transfer : {FlipTransfer::flip, FlipTransfer::apic}) {
    InitialState state = fluid_state(0.025);
    state.systems[0].parameters.of<FlipParameters>().transfer = transfer;
    add_block(state.systems[0], {0, 0, 0}, 8, 6, 10);
    state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {0.4, 0.3, 2}});
    Driver driver(state);
    const auto before = driver.store.position.to_host();
    const auto ids_before = driver.store.id.to_host();
    for (int k = 0; k < 1000; ++k) driver.step(0.005);
    const auto after = driver.store.position.to_host();
    const auto ids = driver.store.id.to_host();
    std::vector<Vec3> start(before.size());
    for (size_t i = 0; i < before.size(); ++i) start[size_t(ids_before[i])] = before[i];
    float moved = 0;
    for (size_t i = 0; i < after.size(); ++i) moved = std::max(moved, norm(after[i] - start[size_t(ids[i])]));
    note("speed %.2e m/s, moved %.2e m\n", driver.max_speed(), double(moved));
    EXPECT_LT(driver.max_speed(), 1e-3);
    EXPECT_LT(moved, 0.05 * 0.05);
  }
}

/// Volume of the union of balls of one spacing around the particles inside a tank [0, high], by sampling.
double covered_volume(const std::vector<Vec3>& position, const Vec3d& high, double spacing) {
  const double step = spacing / 2;
  const int n[3] = {int(std::lround(high.x / step)), int(std::lround(high.y / step)),
                    int(std::lround(high.z / step))};
  std::vector<char> covered(size_t(n[0]) * size_t(n[1]) * size_t(n[2]), 0);
  for (const Vec3& x : position) {
    const int c[3] = {int(double(x.x) / step), int(double(x.y) / step), int(double(x.z) / step)};
    for (int dz = -3; dz <= 3; ++dz)
      for (int dy = -3; dy <= 3; ++dy)
        for (int dx = -3; dx <= 3; ++dx) {
          const int at[3] = {c[0] + dx, c[1] + dy, c[2] + dz};
          if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= n[0] || at[1] >= n[1] || at[2] >= n[2])
            continue;
          const Vec3d p{(at[0] + 0.5) * step, (at[1] + 0.5) * step, (at[2] + 0.5) * step};
          if (norm(p - to_double(x)) < spacing)
            covered[size_t(at[0]) + size_t(n[0]) * (size_t(at[1]) + size_t(n[1]) * size_t(at[2]))] = 1;
        }
  }
  return double(std::count(covered.begin(), covered.end(), 1)) * step * step * step;
}

/// Water let go from a slope of 1 in 4 sloshes for 10 s. In small waves kinetic and potential energy are
/// equal on average, so the mean of z - v^2/(2 g) over particles is half the depth of the water at rest: its
/// volume. Bar: 2 %, in every half second. The union of balls around the particles tells more of how evenly
/// they are spread: 5 %. (Without the correction 2.4 % and 14 % are lost.)
void expect_volume_kept(FlipTransfer transfer, bool reseeding = false) {
  const double length = 1, width = 0.2, depth = 0.5, spacing = 0.025;
  InitialState state = fluid_state(spacing / 2);
  state.systems[0].parameters.of<FlipParameters>().transfer = transfer;
  state.systems[0].parameters.of<FlipParameters>().reseeding = reseeding;
  for (int k = 0; k < 40; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 40; ++i) {
        const Vec3d x{(i + 0.5) * spacing, (j + 0.5) * spacing, (k + 0.5) * spacing};
        if (x.z < depth + 0.25 * (x.x - length / 2)) add_particle(state.systems[0], x);
      }
  state.max_time_step = 0.005;
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {length, width, 2}});
  Driver driver(state);
  const int count = driver.store.count();
  const double level = count * spacing * spacing * spacing / (length * width);
  const auto covered = [&](const Driver& d) {
    return covered_volume(d.store.position.to_host(), {length, width, 2}, spacing);
  };
  const double covered_at_start = covered(driver);
  double mean = 0, worst = 0, next = 0.5;
  int samples = 0;
  driver.run_until(10, [&](Driver& d) {
    if (d.steps % 10) return;
    const auto position = d.store.position.to_host(), velocity = d.store.velocity.to_host();
    for (size_t i = 0; i < position.size(); ++i)
      mean += (double(position[i].z) - double(norm_squared(velocity[i])) / (2 * 9.81)) / count;
    ++samples;
    if (d.time < next) return;
    next += 0.5;
    worst = std::max(worst, std::abs(mean / samples / (level / 2) - 1));
    mean = samples = 0;
  });
  const double share = covered(driver) / covered_at_start;
  note("volume off by at most %.2f %%, balls cover %.3f of what they did, %lld steps\n", 100 * worst, share,
       driver.steps);
  EXPECT_LT(worst, 0.02);
  EXPECT_NEAR(share, 1, 0.05);
}
/// A dam that broke in a tank and sloshes: particles stay spread down to the floor. Of the 200 in a spacing
/// above it most are there. (With FLIP 57 were while its closed faces took the mean velocity of the particles
/// in front of them for that at the wall.)
TEST(FlipSloshing, ParticlesStayAtTheFloor) {
  InitialState state = fluid_state(0.005);
  state.systems[0].parameters.of<FlipParameters>().transfer = FlipTransfer::flip;
  add_block(state.systems[0], {0, 0, 0}, 10, 10, 20);
  state.max_time_step = 0.005;
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {0.2, 0.1, 0.4}});
  Driver driver(state);
  driver.run_until(1.5);
  int lowest = 0;
  for (const Vec3& x : driver.store.position.to_host()) lowest += x.z < 0.01f;
  note("%d particles in the lowest spacing\n", lowest);
  EXPECT_GT(lowest, 150);
  EXPECT_LT(lowest, 250);
}
TEST(FlipSloshingSlow, FlipKeepsItsVolume) { expect_volume_kept(FlipTransfer::flip); }
TEST(FlipSloshingSlow, ReseededFlipKeepsItsVolume) { expect_volume_kept(FlipTransfer::flip, true); }
TEST(FlipSloshingSlow, ApicKeepsItsVolume) { expect_volume_kept(FlipTransfer::apic); }

}  // namespace flip_tank_test
MERGANSER_END
