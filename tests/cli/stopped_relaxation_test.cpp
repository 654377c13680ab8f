/// merganser itself, asked to stop while it relaxes 40,000 particles or makes the tables of a mesh wall,
/// which takes many seconds: it stops soon and has written nothing.
#include <csignal>
#include <cstdlib>

#include "host/run/stop_signals.h"
#include "tests/support/fake_run.h"

namespace merganser {
namespace stopped_relaxation_test {

using test::contains;

class StoppedRelaxation : public test::FakeRuns {
 protected:
  void SetUp() override {
    test::write_text(folder_ / "scene.json", R"({"simulation": {"particleRadius": 0.0187}, "systems": [
      {"name": "water", "type": "sph", "density0": 1000, "bodies": [
        {"name": "block", "shape": "box", "start": [0, 0, 0], "end": [1.31, 1.29, 1.27], "sampling": "relaxed"}]}]})");
    test::write_text(folder_ / "tetrahedron.obj",
                     "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  }
  /// By a signal once it has said so, or by itself (0). Killed, exit code 137, where it does not end.
  test::Finished stopped(std::vector<std::string> arguments, int signal, const std::string& said = "",
                         double seconds_later = 0) {
    arguments.insert(arguments.begin(), test::beside_the_tests("merganser"));
    test::ChildProcess program(folder_.path(), arguments);
    constexpr int most_tenths = 600;
    for (int k = 0; signal != 0 && k < most_tenths; ++k) {
      if (contains(test::text_of(folder_ / "stderr.txt"), said)) break;
      usleep(100000);
    }
    if (signal != 0) usleep(useconds_t(1e6 * seconds_later)), program.send(signal);
    return program.wait_at_most(120);
  }
};

TEST_F(StoppedRelaxation, OfASample) {
  const auto sample = stopped({"sample", "tetrahedron.obj", "--spacing", "0.032", "--method", "relaxed",
                               "--device", "cpu", "-o", "points.csv"},
                              SIGINT, "preparing to relax");
  EXPECT_EQ(sample.exit_code, 75) << sample.err;
  EXPECT_TRUE(contains(sample.err, "stopped: SIGINT; nothing was written\n")) << sample.err;
  EXPECT_EQ(sample.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "points.csv"));
}

TEST_F(StoppedRelaxation, OfARunBySignal) {
  const auto run = stopped({"run", "scene.json", "-o", "a", "--device", "cpu"}, SIGTERM, "relaxing");
  EXPECT_EQ(run.exit_code, 75) << run.err;
  EXPECT_TRUE(contains(run.err, "stopped: SIGTERM while particles were relaxed; nothing was written"))
      << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(StoppedRelaxation, OfARunByItsTime) {
  const auto run = stopped({"run", "scene.json", "-o", "a", "--device", "cpu", "--max-wall-time", "0.1"}, 0);
  EXPECT_EQ(run.exit_code, 2) << "every session would relax them again: " << run.err;
  for (const std::string part : {"scene.json", "--max-wall-time 0.1 s", "systems.water.bodies.block.sampling",
                                 "raise --max-wall-time", "lattice"})
    EXPECT_TRUE(contains(run.err, part)) << part << " in " << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

/// From the first moment on, while a mesh is read and 400,000 particles are made: there is nothing to save.
TEST_F(StoppedRelaxation, OfARunThatReadsAMesh) {
  std::string mesh = test::text_of(folder_ / "tetrahedron.obj");
  for (int k = 0; k < 10000; ++k) {
    const double a = 1e-3 * k;
    mesh += "v " + std::to_string(a) + " 0 0\nv " + std::to_string(a) + " 1 0\n";
  }
  test::write_text(folder_ / "large.obj", mesh);
  test::write_text(folder_ / "mesh.json", R"({"simulation": {"particleRadius": 0.004}, "systems": [
      {"name": "water", "type": "sph", "bodies": [{"name": "block", "shape": "box", "start": [0, 0, 0], "end": [0.6, 0.6, 0.6]}]}],
    "walls": [{"shape": "mesh", "geometryFile": "large.obj"}]})");
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    for (const int milliseconds : {0, 2, 10, 25}) {
      test::ChildProcess program(folder_.path(), {test::beside_the_tests("merganser"), "run", "mesh.json",
                                                  "-o", "a", "--device", "cpu"});
      while (!program.catches(signal)) usleep(200);
      usleep(useconds_t(1000 * milliseconds));
      program.send(signal);
      const auto run = program.wait_at_most(60);
      ASSERT_EQ(run.exit_code, 75) << signal << ' ' << milliseconds << run.err;
      EXPECT_TRUE(contains(run.err, "stopped: SIG")) << run.err;
      EXPECT_TRUE(contains(run.err, "nothing was written; the same command starts again")) << run.err;
      EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
    }
}

/// A signal may come when the handler is there and what to say of it is not yet.
TEST(StopSignals, OneThatCameBeforeEndAtOnceEndsTheProgram) {
  const auto early = [] {
    const StopSignals signals;
    std::raise(SIGTERM);
    signals.end_at_once("before the scene was read");
    std::_Exit(0);
  };
  EXPECT_EXIT(early(), ::testing::ExitedWithCode(75), "stopped: SIGTERM before the scene was read; nothing");
}

/// A sheet with a thickness: from each node of its table the sight to 500 others is looked at.
/// The signal comes when it is at that.
TEST_F(StoppedRelaxation, OfTheTablesOfWalls) {
  test::write_text(folder_ / "walls.json", R"({"simulation": {"particleRadius": 0.005}, "systems": [
      {"name": "water", "type": "dfsph", "bodies": [{"name": "block", "shape": "box", "start": [0, 0, 0.02],
       "end": [0.1, 0.1, 0.1]}]}],
    "walls": [{"shape": "mesh", "geometryFile": "tetrahedron.obj", "thickness": 0.02}]})");
  const auto run = stopped({"run", "walls.json", "-o", "a", "--device", "cpu"}, SIGINT, "device: ", 1.5);
  EXPECT_EQ(run.exit_code, 75) << run.err;
  EXPECT_TRUE(contains(run.err, "stopped: SIGINT while tables of walls were made; nothing was written"))
      << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

}  // namespace stopped_relaxation_test
}  // namespace merganser
