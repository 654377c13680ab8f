/// Runs that are stopped, killed or out of disk space, and go on bit for bit.
#include <chrono>
#include <random>
#include <thread>

#include "tests/support/fake_run.h"

namespace merganser {
namespace interrupted_run_test {

using test::ChildProcess;
using test::contains;
using test::Finished;

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

struct InterruptedRun : test::FakeRuns {
  static constexpr int failed_check = 6;
  /// A run of about 160 steps with all kinds of checks, of which noCrossing fails from step 40 on.
  const std::string keys =
      R"("endTime": 0.15, "crossingAt": 40, "probeEvery": 7, "checks": [{"type": "noCrossing"}, {"type": "energyRise", "limit": 1e-6},
         {"type": "momentumDrift", "limit": 1}, {"type": "maxSpeed", "limit": 2}, {"type": "finite"}])";

  void make_reference() {
    scene(keys);
    ASSERT_EQ(merganser({"run", "scene.json", "-o", "reference"}).exit_code, failed_check);
  }
  /// Starts a run whose steps take a while and returns once it has written its first rows.
  std::unique_ptr<ChildProcess> start_slow_run(const std::string& run,
                                               const std::vector<std::string>& more = {}) {
    scene(keys + R"(, "pause": 2)");
    std::vector<std::string> arguments{"run", "scene.json", "-o", run};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto process = std::make_unique<ChildProcess>(folder_.path(), command(arguments));
    for (int i = 0; i < 1000 && rows(run).size() < 5; ++i) sleep_ms(5);
    return process;
  }
};

TEST_F(InterruptedRun, NPlusMStepsAreNThenM) {
  make_reference();
  for (const char* steps : {"1", "50", "60", "61"}) {
    const std::string run = std::string("a") + steps;
    ASSERT_EQ(merganser({"run", "scene.json", "-o", run, "--steps", steps}).exit_code,
              std::stoi(steps) < 40 ? 0 : failed_check);
    const Finished rest = merganser({"run", "scene.json", "-o", run, "--resume", "--end-time", "0.15"});
    ASSERT_EQ(rest.exit_code, failed_check) << rest.err;
    expect_equal_runs("reference", run);
  }
}

/// Rows every seven steps, at frames and at the end: a resumed run writes the rows of one that went through,
/// and misses none that it counts on.
TEST_F(InterruptedRun, SparseRowsGoOnWhereTheyWere) {
  const std::string sparse = R"("endTime": 0.15, "statisticsInterval": 7, "checks": [{"type": "finite"}])";
  scene(sparse);
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "reference"}).exit_code, 0);
  const std::vector<std::string> all = rows("reference");
  const long long steps = summary("reference")["steps"];
  EXPECT_EQ(summary("reference")["rows"], all.size() - 1);
  EXPECT_LT(long(all.size()), steps / 7 + 15);
  for (const char* stop : {"1", "49", "50", "52"}) {
    const std::string run = std::string("b") + stop;
    ASSERT_EQ(merganser({"run", "scene.json", "-o", run, "--steps", stop}).exit_code, 0);
    EXPECT_TRUE(rows(run).back().starts_with(std::string(stop) + ",")) << "the last step has a row";
    const Finished rest = merganser({"run", "scene.json", "-o", run, "--resume", "--end-time", "0.15"});
    ASSERT_EQ(rest.exit_code, 0) << rest.err;
    EXPECT_FALSE(contains(rest.err, "rows before the checkpoint")) << rest.err;
    std::vector<std::string> resumed = rows(run);
    if (std::stoi(stop) % 7 != 0)
      std::erase_if(resumed, [&](const std::string& row) {
        return row.starts_with(std::string(stop) + ",") &&
               std::find(all.begin(), all.end(), row) == all.end();
      });
    EXPECT_EQ(resumed, all);
  }
}
/// A check that speaks of every step has a row for each, and the run says so.
TEST_F(InterruptedRun, ChecksOfEveryStepHaveARowForEach) {
  scene(R"("endTime": 0.05, "statisticsInterval": 7, "checks": [{"type": "energyRise", "limit": 1}])");
  const Finished run = merganser({"run", "scene.json", "-o", "every"});
  EXPECT_TRUE(contains(run.err, "statisticsInterval")) << run.err;
  EXPECT_EQ(summary("every")["rows"], summary("every")["steps"]);
}

TEST_F(InterruptedRun, SignalsStopWithACheckpoint) {
  make_reference();
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) {
    const std::string run = "stopped" + std::to_string(signal);
    const auto process = start_slow_run(run);
    process->send(signal);
    const Finished stopped = process->wait();
    ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
    EXPECT_TRUE(contains(stopped.err, "--resume")) << stopped.err;
    EXPECT_TRUE(contains(summary(run)["exit_reason"].get<std::string>(), "SIG"));
    EXPECT_EQ(summary(run)["exit_code"], 75);
    EXPECT_LT(summary(run)["simulated_time"], 0.15);
    const Finished rest = merganser({"run", run, "--resume"});
    ASSERT_EQ(rest.exit_code, failed_check) << rest.err;
    EXPECT_EQ(rows("reference"), rows(run));
  }
}

TEST_F(InterruptedRun, TheSecondSignalEndsAtOnce) {
  scene(R"("pause": 1500)");
  ChildProcess process(folder_.path(), command({"run", "scene.json", "-o", "a"}));
  for (int i = 0; i < 2000 && rows("a").size() < 2; ++i) sleep_ms(5);
  process.send(SIGINT);  // in the second step, which is not over when the next signal comes
  sleep_ms(50);
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().exit_code, 128 + SIGTERM);
  expect_readable("a");
}

/// A queue signals all processes of a job, and a script among them passes the request on.
TEST_F(InterruptedRun, ARequestThatIsPassedOnIsNoSecondOne) {
  scene(R"("pause": 500)");
  ChildProcess process(folder_.path(), command({"run", "scene.json", "-o", "a"}));
  for (int i = 0; i < 2000 && rows("a").size() < 2; ++i) sleep_ms(5);
  process.send(SIGTERM);
  sleep_ms(50);
  process.send(SIGUSR1);
  EXPECT_EQ(process.wait().exit_code, 75);
  EXPECT_TRUE(contains(summary("a")["exit_reason"].get<std::string>(), "SIGTERM"));
}

/// `timeout` signals a process and then its group.
TEST_F(InterruptedRun, TheSameSignalTwiceAtOnceIsOne) {
  scene(R"("pause": 700)");
  ChildProcess process(folder_.path(), command({"run", "scene.json", "-o", "a"}));
  for (int i = 0; i < 2000 && rows("a").size() < 2; ++i) sleep_ms(5);
  process.send(SIGTERM);
  sleep_ms(20);  // two that wait are one anyway
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().exit_code, 75);
  EXPECT_TRUE(contains(summary("a")["exit_reason"].get<std::string>(), "SIGTERM"));
}

TEST_F(InterruptedRun, WallTimeLimitStopsWithACheckpoint) {
  make_reference();
  scene(keys + R"(, "pause": 2)");
  int sessions = 0;
  Finished run;
  do {  // the same line every time, as a batch job has it
    run = merganser({"run", "scene.json", "-o", "a", "--resume", "--max-wall-time", "0.2"});
    ++sessions;
  } while (run.exit_code == 75 && sessions < 100);
  ASSERT_EQ(run.exit_code, failed_check) << run.err;
  EXPECT_GT(sessions, 1);
  EXPECT_EQ(rows("reference"), rows("a"));
}

/// Another session of the same length would do no step either: a batch job is told so.
TEST_F(InterruptedRun, AWallTimeThatIsOverBeforeTheFirstStepIsSaid) {
  make_reference();
  scene(keys + R"(, "setup": 300)");
  const auto expect_warning = [&](const std::string& run, int step) {
    const Finished stopped = merganser(
        {"run", "scene.json", "-o", run, "--resume", "--end-time", "0.15", "--max-wall-time", "0.2"});
    EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
    for (const std::string part : {"--max-wall-time 0.2 s", "before the first step", "raise"})
      EXPECT_TRUE(contains(stopped.err, part)) << part << " in " << stopped.err;
    EXPECT_EQ(summary(run)["exit_code"], 75);
    EXPECT_EQ(read_newest_checkpoint(folder_ / (run + "/checkpoint"))->checkpoint.step, step);
    ASSERT_EQ(merganser({"run", run, "--resume", "--end-time", "0.15"}).exit_code, failed_check);
    expect_equal_runs("reference", run);
  };
  expect_warning("new", 0);
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "begun", "--steps", "50"}).exit_code, failed_check);
  expect_warning("begun", 50);
}

TEST_F(InterruptedRun, KilledAtAnyMomentItGoesOn) {
  const std::string many_steps = keys + R"(, "timeStepSize": 2e-4)";
  scene(many_steps);
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "reference"}).exit_code, failed_check);
  std::mt19937 random(5);
  scene(many_steps + R"(, "pause": 0.2)");
  int kills = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    std::vector<std::string> arguments{"run", "scene.json", "-o", "a", "--resume"};
    const bool in_time = std::chrono::steady_clock::now() - begin < std::chrono::seconds(6);
    // The writing of checkpoints then fills nearly all of the time.
    if (in_time) arguments.insert(arguments.end(), {"--checkpoint-every", "1e-9"});
    ChildProcess process(folder_.path(), command(arguments));
    if (!in_time) {
      const Finished last = process.wait();
      ASSERT_EQ(last.exit_code, failed_check) << last.err;
      break;
    }
    sleep_ms(static_cast<int>(random() % 60));
    process.send(SIGKILL);
    if (process.wait().exit_code != 128 + SIGKILL) break;  // it came to its end
    ++kills;
    expect_readable("a");
    const auto checkpoints = list_checkpoints(folder_ / "a/checkpoint");
    EXPECT_LE(checkpoints.size(), 3u);
  }
  EXPECT_GT(kills, 10);
  EXPECT_EQ(rows("reference"), rows("a"));
  EXPECT_EQ(summary("reference")["checks"], summary("a")["checks"]);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "a"))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  EXPECT_EQ(frames("reference").size(), frames("a").size());
  for (size_t i = 0; i < frames("a").size(); ++i)
    EXPECT_TRUE(test::text_of(frames("reference")[i]) == test::text_of(frames("a")[i]));
}

TEST_F(InterruptedRun, AFullDiskKeepsWhatIsThere) {
  scene(keys + R"(, "timeStepSize": 5e-4)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "reference"}).exit_code, failed_check);
  // The limit of the file size stands in for the full disk: it strikes the growing statistics.csv.
  const size_t limit = std::filesystem::file_size(folder_ / "reference/statistics.csv") * 3 / 4;
  ASSERT_LT(std::filesystem::file_size(frames("reference")[0]), limit);
  const Finished full = merganser({"run", "scene.json", "-o", "a", "--checkpoint-every", "1e-9"}, limit);
  EXPECT_EQ(full.exit_code, 5) << full.err;
  EXPECT_TRUE(contains(full.err, "statistics.csv")) << full.err;
  EXPECT_TRUE(contains(full.err, "ulimit -f")) << full.err;
  EXPECT_TRUE(contains(full.err, "last good checkpoint: 'a/checkpoint/")) << full.err;
  EXPECT_EQ(summary("a")["exit_reason"], "file error");
  expect_readable("a");
  const Finished rest = merganser({"run", "a", "--resume"});
  ASSERT_EQ(rest.exit_code, failed_check) << rest.err;
  expect_equal_runs("reference", "a");
}

TEST_F(InterruptedRun, ADiskThatFillsDuringAFrameKeepsTheCheckpoint) {
  scene(keys + R"(, "particles": 1000)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "reference"}).exit_code, failed_check);
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a", "--steps", "30"}).exit_code, 0);
  const size_t written = frames("a").size();
  const size_t checkpoint_size = std::filesystem::file_size(list_checkpoints(folder_ / "a/checkpoint")[0]);
  const size_t frame_size = std::filesystem::file_size(frames("a")[0]);
  ASSERT_LT(checkpoint_size, frame_size);
  const Finished full = merganser({"run", "a", "--resume", "--end-time", "0.15"}, frame_size - 1);
  EXPECT_EQ(full.exit_code, 5) << full.err;
  EXPECT_TRUE(contains(full.err, "frames/frame_000002.vtkhdf")) << full.err;
  EXPECT_EQ(frames("a").size(), written);
  expect_readable("a");
  // The state before the frame was still saved, and the frame comes first when there is room again.
  EXPECT_EQ(read_newest_checkpoint(folder_ / "a/checkpoint")->checkpoint.time, 2 / 50.0);
  ASSERT_EQ(merganser({"run", "a", "--resume"}).exit_code, failed_check);
  expect_equal_runs("reference", "a");
}

/// Frames are written while the run goes on. One that fails when the state has moved on is kept in the
/// checkpoint, and the resumed run writes it first.
TEST_F(InterruptedRun, AFrameThatFailsLaterIsKeptInTheCheckpoint) {
  make_reference();
  scene(keys + R"(, "pause": 2, "framePause": 60)");
  ChildProcess process(folder_.path(), command({"run", "scene.json", "-o", "a"}));
  for (int i = 0; i < 2000 && frames("a").empty(); ++i) sleep_ms(2);
  const auto in_the_way = folder_ / "a/frames/frame_000003.vtkhdf";
  std::filesystem::create_directory(in_the_way);
  const Finished failed = process.wait();
  EXPECT_EQ(failed.exit_code, 5) << failed.err;
  EXPECT_TRUE(contains(failed.err, "frame_000003.vtkhdf': it is a folder")) << failed.err;
  EXPECT_TRUE(contains(failed.err, "last good checkpoint")) << failed.err;
  EXPECT_EQ(summary("a")["frames"], 3);
  const auto kept = read_newest_checkpoint(folder_ / "a/checkpoint");
  ASSERT_TRUE(kept);
  EXPECT_GT(kept->checkpoint.time, 3 / 50.0);
  std::filesystem::remove(in_the_way);
  const Finished rest = merganser({"run", "a", "--resume"});
  ASSERT_EQ(rest.exit_code, failed_check) << rest.err;
  expect_equal_runs("reference", "a");
}

/// A signal that comes while frames wait: all that were due are written before the checkpoint.
TEST_F(InterruptedRun, AStopWritesTheFramesThatWait) {
  make_reference();
  scene(keys + R"(, "framePause": 150)");  // steps take no time, so that frames wait
  ChildProcess process(folder_.path(), command({"run", "scene.json", "-o", "a"}));
  for (int i = 0; i < 2000 && rows("a").size() < 3; ++i) sleep_ms(2);
  process.send(SIGTERM);
  const Finished stopped = process.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  const auto kept = read_newest_checkpoint(folder_ / "a/checkpoint");
  ASSERT_TRUE(kept);
  EXPECT_EQ(frames("a").size(), size_t(kept->checkpoint.run.get<std::int64_t>("frames")[0]));
  EXPECT_EQ(frames("a").size(), size_t(kept->checkpoint.time * 50 + 1e-9) + 1);
  EXPECT_EQ(summary("a")["frames"], frames("a").size());
  ASSERT_EQ(merganser({"run", "a", "--resume"}).exit_code, failed_check);
  expect_equal_runs("reference", "a");
}

TEST_F(InterruptedRun, ADamagedCheckpointFallsBackToTheOneBefore) {
  make_reference();
  ASSERT_EQ(
      merganser({"run", "scene.json", "-o", "a", "--steps", "50", "--checkpoint-every", "1e-9"}).exit_code,
      failed_check);
  const auto files = list_checkpoints(folder_ / "a/checkpoint");
  ASSERT_EQ(files.size(), 2u);
  std::filesystem::resize_file(files[0], std::filesystem::file_size(files[0]) - 100);
  const Finished rest = merganser({"run", "scene.json", "-o", "a", "--resume", "--end-time", "0.15"});
  ASSERT_EQ(rest.exit_code, failed_check) << rest.err;
  EXPECT_TRUE(contains(rest.err, "warning") && contains(rest.err, files[0].filename().string())) << rest.err;
  EXPECT_TRUE(contains(rest.err, "resuming from step 49")) << rest.err;
  EXPECT_EQ(summary("a")["warnings"].size(), 1u);
  expect_equal_runs("reference", "a");
}

TEST_F(InterruptedRun, AFinishedRunSaysSo) {
  make_reference();
  const Finished again = merganser({"run", "scene.json", "-o", "reference", "--resume"});
  EXPECT_EQ(again.exit_code, failed_check);
  EXPECT_TRUE(contains(again.err, "is finished")) << again.err;
}

TEST_F(InterruptedRun, ResumeTakesOtherEndsAndNothingElse) {
  scene(keys);
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a", "--steps", "20", "--seed", "3"}).exit_code, 0);
  for (const std::vector<std::string>& change :
       {std::vector<std::string>{"--seed", "4"}, {"--set", "particles=9"}, {"--resolution", "0.5"}}) {
    std::vector<std::string> arguments{"run", "scene.json", "-o", "a", "--resume", "--end-time", "0.15"};
    arguments.insert(arguments.end(), change.begin(), change.end());
    const Finished run = merganser(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_TRUE(contains(run.err, "--resume")) << run.err;
  }
  const Finished same =
      merganser({"run", "scene.json", "-o", "a", "--resume", "--seed", "3", "--steps", "25"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(summary("a")["steps"], 25);
  // Without the option the folder's scene counts, and the run says that it differs from the file's.
  const Finished without = merganser({"run", "scene.json", "-o", "a", "--resume", "--steps", "30"});
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_TRUE(contains(without.err, "/seed")) << without.err;
  EXPECT_EQ(summary("a")["seed"], 3);

  test::write_text(folder_ / "a/scene.json", test::text_of(folder_ / "a/scene.json") + " ");
  EXPECT_EQ(merganser({"run", "a", "--resume", "--steps", "40"}).exit_code, 2);
}

TEST_F(InterruptedRun, OneFolderHasOneWriter) {
  const auto process = start_slow_run("a");
  const Finished second = merganser({"run", "scene.json", "-o", "a", "--resume"});
  EXPECT_EQ(second.exit_code, 2) << second.err;
  EXPECT_TRUE(contains(second.err, "another merganser process")) << second.err;
}

}  // namespace interrupted_run_test
}  // namespace merganser
