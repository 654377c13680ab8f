/// A fluid with topological neighborhoods ([TN] sec. 6): what stays as it was, and what no longer acts.
#include <gtest/gtest.h>

#include <map>

#include "solvers/core/topological_links.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/driven_fluids.h"
#include "tests/support/note.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace sph_topology_test {

using namespace sph_test;

constexpr double spacing = 0.02;

InitialState topological_fluid() {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.name = "water";
  fluid.fluid.particle_radius = spacing / 2;
  fluid.parameters.of<SphParameters>().neighborhood = Neighborhood::topological;
  return state;
}

/// A block of another body.
void add_body(SystemState& fluid, int body, const Vec3d& low, int nx, int ny, int nz, const Vec3d& v) {
  const size_t before = fluid.position.size();
  add_block(fluid, low, nx, ny, nz);
  for (size_t i = before; i < fluid.position.size(); ++i) {
    fluid.body[i] = body;
    fluid.velocity[i] = {float(v.x), float(v.y), float(v.z)};
  }
}

/// Positions by id.
std::map<int, Vec3> positions(const Driver& driver) {
  std::map<int, Vec3> by_id;
  const auto id = driver.store.id.to_host();
  const auto x = driver.store.position.to_host();
  for (size_t i = 0; i < id.size(); ++i) by_id[id[i]] = x[i];
  return by_id;
}

void run(Driver& driver, int steps) {
  for (int k = 0; k < steps; ++k) driver.step(driver.system->largest_time_step(driver.store));
}

/// A block that falls apart in a tank. Where all pairs within 2h are linked, both walks sum the same terms in
/// another order: 1e-6 of an acceleration of up to c^2/h a step, which the stiff fluid keeps from growing
/// over 60 steps. Measured 1e-6 h; bar 1e-4 h. Neighborhoods are renewed every other step, so that no pair
/// waits for its link.
TEST(SphTopology, AllLinkedEqualsEuclidean) {
  std::map<int, Vec3> result[2];
  for (int topological = 0; topological < 2; ++topological) {
    InitialState state = topological_fluid();
    SystemState& fluid = state.systems[0];
    if (!topological) fluid.parameters.of<SphParameters>().neighborhood = Neighborhood::euclidean;
    fluid.parameters.of<SphParameters>().shepard_filter = false;
    add_block(fluid, {0, 0, 0}, 9, 8, 12);
    state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {1, 8 * spacing, 2}});
    Driver driver(state);
    driver.frame_every = 2;
    for (int k = 0; k < 60; ++k) driver.step(5e-4);
    result[topological] = positions(driver);
  }
  double worst = 0;
  for (const auto& [id, x] : result[0]) worst = std::max(worst, double(norm(x - result[1].at(id))));
  EXPECT_LT(worst, 1e-4 * 1.2 * spacing);
  RecordProperty("largest_difference_over_h", std::to_string(worst / (1.2 * spacing)));
  EXPECT_GT(worst, 0) << "or else the same walk was compared with itself";
}

/// Two blocks pass 1.8 spacings apart, which is within 2h, so Euclidean neighbors act on each other. With
/// topological ones the first block moves exactly as it does alone, as long as its neighborhoods are renewed
/// in the same steps: every one here.
TEST(SphTopology, PiecesApartDoNotFeelEachOther) {
  const auto first_block = [](Neighborhood neighborhood, bool with_other) {
    InitialState state = topological_fluid();
    SystemState& fluid = state.systems[0];
    fluid.parameters.of<SphParameters>().neighborhood = neighborhood;
    fluid.parameters.of<SphParameters>().sound_speed = 30;
    add_body(fluid, 0, {0, 0, 0}, 8, 6, 4, {1, 0, 0});
    if (with_other) add_body(fluid, 1, {2 * spacing, 6.8 * spacing, 0}, 8, 6, 4, {-1, 0, 0});
    Driver driver(state);
    driver.frame_every = 1;
    for (int k = 0; k < 60; ++k) driver.step(2e-4);
    std::map<int, Vec3> all = positions(driver), block;
    for (int id = 0; id < 8 * 6 * 4; ++id) block[id] = all.at(id);
    return block;
  };
  const auto largest_difference = [&](Neighborhood neighborhood) {
    const auto alone = first_block(neighborhood, false), beside = first_block(neighborhood, true);
    double largest = 0;
    for (const auto& [id, x] : alone) largest = std::max(largest, double(norm(x - beside.at(id))));
    return largest;
  };
  EXPECT_EQ(largest_difference(Neighborhood::topological), 0);
  EXPECT_GT(largest_difference(Neighborhood::euclidean), 1e-3 * spacing);
}

/// A block and its copy, 1 m along y and sharing cells with another body that the first one does not have:
/// not a bit of difference, although cells cut the two in other places. Both lie between 2 m and 4 m, where
/// floats are equally spaced.
TEST(SphTopology, CopyMovesTheSame) {
  InitialState state = topological_fluid();
  SystemState& fluid = state.systems[0];
  add_body(fluid, 0, {0, 2.125, 0}, 8, 6, 5, {1, 0, 0});
  add_body(fluid, 1, {0, 3.125, 0}, 8, 6, 5, {1, 0, 0});
  add_body(fluid, 2, {4 * spacing, 3.125 + 7.7 * spacing, 0}, 8, 6, 5, {-1, 0, 0});
  state.walls.push_back({.shape = WallShape::plane, .point = {0, 0, 0}});
  Driver driver(state);
  driver.frame_every = 20;
  run(driver, 120);
  const auto x = positions(driver);
  const int count = 8 * 6 * 5;
  for (int id = 0; id < count; ++id) {
    const Vec3 a = x.at(id), b = x.at(id + count);
    ASSERT_EQ(a.x, b.x);
    ASSERT_EQ(a.y + 1, b.y);
    ASSERT_EQ(a.z, b.z);
  }
}

/// The hydrostatic column of sph_hydrostatic_test.cpp at half its width, with a graph renewed and the surface
/// filtered every 50 steps: the same pressures within the same bar, 2 % of rho g h. The filter alone would
/// lift the surface pressure by what 0.7 spacings of water weigh, 3.5 % of the column; it comes back between.
TEST(SphTopologySlow, HydrostaticColumn) {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.005;
  fluid.parameters.of<SphParameters>().viscosity_model = ViscosityModel::laminar;
  fluid.parameters.of<SphParameters>().viscosity = 0.07;
  fluid.parameters.of<SphParameters>().neighborhood = Neighborhood::topological;
  const int n = 6, layers = 20;
  const double s = 0.01, g = 9.81, rho = 1000, height = layers * s;
  add_block(fluid, {0, 0, 0}, n, n, layers);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {n * s, n * s, 1}});
  Driver driver(state);
  driver.frame_every = 50;
  driver.run_until(2);
  const auto pressure = driver.field("pressure");
  const auto position = driver.store.position.to_host();
  double top = 0, worst = 0;
  for (const Vec3& x : position) top = std::max(top, double(x.z));
  for (size_t i = 0; i < position.size(); ++i)
    worst = std::max(worst, std::abs(pressure[i] - rho * g * (top + s / 2 - position[i].z)));
  note("pressure error %.2f %% of rho g h, speed %.4f sqrt(g h), surface %.4f of %.4f m\n",
       100 * worst / (rho * g * height), driver.max_speed() / std::sqrt(g * height), top + s / 2, height);
  EXPECT_LT(worst, 0.02 * rho * g * height);
  EXPECT_LT(driver.max_speed(), 0.01 * std::sqrt(g * height));
}

/// A jet keeps its density with topological neighborhoods too: new layers are linked to those before.
TEST(SphTopology, JetKeepsItsDensity) {
  InitialState state = topological_fluid();
  state.gravity = {0, 0, 0};
  SystemState& fluid = state.systems[0];
  fluid.emitters.push_back({.position = {0, 0, 0}, .direction = {0, 0, -1}, .radius = 0.07, .velocity = 2});
  Driver driver(state);
  Emitter emitter(fluid.emitters[0], fluid.fluid, 0);
  run_jet(driver, emitter, 0.15);
  EXPECT_GT(driver.store.count(), 14 * emitter.particles_per_layer());
  EXPECT_LT(driver.system->statistics(driver.store).density_error, 1e-3);
  for (const Vec3& v : driver.store.velocity.to_host()) EXPECT_LT(norm(v - Vec3{0, 0, -2}), 0.02f);
  const LinkedPairs pairs = dynamic_cast<TopologicalLinks&>(*driver.system).linked_pairs();
  EXPECT_EQ(int(pairs.first.size()), driver.store.count() + 1);
  EXPECT_GT(double(pairs.neighbor.size()), 20.0 * driver.store.count());
  for (float age : pairs.age) EXPECT_EQ(age, 1.0f);
}

/// Two blocks that collide in a tank.
InitialState collision() {
  InitialState state = topological_fluid();
  SystemState& fluid = state.systems[0];
  fluid.parameters.of<SphParameters>().topology_fusion_time = 0.02;
  add_body(fluid, 0, {0, 0, 0}, 14, 10, 8, {0, 0, 0});
  add_body(fluid, 1, {3 * spacing, 3 * spacing, 9.5 * spacing}, 6, 6, 6, {0, 0, -2});
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {14 * spacing, 10 * spacing, 2}});
  return state;
}
struct State : FluidState {
  LinkedPairs links;
  explicit State(const Driver& d)
      : FluidState(d), links(dynamic_cast<TopologicalLinks&>(*d.system).linked_pairs()) {}
  bool operator==(const State& o) const {
    return FluidState::operator==(o) && links.first == o.links.first && links.neighbor == o.links.neighbor &&
           links.age == o.links.age;
  }
};

TEST(SphTopology, SameBitsForOneAndTwoThreads) {
  const auto result = [] {
    Driver driver(collision());
    driver.frame_every = 13;
    run(driver, 150);
    return State(driver);
  };
  const State one = with_threads(1, result);
  EXPECT_TRUE(one == with_threads(2, result));
  bool young = false;
  for (float age : one.links.age) young = young || age < 1;
  EXPECT_TRUE(young) << "the blocks have touched";
}

/// From checkpoints right after an update for a frame and between updates.
TEST(SphTopology, ResumesBitForBit) {
  for (int steps : {117, 122}) {
    const InitialState state = collision();
    Driver whole(state), resumed(state);
    whole.frame_every = resumed.frame_every = 13;
    run(whole, steps);
    resume(whole, resumed);
    run(whole, 30);
    run(resumed, 30);
    EXPECT_TRUE(State(whole) == State(resumed)) << "after " << steps << " steps";
  }
}

TEST(SphTopology, PeriodicDomainIsAnError) {
  InitialState state = topological_fluid();
  add_block(state.systems[0], {0, 0, 0}, 10, 10, 10);
  state.periodic_length = {10 * spacing, 0, 0};
  ParticleStore store;
  store.add_system(initial_particles(state.systems[0], 0, 0));
  try {
    make_sph(state.systems[0], state, 0, store);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("water"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("euclidean"), std::string::npos) << error.what();
  }
}

}  // namespace sph_topology_test
MERGANSER_END
