/// All that measures, on a fluid that comes out of an emitter and goes where its kill box ends: particles
/// have ids beyond their number, and what follows them in the store moves up and down. In the binaries that
/// the sanitizers watch, too.
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

class EmissionAndRemoval : public test::FakeRuns, public testing::WithParamInterface<Kind> {
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
  Finished program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), test::beside_the_tests("merganser"));
    return test::ChildProcess(folder_.path(), arguments).wait();
  }
};

/// Half of the particles that were ever there are gone at the end, and a resumed run has the same bits.
TEST_P(EmissionAndRemoval, IsMeasured) {
  write_scene();
  const std::vector<std::string> line{"run",      "scene.json", "-o",        "whole",
                                      "--device", "cpu",        "--threads", "2"};
  const Finished run = program(line);
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 6) << run.exit_code << run.err;
  std::istringstream table(test::text_of(folder_ / "whole/statistics.csv"));
  std::vector<std::string> names, last;
  for (std::string row; std::getline(table, row);) {
    std::istringstream cells(row);
    last.clear();
    for (std::string cell; std::getline(cells, cell, ',');) last.push_back(cell);
    if (names.empty()) names = last;
  }
  const auto value = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? -1 : std::stod(last.at(size_t(at - names.begin())));
  };
  EXPECT_GT(value("emitted_particles"), 150);
  EXPECT_GT(value("removed_particles"), 150);

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

}  // namespace emission_and_removal_test
}  // namespace merganser
