/// A disk that fills up: exit code 5, nothing that was there is lost, and with room again it goes on.
#include "tests/support/fake_run.h"
#include "tests/support/small_disk.h"

namespace merganser {
namespace full_disk_test {

using test::Finished;
using test::text_of;
namespace fs = std::filesystem;

using test::contains;

size_t bytes_in(const fs::path& folder) {
  size_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

class FullDisk : public test::FakeRuns {
 protected:
  FullDisk() : disk_(folder_ / "disk", 4 << 20) {}
  void SetUp() override {
    if (!disk_.available()) GTEST_SKIP() << "no right to mount a small file system here";
    scene(R"("endTime": 0.15, "particles": 500, "checks": [{"type": "maxSpeed", "limit": 100}])");
    ASSERT_EQ(merganser({"run", "scene.json", "-o", "reference"}).exit_code, 0);
    size_ = bytes_in(folder_ / "reference");
  }
  static void expect_full(const Finished& run) {
    EXPECT_EQ(run.exit_code, 5) << run.err;
    EXPECT_TRUE(contains(run.err, "'disk/") && contains(run.err, "No space left")) << run.err;
  }
  /// Frames that are there are those of the reference.
  void expect_whole_frames(const std::string& run) {
    for (const fs::path& file : frames(run))
      EXPECT_TRUE(text_of(file) == text_of(folder_ / "reference/frames" / file.filename())) << file;
    expect_readable(run);
  }
  void expect_no_temporary_files() {
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "disk"))
      EXPECT_FALSE(contains(entry.path().filename().string(), ".tmp")) << entry.path();
  }

  test::SmallDisk disk_;
  size_t size_ = 0;  ///< of the whole run
};

/// Every few pages another file is the one that finds no room: frame, checkpoint, table, series, summary.
TEST_F(FullDisk, ARunGoesOnBitForBitOnceThereIsRoom) {
  int filled = 0;
  for (size_t left = size_ / 12; left < size_; left += size_ / 12) {
    SCOPED_TRACE(std::to_string(left) + " of " + std::to_string(size_) + " bytes left");
    fs::remove_all(folder_ / "disk/a");
    disk_.leave(left);
    const Finished full = merganser({"run", "scene.json", "-o", "disk/a", "--checkpoint-every", "0.02"});
    if (full.exit_code == 0) break;  // compressed, or with one checkpoint less, it fits
    ++filled;
    expect_full(full);
    expect_whole_frames("disk/a");
    const size_t written = frames("disk/a").size();
    // Still full: the same answer, and nothing is lost by asking.
    EXPECT_EQ(merganser({"run", "scene.json", "-o", "disk/a", "--resume"}).exit_code, 5);
    expect_whole_frames("disk/a");
    EXPECT_GE(frames("disk/a").size(), written);
    disk_.make_room();
    const Finished rest = merganser({"run", "scene.json", "-o", "disk/a", "--resume"});
    ASSERT_EQ(rest.exit_code, 0) << rest.err;
    expect_equal_runs("reference", "disk/a");
    expect_no_temporary_files();
  }
  EXPECT_GT(filled, 5);
}

TEST_F(FullDisk, OverwritingStopsAndGoesOn) {
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "disk/a", "--set", "seed=9", "--steps", "20"}).exit_code,
            0);
  disk_.leave(0);  // there is as much room as the short run leaves
  const Finished full = merganser({"run", "scene.json", "-o", "disk/a", "--overwrite"});
  expect_full(full);
  expect_whole_frames("disk/a");
  disk_.make_room();
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "disk/a", "--resume"}).exit_code, 0);
  expect_equal_runs("reference", "disk/a");
}

TEST_F(FullDisk, SampledPointsKeepTheEarlierFile) {
  for (const char* name : {"disk/points.csv", "disk/points.vtkhdf"}) {
    const std::vector<std::string> command = {"sample", "ball.obj", "--spacing", "0.1", "-o", name};
    disk_.leave(0);
    expect_full(merganser(command));
    EXPECT_FALSE(fs::exists(folder_ / name));
    expect_no_temporary_files();
    disk_.make_room();
    test::write_text(folder_ / name, "earlier");
    disk_.leave(0);
    expect_full(merganser(command));
    EXPECT_EQ(text_of(folder_ / name), "earlier");
    expect_no_temporary_files();
    disk_.make_room();
    EXPECT_EQ(merganser(command).exit_code, 0);
    EXPECT_NE(text_of(folder_ / name), "earlier");
  }
}

TEST_F(FullDisk, SurfacesGoOnWhereTheyStopped) {
  // What the command wants to know of the scene; the fake one has no systems.
  test::write_text(folder_ / "reference/scene.json",
                   R"({"simulation": {"particleRadius": 0.05, "resolution": 1},
    "systems": [{"name": "sea", "type": "sph", "density0": 1000, "smoothingLengthFactor": 1.2, "bodies": [{"name": "pool"}], "emitters": []}]})");
  const auto surface = [&](const std::string& output) {
    return merganser({"surface", "reference", "-o", output, "--method", "sum"});
  };
  const Finished made = surface("whole");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const size_t size = bytes_in(folder_ / "whole");
  for (const size_t left : {size_t{0}, size / 5, size / 2, size - 8192}) {
    SCOPED_TRACE(std::to_string(left) + " of " + std::to_string(size) + " bytes left");
    fs::remove_all(folder_ / "disk/s");
    disk_.leave(left);
    expect_full(surface("disk/s"));
    disk_.make_room();
    const Finished rest = surface("disk/s");
    EXPECT_EQ(rest.exit_code, 0) << rest.err;
    for (const auto& entry : fs::directory_iterator(folder_ / "whole"))
      EXPECT_TRUE(text_of(entry.path()) == text_of(folder_ / "disk/s" / entry.path().filename()))
          << entry.path().filename();
    expect_no_temporary_files();
  }
}

}  // namespace full_disk_test
}  // namespace merganser
