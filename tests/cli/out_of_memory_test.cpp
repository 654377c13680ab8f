/// The real program where memory is short: exit code 3 with numbers, never an abort.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "tests/support/child_process.h"
#include "tests/support/fake_run.h"
#include "tests/support/source_folder.h"

namespace merganser::test {
namespace out_of_memory_test {

class OutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer of addresses takes terabytes of address space";
#endif
  }
  /// A command line of merganser after shell commands such as "ulimit -v 1000000". One thread: the stacks of
  /// a many-core machine's threads would take the address space.
  Finished shell(const std::string& before, const std::string& arguments) {
    const std::string command = "export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1; " + before + "; exec '" +
                                beside_the_tests("merganser") + "' " + arguments;
    return ChildProcess(folder_.path(), {"/bin/sh", "-c", command}).wait();
  }
  void expect_refused(const Finished& finished, const std::vector<std::string>& pieces) {
    EXPECT_EQ(finished.exit_code, 3) << finished.err;
    for (const std::string& piece : pieces)
      EXPECT_NE(finished.err.find(piece), std::string::npos) << piece << ": " << finished.err;
  }
  static std::string scene(const std::string& name) {
    return "'" + (source_folder() / "scenes" / name).string() + "' ";
  }
  /// A closed box from the origin.
  void box_mesh(const std::string& name, const std::string& x, const std::string& y, const std::string& z) {
    std::string text;
    for (const std::string& c : {std::string("0"), z})
      for (const std::string& b : {std::string("0"), y})
        for (const std::string& a : {std::string("0"), x}) text += "v " + a + " " + b + " " + c + "\n";
    write_text(folder_ / name, text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
  }
  TemporaryFolder folder_;
};

constexpr const char* eight_gigabytes = "ulimit -v 8000000";

TEST_F(OutOfMemory, CheckReportsAndRefuses) {
  for (const char* resolution : {"10", "1000"}) {
    const Finished finished =
        shell(eight_gigabytes, "check " + scene("demos/dam_break.json") + "--resolution " + resolution);
    expect_refused(finished, {"dam_break.json", "--resolution", "would fit"});
    EXPECT_NE(finished.out.find("memory        about"), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find("not looked at"), std::string::npos) << finished.out;
  }
  // Little memory is enough for the answer.
  expect_refused(shell("ulimit -v 400000", "check " + scene("demos/dam_break.json") + "--resolution 10"), {});
}

TEST_F(OutOfMemory, RunRefusesBeforeItTouchesTheFolder) {
  expect_refused(shell(eight_gigabytes, "run " + scene("demos/dam_break.json") + "--resolution 10 -o out"),
                 {"108 million particles", "--resolution"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  const std::string emitter =
      R"('systems.water.emitters=[{"name":"tap","position":[0,0,1],"velocity":1,"radius":1e5}]')";
  expect_refused(shell(eight_gigabytes, "run " + scene("demos/dam_break.json") + "-o out --set " + emitter),
                 {"systems.water.emitters"});
  expect_refused(shell(eight_gigabytes, "check " + scene("demos/dam_break.json") + "--set " + emitter),
                 {"systems.water.emitters"});
}

TEST_F(OutOfMemory, SampleRefuses) {
  box_mesh("long.obj", "1", "4e4", "1");
  expect_refused(shell(eight_gigabytes, "sample long.obj --spacing 0.1 -o points.vtkhdf"),
                 {"long.obj", "particles of spacing 0.1", "raise --spacing"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "points.vtkhdf"));
  box_mesh("cube.obj", "1", "1", "1");
  const Finished finished = shell(eight_gigabytes, "sample cube.obj --spacing 0.05 -o points.vtkhdf");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
}

/// Where the estimate says yes and the memory then says no: whichever allocation fails, on whichever thread.
TEST_F(OutOfMemory, FailedAllocationsEndWithThree) {
  const std::string permitted = "export MERGANSER_MEMORY_LIMIT=1e15; ulimit -v ";
  box_mesh("long.obj", "1", "1e4", "1");
  for (const char* kilobytes : {"300000", "500000"})
    expect_refused(shell(permitted + kilobytes, "sample long.obj --spacing 0.1 -o points.vtkhdf"),
                   {"out of memory"});
  const std::string run = " -q --device cpu --overwrite --steps 2 -o out";
  for (const char* kilobytes : {"300000", "400000"}) {
    expect_refused(
        shell(permitted + kilobytes, "run " + scene("demos/dam_break.json") + "--resolution 3" + run),
        {"out of memory"});
    expect_refused(shell(permitted + kilobytes, "run " + scene("elastic_sph/fig02_moving_bunny.json") +
                                                    "--set systems.solid.solve=preconditioned" + run),
                   {"out of memory"});
  }
}

TEST_F(OutOfMemory, SurfaceRefuses) {
  ASSERT_EQ(shell("true", "run " + scene("demos/dam_break.json") +
                              "-q --device cpu --resolution 0.7 --steps 1 -o out")
                .exit_code,
            0);
  expect_refused(shell("export MERGANSER_MEMORY_LIMIT=2e7", "surface out -q --cell-size 0.05"),
                 {"frame_000000.vtkhdf", "--cell-size"});
  expect_refused(shell("export MERGANSER_MEMORY_LIMIT=1e15; ulimit -v 200000",
                       "surface out -q --device cpu --cell-size 0.05"),
                 {"out of memory"});
}

TEST_F(OutOfMemory, TheLimitOfTheEnvironmentIsChecked) {
  const Finished finished =
      shell("export MERGANSER_MEMORY_LIMIT=plenty", "check " + scene("demos/dam_break.json"));
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_NE(finished.err.find("MERGANSER_MEMORY_LIMIT"), std::string::npos) << finished.err;
}

/// [bytes] that the program held at its worst moment.
double peak_bytes(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  const pid_t process = fork();
  if (process == 0) {
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    if (chdir(folder.c_str()) != 0) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(process, &status, 0, &used);
  // Two steps are too few for what some scenes check: 6.
  EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 6)) << status;
  return 1024.0 * double(used.ru_maxrss);
}

/// Runs of each kind of solver: what was taken lies between half the estimate and 1.25 times of it, so that
/// nothing that runs in half of the memory is refused, and little that is let through fails. (Of the moving
/// ball the factor is a large part, which `auto` makes later.)
TEST_F(OutOfMemory, EstimatesAreWhatRunsTake) {
  const std::string program = beside_the_tests("merganser");
  const std::pair<const char*, const char*> runs[] = {
      {"demos/dam_break.json", "1"},
      {"demos/mesh_drop.json", "0.6"},
      {"merging_and_splitting/fig05_ball_hits_brittle_wall.json", "0.65"},
      {"merging_and_splitting/fig09_flip_cloth.json", "0.3"},
      {"merging_and_splitting/fig09_flip_brittle.json", "0.3"},
      {"elastic_sph/fig02_moving_bunny.json", "0.8"},
      {"elastic_sph/soft_bodies_pile.json", "0.8"},
      {"topology/fig10_splash.json", "0.8"}};
  for (const auto& [name, resolution] : runs) {
    const std::string file = (source_folder() / "scenes" / name).string();
    std::vector<std::string> scene{file, "--resolution", resolution};
    if (file.ends_with("bunny.json"))
      scene.insert(scene.end(), {"--set", "systems.solid.solve=preconditioned"});
    std::vector<std::string> checked{program, "check", "--json"},
        ran{program, "run", "--steps", "2", "--device", "cpu", "--overwrite", "-q", "-o", "run"};
    checked.insert(checked.end(), scene.begin(), scene.end());
    ran.insert(ran.end(), scene.begin(), scene.end());
    const Finished check = ChildProcess(folder_.path(), checked).wait();
    ASSERT_EQ(check.exit_code, 0) << check.err;
    const double estimate = nlohmann::json::parse(check.out)["memory_bytes"];
    const double taken = peak_bytes(folder_.path(), ran);
    EXPECT_GT(taken, 0.5 * estimate) << name;
    EXPECT_LT(taken, 1.25 * estimate) << name;
  }
}

}  // namespace out_of_memory_test
}  // namespace merganser::test
