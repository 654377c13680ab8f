/// DFSPH: what starts at rest gains no energy, whatever its sampling and the time step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace energy_from_rest_test {

constexpr double g = 9.81, d = 0.1;

/// Particles 0.1 m apart.
struct Start {
  const char* name;
  const char* gravity;
  std::string bodies, walls, keys = "";
};
void PrintTo(const Start& start, std::ostream* out) { *out << start.name; }

std::string ball(const char* name, const char* centre, const char* sampling) {
  return std::string(R"({"name": ")") + name + R"(", "shape": "sphere", "centre": )" + centre +
         R"(, "radius": 0.3, "sampling": ")" + sampling + "\"}";
}
const char *none = "[0, 0, 0]", *down = "[0, 0, -9.81]";
const std::string floor_below = R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]})";
/// Of two boxes that stand a little too near to each other.
const std::string side_by_side = R"({"name": "a", "shape": "box", "start": [0, 0, 0], "end": [0.5, 0.5, 0.5]},
  {"name": "b", "shape": "box", "start": [0.47, 0.03, 0], "end": [0.97, 0.53, 0.5]})";
const std::string column = R"({"name": "a", "shape": "cylinder", "start": [0, 0, 0], "end": [0, 0, 0.8],
  "radius": 0.4})";
const std::string round_tank =
    R"({"shape": "cylinder", "point": [0, 0, 0], "axis": [0, 0, 1], "radius": 0.4},)" + floor_below;

InitialState initial_state(const Start& start) {
  test::TemporaryFolder folder;
  test::write_text(
      folder / "scene.json",
      R"({"title": "rest", "simulation": {"particleRadius": 0.05, "endTime": 10, "gravitation": )" +
          std::string(start.gravity) + R"(}, "systems": [{"name": "water", "type": "dfsph")" + start.keys +
          R"(, "bodies": [)" + start.bodies + R"(]}], "walls": [)" + start.walls + "]}");
  return build_initial_state(load_scene(folder / "scene.json"));
}

/// Largest gain of kinetic and potential energy over that of the start, of m g d, in `steps` steps of `dt`
/// [s].
double gain(InitialState initial, double dt, int steps) {
  initial.time_step = dt;
  double energy = 0, most = 0, mass = 0;
  for (size_t i = 0; i < initial.systems[0].mass.size(); ++i) {
    mass += initial.systems[0].mass[i];
    energy -= initial.systems[0].mass[i] * initial.gravity[2] * initial.systems[0].position[i][2];
  }
  const auto simulation = make_simulation(initial);
  for (int k = 0; k < steps; ++k) {
    const StepStatistics row = simulation->step(1e9);
    most = std::max(most, row["kinetic_energy"] + row["potential_energy"] - energy);
  }
  return most / (mass * g * d);
}

class EnergyFromRest : public testing::TestWithParam<Start> {};

TEST_P(EnergyFromRest, IsNone) {
  const InitialState initial = initial_state(GetParam());
  for (const double dt : {1e-5, 1e-4, 1e-3, 5e-3}) {
    const double found = gain(initial, dt, dt < 1e-3 ? 30 : static_cast<int>(0.1 / dt));
    note("%s, steps of %g s: %.2e m g d\n", GetParam().name, dt, found);
    EXPECT_LT(found, 1e-3) << dt;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Starts, EnergyFromRest,
    testing::Values(Start{"Lattice", none, ball("a", "[0, 0, 0]", "lattice"), ""},
                    Start{"Relaxed", none, ball("a", "[0, 0, 0]", "relaxed"), ""},
                    Start{"RelaxedThatFalls", down, ball("a", "[0, 0, 0]", "relaxed"), ""},
                    Start{"TwoBoxes", none, side_by_side, ""},
                    Start{"TwoBoxesOnAFloor", down, side_by_side, floor_below},
                    Start{"RelaxedOnAFloor", down, ball("a", "[0, 0, 0.3]", "relaxed"), floor_below},
                    Start{"RoundTank", down, column, round_tank}),
    [](const auto& info) { return std::string(info.param.name); });

/// A weightless jet has the energy that its emitter gave: no particle beside its surface is pushed.
TEST(EnergyOfAJet, IsThatOfItsEmitter) {
  const double speed = 4;
  InitialState initial = initial_state(
      {"Jet", none, "", "",
       R"(, "emitters": [{"name": "jet", "position": [0, 0, 0], "direction": [1, 0, 0], "velocity": 4,
          "radius": 0.25}])"});
  for (const double dt : {1e-4, 1e-3, 5e-3}) {
    initial.time_step = dt;
    const auto simulation = make_simulation(initial);
    StepStatistics row;
    while (simulation->time() < 0.15) row = simulation->step(1e9);
    const size_t count = simulation->frame().id.size();
    const double mass = 1000 * d * d * d * double(count);
    const double gained = (row["kinetic_energy"] - mass * speed * speed / 2) / (mass * g * d);
    note("%zu particles, steps of %g s: %.2e m g d\n", count, dt, gained);
    EXPECT_GT(count, 60u);
    EXPECT_NEAR(gained, 0, 1e-3) << dt;
  }
}

}  // namespace energy_from_rest_test
MERGANSER_END
