/// All that measures, on a fluid that comes out of an emitter and goes where its kill box ends: particles
/// have ids beyond their number, and what follows them in the store moves up and down. And fluids that have
/// no particles for a time. In the binaries that the sanitizers watch, too.
#include "tests/support/fake_run.h"

namespace merganser {
namespace emission_and_removal_test {

using test::contains;
using test::Finished;

/// @TYPE: the fluid's; @MORE: further keys of it, of which there may be none.
const std::string text = R"({
  "title": "all that measures", "simulation": {"particleRadius": 0.02, "gravitation": [0, 0, -9.81], "endTime": 0.3, "frameRate": 50},
  "systems": [
    {"name": "water", "type": "@TYPE", @MORE "killBox": [{"box": [[-0.3, -0.3, 0.03], [0.3, 0.3, 0.6]]}],
     "bodies": [
       {"name": "left", "shape": "box", "start": [-0.24, -0.08, 0.1], "end": [-0.12, 0.04, 0.26], "velocity": [-2, 0, 0]},
       {"name": "right", "shape": "box", "start": [0.08, -0.08, 0.1], "end": [0.20, 0.04, 0.26], "velocity": [-2, 0, 0]}],
     "emitters": [{"name": "jet", "position": [0, 0.1, 0.5], "direction": [1, 0, -0.3], "radius": 0.08, "velocity": 4}]},
    {"name": "cloth", "type": "massSpring", "bodies": [
      {"name": "sheet", "shape": "sheet", "origin": [-0.2, -0.2, 0], "edgeU": [0.4, 0, 0], "edgeV": [0, 0.4, 0],
       "arealDensity": 5, "stretchStiffness": 2000, "pinned": "edges"}]},
    {"name": "soft", "type": "elasticSph", "bodies": [
      {"name": "cube", "shape": "box", "start": [-0.06, -0.26, 0.2], "end": [0.06, -0.14, 0.32], "density0": 900, "youngsModulus": 1e5}]},
    {"name": "stone", "type": "peridynamics", "bodies": [
      {"name": "tile", "shape": "box", "start": [0.12, 0.1, 0.2], "end": [0.24, 0.22, 0.28], "density0": 2000, "youngsModulus": 1e6}]}],
  "walls": [{"name": "floor", "shape": "plane", "point": [0, 0, -0.2], "normal": [0, 0, 1]}],
  "probes": [
    {"name": "p", "type": "pressure", "point": [0, 0.1, 0.1]},
    {"name": "d", "type": "density", "rate": 300, "point": [0, 0.1, 0.1]},
    {"name": "v", "type": "velocity", "point": [0, 0.1, 0.3]},
    {"name": "level", "type": "waterLevel", "start": [0, 0, -0.1], "end": [0, 0, 0.5]},
    {"name": "gate", "type": "flow", "corner": [-0.3, -0.3, 0.2], "edgeU": [0.6, 0, 0], "edgeV": [0, 0.6, 0]},
    {"name": "of_cube", "type": "position", "body": "cube", "point": [0, -0.2, 0.2]},
    {"name": "of_water", "type": "position", "body": "left", "point": [-0.2, 0, 0.2]},
    {"name": "on_floor", "type": "force", "wall": "floor"},
    {"name": "on_cube", "type": "force", "body": "cube"},
    {"name": "on_sheet", "type": "force", "body": "sheet"}],
  "checks": [
    {"type": "noCrossing", "system": "water", "sheet": "sheet"}, {"type": "reportCrossings", "system": "stone", "sheet": "sheet"},
    {"type": "energyRise"}, {"type": "maxSpeed", "limit": 100}, {"type": "comesToRest", "limit": 1},
    {"type": "momentumDrift", "limit": 1}, {"type": "energyLedger"}, {"type": "finite"}, {"type": "reportRebound"},
    {"type": "breaks", "least": 0.1}, {"type": "travels", "body": "right", "least": 0.1}, {"type": "overlapBeforeBreak"},
    {"type": "returnsToShape", "body": "cube"}, @SPH
    {"type": "probeReaches", "column": "p_pressure", "least": 1}, {"type": "probeStays", "column": "p_pressure", "limit": 1e9},
    {"type": "probeArrives", "column": "of_water_position_x", "reaches": 0, "earliest": 0, "latest": 1},
    {"type": "probeEnds", "column": "level_level", "least": -1, "limit": 1},
    {"type": "probeSwings", "column": "gate_flow", "least": 0, "limit": 1}]})";

struct Kind {
  const char *name, *type, *more;
};
void PrintTo(const Kind& kind, std::ostream* stream) { *stream << kind.name; }

class Runs : public test::FakeRuns {
 protected:
  Finished program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), test::beside_the_tests("merganser"));
    return test::ChildProcess(folder_.path(), arguments).wait();
  }
  /// Rows of a run's statistics.csv without wall times, each with its columns by name.
  std::vector<std::map<std::string, double>> statistics(const std::string& run) {
    std::istringstream table(test::text_of(folder_ / (run + "/statistics.csv")));
    std::vector<std::string> names;
    std::vector<std::map<std::string, double>> rows;
    for (std::string row; std::getline(table, row);) {
      std::istringstream cells(row);
      std::vector<std::string> values;
      for (std::string cell; std::getline(cells, cell, ',');) values.push_back(cell);
      if (names.empty()) {
        names = values;
        continue;
      }
      rows.emplace_back();
      for (size_t k = 0; k < names.size(); ++k)
        if (!names[k].starts_with("ms_")) rows.back()[names[k]] = std::stod(values.at(k));
    }
    return rows;
  }
};

class EmissionAndRemoval : public Runs, public testing::WithParamInterface<Kind> {
 protected:
  void write_scene() {
    std::string made = text;
    const auto put = [&](const std::string& mark, const std::string& what) {
      made.replace(made.find(mark), mark.size(), what);
    };
    const bool sph = GetParam().type == std::string("sph");
    put("@TYPE", GetParam().type);
    put("@MORE", GetParam().more);
    put("@SPH", sph ? R"({"type": "sameMotion", "body": "left", "copy": "right"},)" : "");
    test::write_text(folder_ / "scene.json", made);
  }
};

/// Half of the particles that were ever there are gone at the end, and a resumed run has the same bits.
TEST_P(EmissionAndRemoval, IsMeasured) {
  write_scene();
  const std::vector<std::string> line{"run",      "scene.json", "-o",        "whole",
                                      "--device", "cpu",        "--threads", "2"};
  const Finished run = program(line);
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 6) << run.exit_code << run.err;
  auto last = statistics("whole").back();
  EXPECT_GT(last.at("emitted_particles"), 150);
  EXPECT_GT(last.at("removed_particles"), 150);

  auto part = line;
  part[3] = "parts";
  part.insert(part.end(), {"--steps", "90"});
  ASSERT_TRUE(program(part).exit_code != 2);
  const Finished rest =
      program({"run", "parts", "--resume", "--device", "cpu", "--threads", "2", "--end-time", "0.3"});
  ASSERT_EQ(rest.exit_code, run.exit_code) << rest.err;
  EXPECT_EQ(test::text_of(folder_ / "whole/probes.csv"), test::text_of(folder_ / "parts/probes.csv"));
  const auto whole = read_newest_checkpoint(folder_ / "whole/checkpoint"),
             parts = read_newest_checkpoint(folder_ / "parts/checkpoint");
  ASSERT_TRUE(whole && parts);
  const auto &a = whole->checkpoint.simulation.arrays(), &b = parts->checkpoint.simulation.arrays();
  ASSERT_EQ(a.size(), b.size());
  for (size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(a[k].bytes == b[k].bytes) << a[k].name;
}

INSTANTIATE_TEST_SUITE_P(Fluids, EmissionAndRemoval,
                         testing::Values(Kind{"Sph", "sph", ""}, Kind{"Dfsph", "dfsph", ""},
                                         Kind{"CoupledDfsph", "dfsph", R"("coupledTo": ["soft"],)"},
                                         Kind{"Flip", "flip", ""}),
                         [](const auto& info) { return std::string(info.param.name); });

/// A check or probe that is added is measured here, too. Links need topological neighborhoods, which a kill
/// box does not go with.
TEST(EmissionAndRemovalScene, HasAllChecksAndProbes) {
  test::TemporaryFolder folder;
  const Finished schema =
      test::ChildProcess(folder.path(), {test::beside_the_tests("merganser"), "schema"}).wait();
  const nlohmann::json kinds = nlohmann::json::parse(schema.out).at("$defs");
  int found = 0;
  for (const auto& [name, keys] : kinds.items())
    if (name.starts_with("check.") || name.starts_with("probe.")) {
      ++found;
      if (name == "check.noLinks") continue;
      EXPECT_TRUE(contains(text, "\"type\": \"" + name.substr(6) + "\"") || name == "check.sameMotion")
          << name;
    }
  EXPECT_GT(found, 20);
}

/// A scene with a layer of fluid that slides off a table or a solid, along a wall that it is pressed on, out
/// of its kill box; later it comes again out of an emitter. @WALLS, @SYSTEMS: with what is beside it.
const std::string emptied_text = R"({
  "title": "fluid that goes and comes again",
  "simulation": {"particleRadius": 0.03, "gravitation": [20, -20, -9.81], "endTime": 0.35, "frameRate": 20},
  "systems": [@SYSTEMS],
  "walls": [@WALLS {"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 1},
            {"name": "side", "shape": "plane", "point": [0, -0.12, 0], "normal": [0, 1, 0]}],
  "probes": [{"name": "on_side", "type": "force", "wall": "side"}, {"name": "p", "type": "pressure", "point": [0, 0, 0.2]}]})";
const std::string table =
    R"({"name": "table", "shape": "box", "inside": false, "low": [-1, -1, 0], "high": [1, 1, 0.12]},)";
const std::string slab =
    R"("bodies": [{"name": "plate", "shape": "box", "start": [-0.15, -0.09, 0], "end": [0.15, 0.09, 0.12],)";
const std::map<std::string, std::string> solids = {
    {"rigid", R"({"name": "slab", "type": "rigid", )" + slab + R"("density0": 2000}]})"},
    {"soft",
     R"({"name": "slab", "type": "elasticSph", )" + slab +
         R"("density0": 1500, "youngsModulus": 1e5, "pinned": [{"box": [[-1, -1, -1], [-0.1, 1, 1]]}]}]})"},
    {"brittle",
     R"({"name": "slab", "type": "peridynamics", )" + slab + R"("density0": 2000, "youngsModulus": 1e6}]})"},
    {"cloth", R"({"name": "slab", "type": "massSpring", "bodies": [{"name": "plate", "shape": "sheet",
       "origin": [-0.2, -0.1, 0.09], "edgeU": [0.4, 0, 0], "edgeV": [0, 0.2, 0], "arealDensity": 5,
       "stretchStiffness": 2000, "pinned": "edges"}]})"}};

const std::string viscous =
    R"("implicitViscosity": 5, "wallViscosity": 5, "adhesion": 0.01, "vorticity": 0.01,)";

/// `keys` of the fluid; between `low` and `high` [m] along y.
std::string emptied_fluid(const std::string& name, const std::string& keys, double low, double high) {
  const std::string from = std::to_string(low), to = std::to_string(high);
  return "{\"name\": \"" + name + "\", " + keys +
         R"("killBox": [{"box": [[-0.5, -0.3, -0.1], [0.2, 0.3, 0.6]]}],
    "bodies": [{"name": ")" +
         name + R"(Layer", "shape": "box", "start": [0, )" + from + R"(, 0.12], "end": [0.06, )" + to +
         R"(, 0.3], "velocity": [12, -6, -2]}],
    "emitters": [{"name": ")" +
         name + R"(Jet", "position": [-0.3, )" + std::to_string((low + high) / 2) +
         R"(, 0.3], "direction": [1, 0, 0], "radius": 0.05, "velocity": 2, "startTime": 0.25}]})";
}

/// `beside`: a solid, "fluid" for a second one, or "".
struct Emptied {
  const char *name, *keys, *beside;
};
void PrintTo(const Emptied& emptied, std::ostream* stream) { *stream << emptied.name; }

class EmptiedFluid : public Runs, public testing::WithParamInterface<Emptied> {
 protected:
  bool no_solid() const {
    return GetParam().beside == std::string() || GetParam().beside == std::string("fluid");
  }
  void write_scene() {
    const auto [name, keys, beside] = GetParam();
    const bool second = beside == std::string("fluid");
    std::string of_water = keys, made = emptied_text;
    if (const size_t at = of_water.find("@VISCOUS"); at != of_water.npos) of_water.replace(at, 8, viscous);
    std::string systems = emptied_fluid("water", of_water, -0.12, second ? 0 : 0.12);
    if (second) systems += "," + emptied_fluid("oil", "\"type\": \"dfsph\", \"density0\": 900, ", 0, 0.12);
    if (!no_solid()) systems += "," + solids.at(beside);
    made.replace(made.find("@SYSTEMS"), 8, systems);
    made.replace(made.find("@WALLS"), 6, no_solid() ? table : "");
    test::write_text(folder_ / "scene.json", made);
  }
  Finished run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--device", "cpu", "--threads", "1"});
    return program(arguments);
  }
};

/// Nothing of the last step with particles is left: a run that goes on from a checkpoint without them has the
/// same bits, and walls feel nothing.
TEST_P(EmptiedFluid, LeavesNothingBehind) {
  write_scene();
  ASSERT_EQ(run({"scene.json", "-o", "whole"}).exit_code, 0);
  ASSERT_EQ(run({"scene.json", "-o", "parts", "--end-time", "0.2"}).exit_code, 0);
  ASSERT_EQ(run({"parts", "--resume", "--end-time", "0.35"}).exit_code, 0);
  expect_equal_runs("whole", "parts");
  const auto whole = statistics("whole");
  EXPECT_EQ(whole, statistics("parts"));
  EXPECT_GT(whole.back().at("emitted_particles"), 0);
  double most = 0;
  int empty_rows = 0;
  for (const auto& row : whole) {
    const double force = std::abs(row.at("wall_side_force_y"));
    most = std::max(most, force);
    if (row.at("time") < 0.19 || row.at("time") > 0.24) continue;
    ++empty_rows;
    EXPECT_EQ(row.at("density_error"), 0);
    EXPECT_TRUE(force == 0 || !no_solid()) << force << " at " << row.at("time");
  }
  EXPECT_GT(most, 10);
  EXPECT_GT(empty_rows, 10);
}

INSTANTIATE_TEST_SUITE_P(
    Fluids, EmptiedFluid,
    testing::Values(
        Emptied{"Sph", R"("type": "sph", )", ""}, Emptied{"SphViscous", R"("type": "sph", @VISCOUS )", ""},
        Emptied{"SphMerges", R"("type": "sph", @VISCOUS )", "rigid"},
        Emptied{"SphMergesBrittle", R"("type": "sph", )", "brittle"},
        Emptied{"Dfsph", R"("type": "dfsph", )", ""},
        Emptied{"DfsphViscous", R"("type": "dfsph", @VISCOUS )", ""},
        Emptied{"DfsphMirrored", R"("type": "dfsph", "wallPressure": "mirrored", "viscosity": 0.01, )", ""},
        Emptied{"DfsphMerges", R"("type": "dfsph", @VISCOUS )", "soft"},
        Emptied{"DfsphRigid", R"("type": "dfsph", "coupledTo": ["slab"], "viscosity": 0.01, )", "rigid"},
        Emptied{"DfsphSoft", R"("type": "dfsph", "coupledTo": ["slab"], @VISCOUS )", "soft"},
        Emptied{"DfsphFluid", R"("type": "dfsph", "coupledTo": ["oil"], @VISCOUS )", "fluid"},
        Emptied{"Flip", R"("type": "flip", )", ""},
        Emptied{"FlipRigid", R"("type": "flip", "coupledTo": ["slab"], )", "rigid"},
        Emptied{"FlipMerges", R"("type": "flip", )", "rigid"},
        Emptied{"FlipCloth", R"("type": "flip", )", "cloth"},
        Emptied{"FlipSoft", R"("type": "flip", )", "soft"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace emission_and_removal_test
}  // namespace merganser
