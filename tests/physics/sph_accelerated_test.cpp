/// SPH in bodies of fluid that accelerate as a whole: the density diffusion leaves them alone.
#include <gtest/gtest.h>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace sph_accelerated_test {

using namespace sph_test;

/// Sides [m] of the box around particles [first, end) by id.
Vec3d sides(const Driver& driver, int first, int end) {
  const auto x = driver.store.position.to_host();
  const auto id = driver.store.id.to_host();
  Vec3d low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  for (size_t i = 0; i < x.size(); ++i) {
    if (id[i] < first || id[i] >= end) continue;
    low = {std::min(low.x, double(x[i].x)), std::min(low.y, double(x[i].y)), std::min(low.z, double(x[i].z))};
    high = {std::max(high.x, double(x[i].x)), std::max(high.y, double(x[i].y)),
            std::max(high.z, double(x[i].z))};
  }
  return high - low;
}
InitialState water(double spacing) {
  InitialState state;
  state.systems = {new_system("sph")};
  state.systems[0].fluid.particle_radius = spacing / 2;
  state.systems[0].parameters.of<SphParameters>().sound_speed = 20;
  return state;
}
double largest_change(const Vec3d& now, const Vec3d& before) {
  return std::max(
      {std::abs(now.x / before.x - 1), std::abs(now.y / before.y - 1), std::abs(now.z / before.z - 1)});
}

/// A cube of 0.16 m falls for 0.5 s, by 1.2 m. Nothing acts between its particles, so only the rounding of
/// positions, 1e-7 m, moves them. (Where the diffusion holds the density of a fluid at rest, the cube grows
/// by 1 %.)
TEST(SphAccelerated, ABlockInFreeFallKeepsItsSize) {
  for (const int across : {8, 16}) {
    InitialState state = water(0.16 / across);
    add_block(state.systems[0], {0, 0, 0}, across, across, across);
    Driver driver(state);
    const Vec3d before = sides(driver, 0, 1 << 30);
    driver.run_until(0.5);
    const double grown = largest_change(sides(driver, 0, 1 << 30), before);
    note("%d particles across: sides change by %.2g\n", across, grown);
    EXPECT_LT(grown, 1e-4);
  }
}

/// What the sides of the water in a falling tank change by.
double change_in_falling_tank(double diffusion) {
  InitialState state = water(0.02);
  state.systems[0].parameters.of<SphParameters>().density_diffusion = diffusion;
  add_block(state.systems[0], {0, 0, 0}, 6, 6, 10);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {0.12, 0.12, 1}});
  state.walls[0].motion.acceleration = {0, 0, -9.81};
  Driver driver(state);
  const Vec3d before = sides(driver, 0, 1 << 30);
  driver.run_until(0.5);
  return largest_change(sides(driver, 0, 1 << 30), before);
}
/// A tank falls with its water, and no weight presses on its floor. What changes without diffusion is that
/// steps take falling particles further than the floor, by g t dt/2.
TEST(SphAccelerated, ATankInFreeFallKeepsItsLevel) {
  const double with = change_in_falling_tank(0.1), without = change_in_falling_tank(0);
  note("sides change by %.2g, without diffusion by %.2g\n", with, without);
  EXPECT_LT(with, without + 2e-3);
}

/// In one fluid, with one acceleration, a block falls while another rests: each has its own.
TEST(SphAccelerated, WhatFallsAndWhatRestsAreOfOneFluid) {
  InitialState state = water(0.02);
  add_block(state.systems[0], {0, 0, 0}, 6, 6, 10);
  add_block(state.systems[0], {0, 0, 1.5}, 6, 6, 6);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {0.12, 0.12, 5}});
  Driver driver(state);
  const Vec3d before = sides(driver, 360, 1 << 30);
  driver.run_until(0.4);
  const double grown = largest_change(sides(driver, 360, 1 << 30), before);
  note("sides change by %.2g, level %.4f m\n", grown, sides(driver, 0, 360).z);
  EXPECT_LT(grown, 1e-4);
  EXPECT_NEAR(sides(driver, 0, 360).z, 0.18, 0.01);
}

}  // namespace sph_accelerated_test
MERGANSER_END
