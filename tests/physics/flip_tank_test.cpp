/// A FLIP fluid in tanks: at rest, sloshing, and for long.
#include <gtest/gtest.h>

#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace {

using namespace sph_test;

InitialState fluid_state(double radius) {
  InitialState state;
  state.systems.resize(1);
  state.systems[0].name = "water";
  state.systems[0].type = SystemType::flip;
  state.systems[0].sph.particle_radius = radius;
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
  std::printf("speed %.2e m/s\n", driver.max_speed());
  EXPECT_TRUE(driver.fluid->statistics(driver.store).tolerance_met);
}

TEST(FlipHydrostatic, TankStaysAtRest) {
  for (FlipTransfer transfer : {FlipTransfer::flip, FlipTransfer::apic}) {
    InitialState state = fluid_state(0.025);
    state.systems[0].flip.transfer = transfer;
    add_block(state.systems[0], {0, 0, 0}, 12, 10, 14);
    state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {0.6, 0.5, 2}});
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
    std::printf("speed %.2e m/s, moved %.2e m\n", driver.max_speed(), double(moved));
    EXPECT_LT(driver.max_speed(), 1e-3);
    EXPECT_LT(moved, 0.05 * 0.05);
  }
}

}  // namespace
MERGANSER_END
