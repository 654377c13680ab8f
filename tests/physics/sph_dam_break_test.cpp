/// Collapse of a water column against Martin & Moyce (1952).
#include <gtest/gtest.h>

#include "solvers/methods/all_methods.h"
#include "tests/support/martin_moyce.h"

MERGANSER_BEGIN
namespace {

using namespace sph_test;

/// Periodic in y, on a floor with a wall behind.
InitialState column(int across) {
  const double spacing = martin_moyce_a / across;
  InitialState state;
  state.systems = {new_system("sph")};
  state.systems[0].fluid.particle_radius = spacing / 2;
  add_block(state.systems[0], {0, 0, 0}, across, 8, 2 * across);
  state.walls.push_back({.shape = WallShape::plane, .direction = {0, 0, 1}});
  state.walls.push_back({.shape = WallShape::plane, .direction = {1, 0, 0}});
  state.periodic_length = {0, 8 * spacing, 0};
  return state;
}
TEST(SphDamBreak, MartinMoyceCoarse) { expect_martin_moyce(column(16), 16); }
TEST(SphDamBreakSlow, MartinMoyceFine) { expect_martin_moyce(column(40), 40); }

}  // namespace
MERGANSER_END
