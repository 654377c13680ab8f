/// Probes in a running simulation: what they say of a motion that is known, when they say it, and that
/// nothing depends on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/launch_order.h"
#include "host/output/statistics.h"
#include "host/simulation/simulation.h"
#include "solvers/core/method.h"
#include "tests/support/note.h"
#include "tests/support/probe_scene.h"
#include "tests/support/shipped_scenes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace probes_test {

using namespace test;

constexpr double spacing = 0.02;

ProbeParameters probe(const std::string& type, const std::string& name, double rate = 0) {
  ProbeParameters made;
  made.type = type;
  made.name = name;
  made.rate = rate;
  return made;
}
ProbeParameters at(ProbeParameters made, const Point3& point) {
  made.point = point;
  return made;
}

/// 10 x 6 x 4 particles that move along x through a gate at x = 0.3 m.
InitialState moving_block() {
  InitialState state = block_of_water(spacing, 10, 6, 4, {2, 0, 0});
  ProbeParameters gate = probe("flow", "gate", 100);
  gate.corner = {0.3, -1, -1};
  gate.edge_u = {0, 2, 0};
  gate.edge_v = {0, 0, 2};
  ProbeParameters half = gate, against = gate;  // half of the height; from the other side
  half.name = "half";
  half.corner = {0.3, -1, 2 * spacing};
  against.name = "against";
  std::swap(against.edge_u, against.edge_v);
  ProbeParameters corner = at(probe("position", "corner"), {0, 0, 0});
  corner.body = "block";
  corner.body_index = corner.system_index = 0;
  state.probes = {gate,
                  half,
                  against,
                  corner,
                  at(probe("velocity", "inside"), {0.1, 0.05, 0.04}),
                  at(probe("density", "rho"), {0.1, 0.05, 0.04}),
                  at(probe("pressure", "p"), {0.1, 0.05, 0.04}),
                  at(probe("pressure", "air"), {0.1, 0.05, 4})};
  return state;
}

TEST(Probes, FlowOfAMovingBlockIsItsVolume) {
  const auto simulation = make_simulation(moving_block());
  const auto rows = probe_rows(*simulation, {"gate_flow", "half_flow", "against_flow"}, 0.2);
  double volume = 0, half = 0, before = 0, most = 0;
  ASSERT_EQ(rows.size(), 20u);
  for (const ProbeRow& row : rows) {
    volume += row.values[0] * (row.time - before);
    half += row.values[1] * (row.time - before);
    most = std::max(most, row.values[0]);
    EXPECT_EQ(row.values[2], -row.values[0]);
    before = row.time;
  }
  // Every particle once, and each row a whole number of them; float knows 0.02 m to 1e-8.
  EXPECT_NEAR(volume, 0.2 * 0.12 * 0.08, 1e-12);
  EXPECT_NEAR(half, 0.2 * 0.12 * 0.04, 1e-12);
  EXPECT_NEAR(most, 2 * 0.12 * 0.08, 2 * 0.12 * 0.08 * 0.1);  // a layer a row, in rows of 0.01 s
}

TEST(Probes, AMovingBlockIsWhereAndHowItIs) {
  const auto simulation = make_simulation(moving_block());
  const StepStatistics row = simulation->advance(1e9, false);
  const FrameData frame = simulation->frame();
  EXPECT_EQ(row["corner_position_x"], frame.position[0][0]);
  EXPECT_EQ(row["corner_position_y"], frame.position[0][1]);
  EXPECT_EQ(row["corner_position_z"], frame.position[0][2]);
  EXPECT_NEAR(row["inside_velocity_x"], 2, 1e-5);
  EXPECT_NEAR(row["inside_velocity_y"], 0, 1e-5);
  EXPECT_NEAR(row["rho_density"], 1000, 1e-3);
  EXPECT_NEAR(row["p_pressure"], 0, 1);
  EXPECT_TRUE(std::isnan(row["air_pressure"]));
  EXPECT_FALSE(row.has("gate_flow")) << "0.01 s have not gone by";
}

/// Rows at the first step ends at or after k/rate, whatever the steps.
TEST(Probes, ComeAtTheirRates) {
  InitialState state = block_of_water(spacing, 4, 4, 4);
  state.probes = {at(probe("pressure", "fast"), {0.04, 0.04, 0.04}),
                  at(probe("pressure", "slow", 400), {0.04, 0.04, 0.04}),
                  at(probe("pressure", "rare", 50), {0.04, 0.04, 0.04})};
  const auto simulation = make_simulation(state);
  int steps = 0, slow = 0, rare = 0;
  double before = 0;
  while (simulation->time() < 0.1) {
    const StepStatistics row =
        simulation->advance(std::min(0.1, (std::floor(before * 50 + 1e-9) + 1) / 50), false);
    ++steps;
    EXPECT_TRUE(row.has("fast_pressure"));
    const double reached = std::floor(row.time * 400 + 1e-6);
    EXPECT_EQ(row.has("slow_pressure"), reached > std::floor(before * 400 + 1e-6)) << row.time;
    slow += row.has("slow_pressure");
    rare += row.has("rare_pressure");
    before = row.time;
  }
  EXPECT_GT(steps, 40);
  EXPECT_EQ(slow, 40);
  EXPECT_EQ(rare, 5);
}

/// What the particles do is the same to the bit with probes and without.
TEST(Probes, ChangeNothing) {
  InitialState with = moving_block(), without = with;
  without.probes.clear();
  const auto a = make_simulation(with), b = make_simulation(without);
  for (int k = 0; k < 40; ++k) a->advance(1e9, k % 5 == 0), b->advance(1e9, k % 5 == 0);
  const StateArchive expected = b->save(), found = a->save();
  for (const NamedArray& array : expected.arrays()) {
    const auto same = std::find_if(found.arrays().begin(), found.arrays().end(),
                                   [&](const NamedArray& other) { return other.name == array.name; });
    ASSERT_NE(same, found.arrays().end()) << array.name;
    EXPECT_TRUE(same->bytes == array.bytes) << array.name;
  }
}

/// The dam break with a probe of every type.
InitialState probed_dam_break() {
  InitialState state = small_initial_state("demos/dam_break.json");
  ProbeParameters level = probe("waterLevel", "level", 150), gate = probe("flow", "gate", 150);
  level.start = {0.3, 0.15, 0};
  level.end = {0.3, 0.15, 1};
  gate.corner = {0.62, 0, 0};
  gate.edge_u = {0, 0.3, 0};
  gate.edge_v = {0, 0, 1.2};
  ProbeParameters corner = at(probe("position", "corner", 150), {0.6, 0, 0.6});
  corner.body_index = corner.system_index = 0;
  // A mean since the last row, between rows kept as a sum: part of a checkpoint.
  ProbeParameters force = at(probe("force", "f", 150), {0.1, 0, 0});
  state.walls.at(0).name = force.wall = "tank";
  state.probes = {at(probe("pressure", "p", 150), {0.3, 0.15, 0.1}),
                  at(probe("density", "rho"), {0.3, 0.15, 0.1}),
                  at(probe("velocity", "v", 70), {0.55, 0.15, 0.1}),
                  level,
                  gate,
                  corner,
                  force};
  return state;
}

void append_steps(Simulation& simulation, TableFile& file, int steps) {
  for (int k = 0; k < steps; ++k) {
    const StepStatistics row = simulation.advance(1e9, false);
    if (file.has_values(row)) file.append(row);
  }
}

/// The table with any number of threads, and after a resume at any step, is the same to the byte.
TEST(Probes, TablesAreTheSameToTheByte) {
  const TemporaryFolder folder;
  const InitialState initial = probed_dam_break();
  const auto table = [&](int threads, int stop) {
    return with_threads(threads, [&] {
      const auto file = folder / ("probes" + std::to_string(threads) + "_" + std::to_string(stop) + ".csv");
      const auto first = make_simulation(initial), second = make_simulation(initial);
      {
        TableFile rows(file, Column::probes, first->columns(), 0, 0);
        append_steps(*first, rows, stop);
      }
      second->load(first->save());
      TableFile rows(file, Column::probes, second->columns(), stop, stop);  // rho has one a step
      EXPECT_EQ(rows.warning(), "");
      append_steps(*second, rows, 60 - stop);
      return text_of(file);
    });
  };
  const std::string whole = table(1, 60);
  EXPECT_TRUE(whole.starts_with(
      "step,time,p_pressure,rho_density,v_velocity_x,v_velocity_y,v_velocity_z,level_level,gate_flow,"
      "corner_position_x,corner_position_y,corner_position_z,f_force_x,f_force_y,f_force_z,f_torque_x,"
      "f_torque_y,f_torque_z\n1,"));
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 61);
  for (int threads : {2, 3}) EXPECT_TRUE(table(threads, 60) == whole) << threads;
  for (int stop : {1, 7, 23, 40}) EXPECT_TRUE(table(2, stop) == whole) << stop;
#if !MERGANSER_COMPILED_BY_NVCC
  for (const char* order : {"reversed", "shuffled:1"}) {
    set_launch_order(order);
    EXPECT_TRUE(table(2, 60) == whole) << order;
  }
  set_launch_order("ascending");
#endif
  note("%s", whole.c_str());
}

/// The results of probes come with those of the step, in the one read that ends it.
TEST(Probes, CostNoWait) {
  const InitialState with = probed_dam_break();
  InitialState without = with;
  without.probes.clear();
  const auto reads_of = [](const InitialState& initial) {
    const auto simulation = make_simulation(initial);
    for (int k = 0; k < 10; ++k) simulation->advance(1e9, false);
    const DeviceTraffic before = simulation->traffic();
    for (int k = 0; k < 20; ++k) simulation->advance(1e9, false);
    const DeviceTraffic after = simulation->traffic();
    return after.reads + after.writes - before.reads - before.writes;
  };
  EXPECT_EQ(reads_of(with), reads_of(without));
}

/// Every body with held particles has a probe of the force on them: what all others lack of the momentum that
/// gravity gave them went there, whatever the solver, and whether by springs, pressure or merging. There are
/// no walls, loads or air. Solves end at their tolerance, the brittle wall's at one per cent: what that
/// leaves is what the ledger of solids calls the momentum's residual. Until 40 steps had groups, or as many
/// steps as are given.
struct HeldScene {
  const char *name, *file;
  int steps;
  std::vector<std::string> changes = {};
};
void PrintTo(const HeldScene& scene, std::ostream* out) { *out << scene.name; }
class ForcesOnHeldParts : public testing::TestWithParam<HeldScene> {};

TEST_P(ForcesOnHeldParts, AreWhatTheMomentumLacks) {
  InitialState initial = small_initial_state(GetParam().file, GetParam().changes);
  initial.walls.clear();
  double mass = 0;
  std::vector<char> held(initial.bodies.size(), 0);
  for (const SystemState& system : initial.systems)
    for (size_t i = 0; i < system.mass.size(); ++i) {
      if (system.immobile[i]) held[size_t(system.body[i])] = 1;
      if (!system.immobile[i]) mass += system.mass[i];
    }
  for (size_t b = 0; b < held.size(); ++b) {
    if (!held[b]) continue;
    initial.probes.push_back(probe("force", "f" + std::to_string(b)));
    initial.probes.back().body_index = int(b);
    initial.probes.back().system_index = initial.bodies[b].system;
  }
  ASSERT_FALSE(initial.probes.empty());
  const auto simulation = make_simulation(initial);
  Point3 momentum{};
  for (const SystemState& system : initial.systems)
    for (size_t i = 0; i < system.mass.size(); ++i)
      for (size_t a = 0; a < 3; ++a)
        if (!system.immobile[i]) momentum[a] += double(system.mass[i]) * system.velocity[i][a];
  const bool solids = std::none_of(initial.systems.begin(), initial.systems.end(), is_fluid);
  Point3 residual{};
  double worst = 0, worst_unexplained = 0, greatest = 0;
  long long groups = 0;
  for (int k = 0, merged = 0; k < GetParam().steps && merged < 40; ++k) {
    const StepStatistics row = simulation->step(1e9);
    merged += row["groups"] > 0;
    const Point3 now = row.vector("momentum"), left = row.vector("momentum_residual");
    double missing = 0, unexplained = 0, size = 0;
    for (size_t a = 0; a < 3; ++a) {
      double force = 0;
      for (const ProbeParameters& of : initial.probes) force += row[of.name + "_force_" + "xyz"[a]];
      const double lacking = mass * initial.gravity[a] - force - (now[a] - momentum[a]) / row.dt;
      missing += lacking * lacking;
      unexplained += std::pow(lacking + (left[a] - residual[a]) / row.dt, 2);
      size += force * force;
    }
    worst = std::max(worst, std::sqrt(missing));
    worst_unexplained = std::max(worst_unexplained, std::sqrt(unexplained));
    greatest = std::max(greatest, std::sqrt(size));
    groups += static_cast<long long>(row["groups"]);
    momentum = now;
    residual = left;
  }
  EXPECT_GT(greatest, 0);
  EXPECT_LT(worst, 1e-2 * (greatest + mass * 9.81));
  if (solids) {
    EXPECT_LT(worst_unexplained, 1e-5 * (greatest + mass * 9.81));
  }
  note("%s: missing %.3g N of at most %.3g N, unexplained %.3g N, %lld groups\n", GetParam().name, worst,
       greatest, worst_unexplained, groups);
}

const char* const held_sheet = R"(systems.cloth.bodies.sheet.pinned=[{"box": [[-9, -9, -9], [9, 9, 9]]}])";
INSTANTIATE_TEST_SUITE_P(
    Scenes, ForcesOnHeldParts,
    testing::Values(
        HeldScene{"Cloth", "merging_and_splitting/fig03_ball_on_cloth_low.json", 300},
        HeldScene{"HeldCloth", "merging_and_splitting/fig03_ball_on_cloth_low.json", 300, {held_sheet}},
        HeldScene{"FluidOnCloth", "merging_and_splitting/fig04_fluid_beam_on_cloth.json", 300},
        HeldScene{
            "FluidOnHeldCloth", "merging_and_splitting/fig04_fluid_beam_on_cloth.json", 300, {held_sheet}},
        HeldScene{"BrittleWall", "merging_and_splitting/fig05_ball_hits_brittle_wall.json", 100},
        HeldScene{"Beams", "elastic_sph/cantilever_alpha.json", 60}),
    [](const auto& info) { return info.param.name; });

/// Without a fluid at the start, with one that an emitter brings: nothing is measured, then something.
TEST(Probes, WaitForFluidThatIsEmitted) {
  InitialState state = block_of_water(spacing, 0, 0, 0);
  state.systems[0].emitters.push_back({.position = {0, 0, 0},
                                       .direction = {1, 0, 0},
                                       .radius = 0.05,
                                       .velocity = 2,
                                       .max_particles = 1000,
                                       .body = 0});
  state.probes = {at(probe("velocity", "v"), {0.05, 0, 0})};
  ProbeParameters gate = probe("flow", "gate");
  gate.corner = {0.03, -1, -1};
  gate.edge_u = {0, 2, 0};
  gate.edge_v = {0, 0, 2};
  ProbeParameters level = probe("waterLevel", "l");
  level.start = {0, 0, 0};
  level.end = {1, 0, 0};
  state.probes.push_back(gate);
  state.probes.push_back(level);
  const auto simulation = make_simulation(state);
  const auto rows = probe_rows(*simulation, {"v_velocity_x", "gate_flow", "l_level"}, 0.1);
  EXPECT_TRUE(std::isnan(rows.front().values[0]));
  EXPECT_LT(rows.front().values[2], spacing);
  EXPECT_NEAR(rows.back().values[0], 2, 0.05);
  EXPECT_NEAR(rows.back().values[2], 0.2, 1.5 * spacing);
  double volume = 0, before = 0;
  for (const ProbeRow& row : rows) volume += row.values[1] * (row.time - before), before = row.time;
  EXPECT_GT(volume, 0);
}

}  // namespace probes_test
MERGANSER_END
