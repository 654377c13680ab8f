#pragma once
/// Runs of the command line on fake scenes, and what their folders hold.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "host/files/atomic_file.h"
#include "host/files/hdf5_image.h"
#include "host/run/checkpoint.h"
#include "tests/support/child_process.h"

namespace merganser::test {

/// Path of a program of the same build.
inline std::string beside_the_tests(const std::string& program) {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename(program).string();
}

/// A working folder with scene.json for the command line with fake scenes.
class FakeRuns : public testing::Test {
 protected:
  void scene(const std::string& keys) { write_text(folder_ / "scene.json", "{" + keys + "}"); }
  static std::vector<std::string> command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), beside_the_tests("merganser_fake"));
    return arguments;
  }
  Finished merganser(const std::vector<std::string>& arguments, size_t file_size_limit = 0) {
    return ChildProcess(folder_.path(), command(arguments), file_size_limit).wait();
  }
  nlohmann::json summary(const std::string& run) {
    return nlohmann::json::parse(text_of(folder_ / (run + "/summary.json")));
  }

  /// Rows of statistics.csv without the wall times, which no two runs share.
  std::vector<std::string> rows(const std::string& run) {
    std::vector<std::string> rows;
    std::istringstream lines(text_of(folder_ / (run + "/statistics.csv")));
    for (std::string line; std::getline(lines, line);) {
      size_t end = 0;
      for (int column = 0; column < 25 && end != line.npos; ++column)
        end = line.find(',', end + (column > 0));
      rows.push_back(line.substr(0, end));
    }
    return rows;
  }
  std::vector<std::filesystem::path> frames(const std::string& run) {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / (run + "/frames"), none))
      if (entry.path().extension() == ".vtkhdf") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }
  /// Frames, rows and the newest checkpoint's state are the same to the bit.
  void expect_equal_runs(const std::string& a, const std::string& b) {
    EXPECT_EQ(rows(a), rows(b));
    EXPECT_EQ(text_of(folder_ / (a + "/probes.csv")), text_of(folder_ / (b + "/probes.csv")));
    const auto frames_a = frames(a), frames_b = frames(b);
    ASSERT_EQ(frames_a.size(), frames_b.size());
    for (size_t i = 0; i < frames_a.size(); ++i) {
      EXPECT_EQ(frames_a[i].filename(), frames_b[i].filename());
      EXPECT_TRUE(text_of(frames_a[i]) == text_of(frames_b[i])) << frames_a[i];
    }
    EXPECT_EQ(text_of(folder_ / (a + "/frames/frames.vtkhdf.series")),
              text_of(folder_ / (b + "/frames/frames.vtkhdf.series")));
    const auto state_a = read_newest_checkpoint(folder_ / (a + "/checkpoint")),
               state_b = read_newest_checkpoint(folder_ / (b + "/checkpoint"));
    ASSERT_TRUE(state_a && state_b);
    EXPECT_EQ(state_a->checkpoint.step, state_b->checkpoint.step);
    EXPECT_EQ(state_a->checkpoint.time, state_b->checkpoint.time);
    const auto &arrays_a = state_a->checkpoint.simulation.arrays(),
               &arrays_b = state_b->checkpoint.simulation.arrays();
    ASSERT_EQ(arrays_a.size(), arrays_b.size());
    for (size_t i = 0; i < arrays_a.size(); ++i) {
      EXPECT_EQ(arrays_a[i].name, arrays_b[i].name);
      EXPECT_TRUE(arrays_a[i].bytes == arrays_b[i].bytes) << arrays_a[i].name;
    }
    EXPECT_EQ(summary(a)["checks"], summary(b)["checks"]);
  }
  /// Whatever stands under a final name can be read.
  void expect_readable(const std::string& run) {
    for (const auto& file : frames(run)) {
      const std::string bytes = text_of(file);
      EXPECT_NO_THROW(EXPECT_EQ(Hdf5Reader(bytes).datasets("VTKHDF/PointData").size(), 6u)) << file;
    }
    for (const auto& file : list_checkpoints(folder_ / (run + "/checkpoint")))
      EXPECT_NO_THROW(read_checkpoint(file)) << file;
    for (const char* name : {"summary.json", "scene.json", "frames/frames.vtkhdf.series"}) {
      const std::string text = text_of(folder_ / (run + "/" + name));
      if (!text.empty()) {
        EXPECT_TRUE(nlohmann::json::accept(text)) << name;
      }
    }
  }

  TemporaryFolder folder_;
};

}  // namespace merganser::test
