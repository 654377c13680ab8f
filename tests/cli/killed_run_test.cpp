/// Real scenes of every kind, killed at random times: what was resumed equals what ran through, to the bit.
#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>

#include "tests/support/fake_run.h"
#include "tests/support/note.h"
#include "tests/support/source_folder.h"

namespace merganser {
namespace killed_run_test {

using test::ChildProcess;
using test::Finished;
using test::text_of;

/// One kind of scene, coarse, and the steps that take it somewhere within a second or so.
struct Kind {
  const char* name;
  const char* file;  ///< in scenes/; empty = the emitter's text below
  const char* resolution;
  const char* steps;
};
void PrintTo(const Kind& kind, std::ostream* stream) { *stream << kind.name; }

const Kind kinds[] = {
    {"Sph", "demos/dam_break.json", "0.2", "250"},
    {"ClothAndFluid", "merging_and_splitting/fig04_fluid_beam_on_cloth.json", "0.14", "200"},
    {"Brittle", "merging_and_splitting/fig05_ball_hits_brittle_wall.json", "0.14", "60"},
    {"Elastic", "elastic_sph/soft_bodies_pile.json", "0.2", "60"},
    {"Flip", "merging_and_splitting/fig09_flip_cloth.json", "0.12", "60"},
    {"Topological", "topology/thin_wall.json", "0.3", "150"},
    {"Emitter", "", "1", "250"}};

const char* const emitter_scene = R"({
  "title": "a jet", "simulation": {"particleRadius": 0.025, "endTime": 5},
  "systems": [{"name": "water", "type": "sph", "emitters": [
    {"name": "jet", "position": [0, 0, 1], "direction": [1, 0, 0], "radius": 0.15, "velocity": 3}]}],
  "walls": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]}],
  "probes": [
    {"name": "v", "type": "velocity", "point": [0.3, 0, 1]},
    {"name": "p", "type": "pressure", "rate": 300, "point": [0.3, 0, 1]},
    {"name": "gate", "type": "flow", "rate": 90, "corner": [0.2, -1, 0], "edgeU": [0, 2, 0], "edgeV": [0, 0, 2]}]})";

std::optional<unsigned> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::optional<unsigned>(static_cast<unsigned>(std::strtoul(text, nullptr, 10)))
              : std::nullopt;
}

/// Returns early where the only child has ended.
void sleep_while_it_runs(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  siginfo_t state{};
  while (state.si_pid == 0 && std::chrono::steady_clock::now() < end) {
    usleep(500);
    waitid(P_ALL, 0, &state, WEXITED | WNOHANG | WNOWAIT);
  }
}

/// The table without the columns of wall times, which no two runs share.
std::string physics_of(const std::filesystem::path& statistics) {
  std::istringstream lines(text_of(statistics));
  std::string kept;
  std::vector<bool> physical;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    size_t column = 0;
    for (std::string cell; std::getline(cells, cell, ','); ++column) {
      if (kept.find('\n') == kept.npos) physical.push_back(!cell.starts_with("ms_"));
      if (column < physical.size() && physical[column]) kept += cell + ",";
    }
    kept += '\n';
  }
  return kept;
}

class KilledRun : public test::FakeRuns, public testing::WithParamInterface<Kind> {
 protected:
  /// The line that starts the run, or goes on with it where it was killed.
  std::vector<std::string> line(const std::string& folder, int threads) {
    const Kind kind = GetParam();
    const auto file = *kind.file ? source_folder() / "scenes" / kind.file : folder_ / "jet.json";
    return {test::beside_the_tests("merganser"),
            "run",
            file.string(),
            "-o",
            folder,
            "--resume",
            "--resolution",
            kind.resolution,
            "--set",
            "simulation.frameRate=400",
            "--steps",
            kind.steps,
            "--threads",
            std::to_string(threads),
            "--checkpoint-every",
            "0.02",
            "--device",
            "cpu"};
  }

  void expect_same_results() {
    EXPECT_EQ(physics_of(folder_ / "whole/statistics.csv"), physics_of(folder_ / "killed/statistics.csv"));
    EXPECT_EQ(text_of(folder_ / "whole/probes.csv"), text_of(folder_ / "killed/probes.csv"));
    EXPECT_EQ(std::filesystem::exists(folder_ / "whole/probes.csv"), *GetParam().file == 0);
    const auto whole = frames("whole"), killed = frames("killed");
    ASSERT_EQ(whole.size(), killed.size());
    ASSERT_GT(whole.size(), 1u);
    for (size_t k = 0; k < whole.size(); ++k)
      EXPECT_TRUE(text_of(whole[k]) == text_of(killed[k])) << killed[k].filename();
    EXPECT_EQ(summary("whole")["checks"], summary("killed")["checks"]);
  }

  void kill_and_resume(int kills, unsigned seed) {
    SCOPED_TRACE("repeat with MERGANSER_KILL_SEED=" + std::to_string(seed));
    std::mt19937 random(seed);
    test::write_text(folder_ / "jet.json", emitter_scene);
    const auto begin = std::chrono::steady_clock::now();
    const Finished whole = ChildProcess(folder_.path(), line("whole", 1)).wait();
    ASSERT_TRUE(whole.exit_code == 0 || whole.exit_code == 6) << whole.err;
    const auto duration =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    const std::vector<int> signals = {SIGKILL, SIGKILL, SIGTERM, SIGINT};
    int killed = 0, finished = 0;
    for (;;) {
      ChildProcess process(folder_.path(), line("killed", 1 + static_cast<int>(random() % 2)));
      const int signal = signals[random() % signals.size()];
      if (killed < kills) {
        // Often in the first third of what is to do, so that most runs are killed several times.
        sleep_while_it_runs(duration * (random() % 1000) / (random() % 2 ? 1000 : 3000));
        process.send(signal);
      }
      const Finished run = process.wait();
      if (run.exit_code == whole.exit_code) {
        expect_same_results();
        if (HasFailure() || killed == kills) break;
        std::filesystem::remove_all(folder_ / "killed");
        ++finished;
        continue;
      }
      // 128 + signal: before the handler was there, or SIGKILL.
      ASSERT_TRUE(run.exit_code == 128 + signal || (signal != SIGKILL && run.exit_code == 75))
          << "after signal " << signal << ": " << run.exit_code << '\n'
          << run.err;
      ++killed;
    }
    note("%d kills, %d whole runs in between\n", killed, finished);
  }
};

/// At another moment in each kind.
TEST_P(KilledRun, GoesOnBitForBit) {
  kill_and_resume(
      1,
      number_in_environment("MERGANSER_KILL_SEED").value_or(static_cast<unsigned char>(GetParam().name[0])));
}

/// MERGANSER_KILLS kills (50) of each kind.
class KilledRunSlow : public KilledRun {};
TEST_P(KilledRunSlow, GoesOnBitForBit) {
  kill_and_resume(static_cast<int>(number_in_environment("MERGANSER_KILLS").value_or(50)),
                  number_in_environment("MERGANSER_KILL_SEED").value_or(std::random_device()()));
}

std::string name_of(const testing::TestParamInfo<Kind>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Kinds, KilledRun, testing::ValuesIn(kinds), name_of);
INSTANTIATE_TEST_SUITE_P(Kinds, KilledRunSlow, testing::ValuesIn(kinds), name_of);

}  // namespace killed_run_test
}  // namespace merganser
