/// State of particles in FluidForces, and its results where all forces are off.
#include "solvers/methods/fluid/forces/fluid_forces.h"

#include <gtest/gtest.h>

#include "tests/support/packed_cloud.h"

MERGANSER_BEGIN
namespace fluid_forces_test {

using namespace forces_test;

std::vector<float> saved(const FluidForces& forces, const char* field) {
  StateArchive archive;
  forces.save(archive, "fluid");
  return archive.get<float>(std::string("fluid/") + field);
}

TEST(FluidForces, StateFollowsTheParticles) {
  FluidForcesParameters parameters;
  parameters.vorticity = parameters.implicit_viscosity = 1;
  FluidForces forces(parameters, 1000, 1e-3f, 0.01f);
  forces.resize(3);
  StateArchive archive;
  archive.put("fluid/rotation", std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  archive.put("fluid/viscous_change", std::vector<float>{10, 11, 12, 13, 14, 15, 16, 17, 18});
  forces.load(archive, "fluid");
  const Array<int> order(std::vector<int>{2, 0, 1}), kept(std::vector<int>{0, 2});
  forces.permute(order.const_view());
  EXPECT_EQ(saved(forces, "rotation"), (std::vector<float>{6, 7, 8, 0, 1, 2, 3, 4, 5}));
  forces.keep(kept.const_view());
  forces.resize(3);
  EXPECT_EQ(saved(forces, "rotation"), (std::vector<float>{6, 7, 8, 3, 4, 5, 0, 0, 0}));
  EXPECT_EQ(saved(forces, "viscous_change"), (std::vector<float>{16, 17, 18, 13, 14, 15, 0, 0, 0}));
  forces.resize(2);
  EXPECT_THROW(forces.load(archive, "fluid"), FileError);
}

TEST(FluidForces, OffIsOff) {
  FluidForces forces({}, 1000, 1e-3f, 0.01f);
  EXPECT_FALSE(forces.any());
  EXPECT_FALSE(FluidForcesParameters{}.any());
  EXPECT_EQ(FluidForcesParameters{}.bytes_per_particle(), 0);
  EXPECT_EQ(forces.time_step_limit(), 1e30);
  StateArchive archive;
  forces.save(archive, "fluid");
  EXPECT_TRUE(archive.arrays().empty());
}

/// add() in accelerations and in changes of velocity: the same end of the step.
TEST(FluidForces, AddsInEitherUnit) {
  const float spacing = 0.02f, h = 0.024f, dt = 2e-3f;
  PackedCloud cloud(jittered_lattice(6, 6, 6, spacing, 0.3f), spacing, h, 0.1f);
  FluidForcesParameters parameters;
  parameters.surface_tension = 0.5;
  parameters.implicit_viscosity = 50;
  const auto v = random_points(cloud.count(), 2, 4), a = random_points(cloud.count(), 20, 5);
  std::vector<Vec3> changes;
  for (const Vec3& x : a) changes.push_back(dt * x);
  Array<Vec3> velocity(v), acceleration(a), change(changes);
  const Vec3 gravity{0, 0, -9.81f};
  const auto add = [&](float unit, Array<Vec3>& added) {
    FluidForces forces(parameters, cloud.density0, float(cloud.mass()), h);
    forces.resize(cloud.count());
    forces.add(cloud.fluid(), dt, velocity.const_view(), gravity, unit, added.view());
  };
  add(dt, acceleration);
  add(1, change);
  const auto by_acceleration = acceleration.to_host(), by_change = change.to_host();
  double changed = 0;
  for (size_t i = 0; i < v.size(); ++i) {
    EXPECT_LT(norm(dt * by_acceleration[i] - by_change[i]), 1e-5f);
    changed = std::max(changed, double(norm(by_change[i] - changes[i])));
  }
  EXPECT_GT(changed, 0.5);
}

}  // namespace fluid_forces_test
MERGANSER_END
