/// Viscosity does not brake a fluid that turns as a rigid body: angular momentum is kept.
#include <gtest/gtest.h>

#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace rotation_test {

using namespace sph_test;

constexpr double spacing = 0.01, spin = 8, viscosity = 1e-3;

InitialState viscous_dfsph() {
  InitialState state;
  state.systems = {new_system("dfsph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = spacing / 2;
  fluid.parameters.of<DfsphParameters>().viscosity = viscosity;
  return state;
}

/// Adds what of a lattice `holds` says, in rigid rotation about z.
template <class Holds>
void add_turning(InitialState& state, int layers, const Holds& holds) {
  for (int k = -layers; k < layers; ++k)
    for (int j = -12; j < 12; ++j)
      for (int i = -12; i < 12; ++i) {
        const Vec3d x{(i + 0.5) * spacing, (j + 0.5) * spacing, (k + 0.5) * spacing};
        if (holds(x)) add_particle(state.systems[0], x, Vec3d{-x.y, x.x, 0} * spin);
      }
}

double angular_momentum(const Driver& driver) {
  const auto x = driver.store.position.to_host(), v = driver.store.velocity.to_host();
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += double(x[i].x) * v[i].y - double(x[i].y) * v[i].x;
  return sum;
}

/// The share that is left after 0.5 s.
double kept(const InitialState& state) {
  Driver driver(state);
  const double before = angular_momentum(driver);
  driver.run_until(0.5);
  return angular_momentum(driver) / before;
}

/// A free drop stretches as it turns, and no torque acts on it. Without the transposed gradient in the
/// viscous force it keeps 0.90.
TEST(Rotation, FreeDropOfDfsphKeepsItsAngularMomentum) {
  InitialState state = viscous_dfsph();
  state.gravity = {0, 0, 0};
  add_turning(state, 6, [](const Vec3d& x) { return norm(x) < 6 * spacing; });
  const double share = kept(state);
  EXPECT_NEAR(share, 1, 0.005);
  note("drop: %.4f\n", share);
}

/// Water in a round vessel without friction, its surface a paraboloid. Without the transposed gradient 0.85.
TEST(Rotation, BucketOfDfsphKeepsItsAngularMomentum) {
  InitialState state = viscous_dfsph();
  add_turning(state, 5, [](const Vec3d& x) { return std::hypot(x.x, x.y) < 10 * spacing; });
  state.walls.push_back(
      {.shape = WallShape::cylinder, .direction = {0, 0, 1}, .radius = 10 * spacing, .length = 40 * spacing});
  state.walls.push_back({.shape = WallShape::plane, .point = {0, 0, -5 * spacing}, .direction = {0, 0, 1}});
  const double share = kept(state);
  EXPECT_NEAR(share, 1, 0.005);
  note("bucket: %.4f\n", share);
}

}  // namespace rotation_test
MERGANSER_END
