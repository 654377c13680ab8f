/// Collapse of a water column against Martin & Moyce (1952).
#include <gtest/gtest.h>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "tests/support/martin_moyce.h"

MERGANSER_BEGIN
namespace flip_dam_break_test {

using namespace sph_test;

/// Between two walls without friction, on a floor with a wall behind.
InitialState column(int across, FlipTransfer transfer) {
  const double spacing = martin_moyce_a / across;
  InitialState state;
  state.systems = {new_system("flip")};
  SystemState& fluid = state.systems[0];
  fluid.name = "water";
  fluid.parameters.of<FlipParameters>().transfer = transfer;
  fluid.fluid.particle_radius = spacing / 2;
  add_block(fluid, {0, 0, 0}, across, 8, 2 * across);
  state.walls.push_back({.shape = WallShape::plane, .direction = {0, 0, 1}});
  state.walls.push_back({.shape = WallShape::plane, .direction = {1, 0, 0}});
  state.walls.push_back({.shape = WallShape::plane, .direction = {0, 1, 0}});
  state.walls.push_back({.shape = WallShape::plane, .point = {0, 8 * spacing, 0}, .direction = {0, -1, 0}});
  // [MS] sec. 5.1 limits the step to a particle radius at the largest speed, 2 sqrt(g a) here.
  state.max_time_step = 0.5 * spacing / (2 * std::sqrt(9.81 * martin_moyce_a));
  return state;
}
TEST(FlipDamBreak, MartinMoyceCoarse) { expect_martin_moyce(column(16, FlipTransfer::flip), 16); }
TEST(FlipDamBreakSlow, MartinMoyceFine) { expect_martin_moyce(column(32, FlipTransfer::flip), 32); }
TEST(FlipDamBreakSlow, MartinMoyceApic) { expect_martin_moyce(column(32, FlipTransfer::apic), 32); }

}  // namespace flip_dam_break_test
MERGANSER_END
