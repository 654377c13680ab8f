/// Contract of FLIP with merging-and-splitting and the host: groups in both stages, other systems' particles,
/// the same bits for any number of threads and after a restart.
#include <gtest/gtest.h>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/flip/flip.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "tests/support/driven_fluids.h"
#include "tests/support/meta_groups.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace flip_contract_test {

using namespace sph_test;

InitialState small_dam(FlipTransfer transfer = FlipTransfer::flip) {
  InitialState state;
  state.systems = {new_system("flip")};
  SystemState& fluid = state.systems[0];
  fluid.name = "water";
  fluid.parameters.of<FlipParameters>().transfer = transfer;
  fluid.fluid.particle_radius = 0.02;
  add_block(fluid, {0, 0, 0}, 9, 8, 14);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {1, 0.32, 2}});
  state.max_time_step = 0.005;
  return state;
}

/// Two fluids of another system lie before and behind this one's particles in the store, beside it in space.
class FlipGroups : public testing::Test {
 protected:
  void SetUp() override {
    InitialState state = small_dam();
    state.systems.push_back(state.systems[0]);
    state.systems.push_back(state.systems[0]);
    for (size_t s : {0, 2}) {
      state.systems[s].parameters.of<FlipParameters>().cell_size = 3;  // so they are not solved together
      for (Float3& x : state.systems[s].position) x[0] += s == 0 ? 0.4f : 0.8f;
    }
    for (int s = 0; s < 3; ++s) store.add_system(initial_particles(state.systems[size_t(s)], s, 10000 * s));
    fluid = make_flip(state.systems[1], state, 1, store);
    walls = Walls(state.walls);
    step.walls = walls.view();
    end_velocity.resize(store.count());
    fluid->prepare(step);
  }
  std::vector<Vec3> integrate(const MetaGroups& groups, int stage) {
    end_velocity.zero();  // of others, as their systems would have it
    fluid->integrate(step, groups.view(), stage, end_velocity.view());
    return end_velocity.to_host();
  }

  const double dt = 1e-3;
  ParticleStore store;
  KernelReport report;
  std::unique_ptr<System> fluid;
  Walls walls;
  Array<Vec3> end_velocity;
  StepContext step{store, report, {0, 0, -9.81f}, 0, dt, 0};
};

TEST_F(FlipGroups, MembersShareOneVelocityInBothStages) {
  const int first = store.range(1).first, last = store.range(1).end() - 1;
  std::vector<std::vector<int>> lists{{3, first, first + 40, first + 7 * 9, last + 5},
                                      {first + 2, first + 300}};
  std::vector<Vec3> velocity{{0.1f, 0.2f, 0.3f}, {-0.1f, 0, 0}};
  for (int stage = 0; stage < 2; ++stage) {
    if (stage == 1) {
      lists[1].push_back(last), lists.push_back({5, last + 9});  // larger groups, one without own members
      velocity.push_back({9, 9, 9});
    }
    const auto end =
        integrate(MetaGroups(store.count(), lists, velocity, std::vector<float>(lists.size(), 1)), stage);
    for (size_t g = 0; g < 2; ++g) {
      const Vec3 shared = end[size_t(lists[g][g == 0 ? 1 : 0])];
      for (int i : lists[g])
        if (store.range(1).contains(i)) {
          EXPECT_EQ(end[size_t(i)], shared);
        }
      // The pressure of a block at rest holds all but the group's own motion, of which it takes off a part.
      EXPECT_LT(norm(shared - velocity[g]), norm(velocity[g]) + 0.02f);
    }
    EXPECT_EQ(end.back(), (Vec3{0, 0, 0}));  // another system's, far off
    EXPECT_GT(norm(end[3]), 0);              // and one that this fluid's pressure reaches
    if (stage == 1) {
      EXPECT_TRUE(fluid->statistics(store).tolerance_met);
      EXPECT_LE(fluid->statistics(store).iterations[1], fluid->statistics(store).iterations[0]);
    }
  }
}
TEST_F(FlipGroups, SecondStageStartsFromTheFirstPressure) {
  const MetaGroups none(store.count(), {}, {}, {});
  const auto first = integrate(none, 0), second = integrate(none, 1);
  EXPECT_GT(fluid->statistics(store).iterations[0], 3);
  EXPECT_EQ(fluid->statistics(store).iterations[1], 0);
  EXPECT_EQ(first, second);
}
TEST_F(FlipGroups, ImmobileGroupKeepsItsVelocity) {
  const int first = store.range(1).first;
  const auto end = integrate(MetaGroups(store.count(), {{first + 1, first + 2}}, {{0.5f, 0, -2}}, {0}), 0);
  for (int i : {first + 1, first + 2}) EXPECT_EQ(end[size_t(i)], (Vec3{0.5f, 0, -2}));
}
/// A block beside others of other systems falls with them as one: cells of others count as occupied and carry
/// their velocities, so nothing pushes.
TEST_F(FlipGroups, FallsFreelyBesideOthers) {
  InitialState open = small_dam();
  open.walls.clear();
  step.walls = {};
  open.systems[0].parameters.of<FlipParameters>().volume_correction = 0;
  fluid = make_flip(open.systems[0], open, 1, store);
  fluid->prepare(step);
  const auto end = integrate(MetaGroups(store.count(), {}, {}, {}), 0);
  const Range own = store.range(1);
  for (int i = own.first; i < own.end(); ++i) EXPECT_LT(norm(end[size_t(i)] - Vec3{0, 0, -9.81e-3f}), 1e-7f);
}

void run(Driver& driver, int steps) {
  for (int k = 0; k < steps; ++k)
    driver.step(std::min(0.005, 0.3 * driver.system->largest_time_step(driver.store)));
}

TEST(FlipDeterminism, SameBitsForOneAndTwoThreads) {
  for (FlipTransfer transfer : {FlipTransfer::flip, FlipTransfer::apic}) {
    const auto result = [&] {
      InitialState state = small_dam(transfer);
      add_block(state.systems[0], {0.36, 0, 0}, 16, 8, 20);
      Driver driver(state);
      run(driver, 30);
      return FluidState(driver);
    };
    const FluidState one = with_threads(1, result);
    EXPECT_TRUE(one == with_threads(2, result));
    EXPECT_TRUE(one == with_threads(1, result));
    EXPECT_GT(norm(one.v[5]), 0.01f);
  }
}
TEST(FlipDeterminism, ResumesBitForBit) {
  for (FlipTransfer transfer : {FlipTransfer::flip, FlipTransfer::apic}) {
    const InitialState state = small_dam(transfer);
    Driver whole(state), resumed(state);
    run(whole, 40);
    resume(whole, resumed);
    run(whole, 40);
    run(resumed, 40);
    EXPECT_TRUE(FluidState(whole) == FluidState(resumed));
  }
}

/// A drop that flies off costs no memory: the box is cut, and outside it particles move freely.
TEST(FlipBox, FarParticleFliesOn) {
  InitialState state = small_dam();
  state.walls.clear();
  add_particle(state.systems[0], {5e4, 3, -4e4}, {1, 2, 3});
  Driver driver(state);
  const size_t before = allocated_bytes();
  driver.step(0.001);
  EXPECT_LT(allocated_bytes() - before, size_t(1) << 30);
  const auto id = driver.store.id.to_host();
  const auto v = driver.store.velocity.to_host();
  for (size_t i = 0; i < id.size(); ++i)
    if (id[i] == driver.store.count() - 1) {
      EXPECT_LT(norm(v[i] - Vec3{1, 2, 3 - 9.81e-3f}), 1e-6f);
    }
}
TEST(FlipStep, NoParticleCrossesMoreThanItsCells) {
  InitialState state = small_dam();
  state.systems[0].parameters.of<FlipParameters>().cfl = 0.5;
  for (Float3& v : state.systems[0].velocity) v = {3, 0, -4};
  const Driver driver(state);
  EXPECT_NEAR(driver.system->largest_time_step(driver.store), 0.5 * 0.08 / (5 + std::sqrt(9.81 * 0.08)),
              1e-6);
}

TEST(FlipParameters, OutOfRangeIsAnErrorThatNamesTheKey) {
  const InitialState state = small_dam();
  ParticleStore store;
  store.add_system(initial_particles(state.systems[0], 0, 0));
  auto expect_error = [&](auto change, const std::string& key) {
    InitialState changed = state;
    change(changed);
    try {
      make_flip(changed.systems[0], changed, 0, store);
      FAIL() << key;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("water"), std::string::npos);
    }
  };
  expect_error([](InitialState& s) { s.systems[0].fluid.density0 = 0; }, "density0");
  expect_error([](InitialState& s) { s.systems[0].parameters.of<FlipParameters>().flip_blend = 1.1; },
               "flipBlend");
  expect_error([](InitialState& s) { s.systems[0].parameters.of<FlipParameters>().cell_size = 0.5; },
               "cellSize");
  expect_error([](InitialState& s) { s.systems[0].parameters.of<FlipParameters>().tolerance = 0; },
               "tolerance");
  expect_error([](InitialState& s) { s.systems[0].parameters.of<FlipParameters>().cfl = 0; }, "cfl");
  expect_error([](InitialState& s) { s.systems[0].mass[3] *= 1.1f; }, "weighs");
  expect_error([](InitialState& s) { s.periodic_length = {0, 1, 0}; }, "periodic");
}

}  // namespace flip_contract_test
MERGANSER_END
