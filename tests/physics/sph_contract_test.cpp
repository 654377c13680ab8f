/// Contract of SPH with merging-and-splitting and the host: groups in both stages, emitters, same bits for
/// any number of threads and after a restart.
#include <gtest/gtest.h>

#include <map>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/driven_fluids.h"
#include "tests/support/meta_groups.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace sph_contract_test {

using namespace sph_test;

InitialState small_dam() {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.02;
  add_block(fluid, {0, 0, 0}, 9, 8, 14);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {1, 0.32, 2}});
  return state;
}

/// Two fluids share the store, so groups hold particles of others before and behind this fluid's.
class SphGroups : public testing::Test {
 protected:
  void SetUp() override {
    InitialState state = small_dam();
    state.systems.push_back(state.systems[0]);
    state.systems.push_back(state.systems[0]);
    for (int s = 0; s < 3; ++s) store.add_system(initial_particles(state.systems[size_t(s)], s, 10000 * s));
    fluid = make_sph(state.systems[1], state, 1, store);
    walls = Walls(state.walls);
    step.walls = walls.view();
    end_velocity.resize(store.count());
    fluid->prepare(step);
    integrate(MetaGroups(store.count(), {}, {}, {}), 0);
    alone = end_velocity.to_host();
  }
  void integrate(const MetaGroups& groups, int stage) {
    fluid->integrate(step, groups.view(), stage, end_velocity.view());
  }
  Vec3 mean_acceleration(const std::vector<int>& members) const {
    const auto v = store.velocity.to_host();
    Vec3d sum{0, 0, 0};
    int own = 0;
    for (int i : members)
      if (store.range(1).contains(i))
        sum += (to_double(alone[size_t(i)]) - to_double(v[size_t(i)])) / dt, ++own;
    return to_float(sum / double(own));
  }

  const double dt = 1e-3;
  ParticleStore store;
  KernelReport report;
  std::unique_ptr<System> fluid;
  Walls walls;
  Array<Vec3> end_velocity;
  std::vector<Vec3> alone;
  StepContext step{store, report, {0, 0, -9.81f}, 0, dt, 0};
};

TEST_F(SphGroups, MembersShareTheMeanOfTheirAccelerationsInBothStages) {
  const int first = store.range(1).first, last = store.range(1).end() - 1;
  const std::vector<std::vector<int>> stage0{{3, first, first + 40, first + 7 * 9, last + 5},
                                             {first + 2, first + 300}};
  const std::vector<Vec3> velocity{{1, 2, 3}, {-1, 0, 0}};
  for (int stage = 0; stage < 2; ++stage) {
    auto lists = stage0;
    if (stage == 1)
      lists[1].push_back(last), lists.push_back({5, last + 9});  // larger groups, one without own members
    std::vector<Vec3> v = velocity;
    if (stage == 1) v.push_back({9, 9, 9});
    integrate(MetaGroups(store.count(), lists, v, std::vector<float>(lists.size(), 1)), stage);
    const auto end = end_velocity.to_host();
    for (size_t g = 0; g < 2; ++g) {
      const Vec3 expected = v[g] + float(dt) * mean_acceleration(lists[g]);
      for (int i : lists[g]) {
        if (!store.range(1).contains(i)) continue;
        EXPECT_LT(norm(end[size_t(i)] - expected), 2e-6f);
        const Vec3 &own = end[size_t(i)], &other = end[size_t(lists[g][g == 0 ? 1 : 0])];
        EXPECT_EQ(own.x, other.x);
        EXPECT_EQ(own.y, other.y);
        EXPECT_EQ(own.z, other.z);
      }
    }
    EXPECT_EQ(end[size_t(first + 11)], alone[size_t(first + 11)]);  // in no group
    EXPECT_EQ(end[3], (Vec3{0, 0, 0}));                             // another system's
  }
}
TEST_F(SphGroups, ImmobileGroupKeepsItsVelocity) {
  const int first = store.range(1).first;
  integrate(MetaGroups(store.count(), {{first + 1, first + 2}}, {{0.5f, 0, -2}}, {0}), 0);
  const auto end = end_velocity.to_host();
  for (int i : {first + 1, first + 2}) EXPECT_EQ(end[size_t(i)], (Vec3{0.5f, 0, -2}));
}

/// A store of three empty systems, the last of which takes what an emitter adds.
struct EmitterStore : ParticleStore {
  EmitterStore() {
    for (int k = 0; k < 3; ++k) add_system({});
  }
  int emit(Emitter& emitter, double time) { return emitter.emit(time, {0, 0, -10}, *this).brings.particles; }
};

/// Layers are one spacing apart whatever the steps are, and the mass that has left by t is rho0 A v t to
/// within a layer.
TEST(SphEmitter, RateAndSpacingDoNotDependOnTheSteps) {
  FluidParameters fluid;
  fluid.particle_radius = 0.005;
  const EmitterParameters parameters{.position = {1, 2, 3},
                                     .direction = {0, 3, -4},
                                     .radius = 0.05,
                                     .velocity = 2,
                                     .start_time = 0.01,
                                     .body = 4};
  const Vec3d n{0, 0.6, -0.8};
  Emitter emitter(parameters, fluid, 2);
  std::vector<Vec3d> particles;  // moved along as they leave
  double time = 0;
  EmitterStore store;
  store.set_id_end(100);
  Emission brought{0, 0, 0, {0, 0, 0}};
  for (int k = 0; time < 0.1; ++k) {
    const int before = store.count(), next_id = store.id_end();
    const Emitter::Emitted emitted = emitter.emit(time, {0, 0, -10}, store);
    brought = brought + emitted.brings;
    ASSERT_EQ(store.count(), before + emitted.brings.particles);
    ASSERT_EQ(store.range(2).end(), store.count());
    const auto position = store.position.to_host(), velocity = store.velocity.to_host();
    const auto id = store.id.to_host(), body = store.body.to_host(), system = store.system.to_host();
    const auto mass = store.mass.to_host(), inverse_mass = store.inverse_mass.to_host(),
               radius = store.radius.to_host();
    Bounds box;
    for (int i = before; i < store.count(); ++i) {
      const size_t at = size_t(i);
      particles.push_back(to_double(position[at]));
      box = joined(box, {position[at], position[at]});
      EXPECT_EQ(id[at], next_id + i - before);
      EXPECT_EQ(body[at], 4);
      EXPECT_EQ(system[at], 2);
      EXPECT_EQ(mass[at], 1e-3f);  // 1000 kg/m^3 times the cube of 0.01 m
      EXPECT_EQ(inverse_mass[at], 1 / mass[at]);
      EXPECT_EQ(radius[at], 0.005f);
      EXPECT_LT(norm(to_double(velocity[at]) - 2.0 * n), 1e-6);
    }
    EXPECT_EQ(box.low, emitted.box.low);
    EXPECT_EQ(box.high, emitted.box.high);
    EXPECT_EQ(store.id_end(), next_id + emitted.brings.particles);
    const double dt = k % 3 ? 0.0007 : 0.0113;  // less and more than a layer a step
    for (Vec3d& x : particles) x += 2 * dt * n;
    time += dt;
  }
  EXPECT_NEAR(brought.mass, double(1e-3f) * double(particles.size()), 1e-9);
  EXPECT_NEAR(brought.momentum.z, -1.6 * brought.mass, 1e-6);
  std::map<int, int> layers;
  for (const Vec3d& x : particles) {
    const double along = dot(x - Vec3d{1, 2, 3}, n) / 0.01, phase = (time - 0.01) * 2 / 0.01;
    const double layer = phase - along;  // 0 for the first, which left at start_time
    EXPECT_NEAR(layer, std::round(layer), 1e-3);
    ++layers[int(std::round(layer))];
    EXPECT_LE(norm(x - Vec3d{1, 2, 3} - dot(x - Vec3d{1, 2, 3}, n) * n), 0.05 + 1e-6);
  }
  EXPECT_NEAR(emitter.particles_per_layer(), 25 * 3.14159265, 1e-5);  // the disc's area over spacing^2
  const int emitted_layers = int(layers.size());
  for (const auto& [layer, count] : layers) EXPECT_NEAR(count, emitter.particles_per_layer(), 1) << layer;
  EXPECT_EQ(emitter.emitted_particles(), emitter.particles_before(std::int64_t(layers.size())));
  EXPECT_EQ(layers.begin()->first, 0);
  EXPECT_EQ(layers.rbegin()->first, emitted_layers - 1);
}
/// The flow is that of the disc at any radius, from one particle on, to the rounding of one particle.
TEST(SphEmitter, FlowIsAreaTimesSpeed) {
  FluidParameters fluid;
  fluid.particle_radius = 0.005;
  for (const double radius : {0.005, 0.0071, 0.012, 0.028, 0.05, 0.123}) {
    Emitter emitter({.radius = radius, .velocity = 4, .end_time = 1.24999}, fluid, 0);
    EmitterStore store;
    const double volume = store.emit(emitter, 2) * 1e-6;
    EXPECT_NEAR(volume, 3.14159265 * radius * radius * 5, 1e-6) << radius;
  }
}

TEST(SphEmitter, StopsAndResumes) {
  FluidParameters fluid;
  fluid.particle_radius = 0.005;
  EmitterParameters parameters{.radius = 0.02, .velocity = 1, .end_time = 0.095};
  Emitter whole(parameters, fluid, 0);
  EmitterStore store;
  EXPECT_EQ(store.emit(whole, 5), whole.particles_before(10));  // layers at 0, 0.01, ..., 0.09
  Emitter first(parameters, fluid, 0), second(parameters, fluid, 0);
  const int n = store.emit(first, 0.034);
  StateArchive archive;
  first.save(archive, "emitters/0");
  second.load(archive, "emitters/0");
  EXPECT_EQ(n + store.emit(second, 5), whole.particles_before(10));
  parameters.max_particles = int(whole.particles_before(2)) + 1;
  Emitter limited(parameters, fluid, 0);
  EXPECT_EQ(store.emit(limited, 5), whole.particles_before(2));
  parameters.direction = {0, 0, 0};
  EXPECT_THROW(Emitter(parameters, fluid, 0), InputError);
}

/// Layers that leave while it is full lapse, so that none appears far behind the disc; a resume changes
/// nothing.
TEST(SphEmitter, GoesOnAtItsDiscAfterItWasFull) {
  FluidParameters fluid;
  fluid.particle_radius = 0.005;
  fluid.kill_box.boxes = {{{Point3{-1, -1, -1}, Point3{1, 1, 1}}}};
  EmitterParameters parameters{.direction = {0, 0, 1}, .radius = 0.02, .velocity = 1};
  parameters.max_particles = int(Emitter(parameters, fluid, 0).particles_before(2)) + 1;
  Emitter whole(parameters, fluid, 0), resumed(parameters, fluid, 0);
  EmitterStore store;
  const int two_layers = store.emit(whole, 0.034);
  EXPECT_EQ(two_layers, whole.particles_before(2)) << "those at 0.02 s and 0.03 s lapse";
  StateArchive archive;
  whole.save(archive, "emitters/0");
  resumed.load(archive, "emitters/0");
  for (Emitter* emitter : {&whole, &resumed}) {
    emitter->removed(two_layers);
    const Emitter::Emitted emitted = emitter->emit(0.052, {0, 0, -10}, store);
    EXPECT_EQ(emitted.brings.particles, emitter->particles_before(6) - emitter->particles_before(4));
    EXPECT_NEAR(emitted.box.low.z, 0.002, 1e-7);
    EXPECT_NEAR(emitted.box.high.z, 0.012, 1e-7);
  }
}

/// A jet enters an empty fluid and keeps its rest density and its shape: appended particles are no shock to
/// the others.
TEST(SphEmitter, JetKeepsItsDensity) {
  InitialState state;
  state.gravity = {0, 0, 0};
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.01;
  fluid.emitters.push_back({.position = {0, 0, 0}, .direction = {0, 0, -1}, .radius = 0.07, .velocity = 2});
  Driver driver(state);
  Emitter emitter(fluid.emitters[0], fluid.fluid, 0);
  run_jet(driver, emitter, 0.2);
  EXPECT_EQ(driver.store.count(), emitter.emitted_particles());
  EXPECT_GT(driver.store.count(), 19 * emitter.particles_per_layer());
  EXPECT_LT(driver.system->statistics(driver.store).density_error, 1e-3);
  for (const Vec3& v : driver.store.velocity.to_host()) EXPECT_LT(norm(v - Vec3{0, 0, -2}), 0.02f);
}

void run(Driver& driver, int steps) {
  for (int k = 0; k < steps; ++k) driver.step(driver.system->largest_time_step(driver.store));
}
/// Three chunks' worth of particles, so that threads do share the work.
InitialState larger_dam() {
  InitialState state = small_dam();
  state.systems[0].fluid.particle_radius = 0.01;
  state.systems[0].position.clear(), state.systems[0].velocity.clear(), state.systems[0].mass.clear();
  state.systems[0].radius.clear(), state.systems[0].immobile.clear(), state.systems[0].body.clear();
  add_block(state.systems[0], {0, 0, 0}, 18, 16, 20);
  return state;
}

TEST(SphDeterminism, SameBitsForOneAndTwoThreads) {
  const auto result = [] {
    Driver driver(larger_dam());
    run(driver, 30);
    return FluidState(driver, "density");
  };
  const FluidState one = with_threads(1, result);
  EXPECT_TRUE(one == with_threads(2, result));
  EXPECT_TRUE(one == with_threads(1, result));
}
TEST(SphDeterminism, ResumesBitForBit) {
  for (DensityMethod method : {DensityMethod::continuity, DensityMethod::summation}) {
    InitialState state = small_dam();
    state.systems[0].parameters.of<SphParameters>().density = method;
    state.systems[0].parameters.of<SphParameters>().xsph = 0.1;
    Driver whole(state), resumed(state);
    run(whole, 40);
    resume(whole, resumed);
    run(whole, 40);
    run(resumed, 40);
    EXPECT_TRUE(FluidState(whole, "density") == FluidState(resumed, "density"));
  }
}

TEST(SphParameters, OutOfRangeIsAnErrorThatNamesTheKey) {
  InitialState state = small_dam();
  state.systems[0].name = "water";
  ParticleStore store;
  store.add_system(initial_particles(state.systems[0], 0, 0));
  auto expect_error = [&](auto change, const std::string& key) {
    SystemState changed = state.systems[0];
    change(changed);
    try {
      make_sph(changed, state, 0, store);
      FAIL() << key;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("water"), std::string::npos);
    }
  };
  expect_error([](SystemState& s) { s.fluid.density0 = 0; }, "density0");
  expect_error([](SystemState& s) { s.parameters.of<SphParameters>().cfl = 2; }, "cfl");
  expect_error([](SystemState& s) { s.parameters.of<SphParameters>().gamma = 0.5; }, "gamma");
  expect_error([](SystemState& s) { s.mass[3] *= 1.1f; }, "weighs");
}
/// c = 10 sqrt(v0^2 + 2 g H): from the top of a 0.56 m block to a floor 1 m below its lower face.
TEST(SphParameters, SoundSpeedFollowsFromTheInitialState) {
  InitialState state = small_dam();
  state.walls = {{.shape = WallShape::plane, .point = {0, 0, -1}}};
  for (Float3& v : state.systems[0].velocity) v = {3, 0, 0};
  EXPECT_NEAR(expected_sound_speed(state.systems[0], state), 10 * std::sqrt(9 + 2 * 9.81 * (1 + 0.54)), 1e-4);
  state.gravity = {0, 0, 0};
  EXPECT_NEAR(expected_sound_speed(state.systems[0], state), 30, 1e-9);
}

}  // namespace sph_contract_test
MERGANSER_END
