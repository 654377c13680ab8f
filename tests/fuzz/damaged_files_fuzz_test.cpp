/// Damaged checkpoints and frames, through the executable on fake scenes: what is damaged is never used, and
/// the message names it.
#include "tests/fuzz/made_runs.h"
#include "tests/fuzz/program.h"

namespace merganser {
namespace damaged_files_fuzz_test {

using fuzz::Case;
using test::Finished;
using test::text_of;
namespace fs = std::filesystem;

void damage(Case& c, const fs::path& file) {
  std::string bytes = text_of(file);
  const std::string before = bytes;
  fuzz::change_bytes(c.draw, bytes);
  if (c.draw.one_in(20)) bytes.clear();
  size_t first = 0;
  while (first < std::min(bytes.size(), before.size()) && bytes[first] == before[first]) ++first;
  c.note(file.filename().string() + ": " + std::to_string(bytes.size()) + " of " +
         std::to_string(before.size()) + " bytes, the first other one at " + std::to_string(first));
  test::write_text(file, bytes);
}

/// True where it is done; else it must have ended with 2 or 5 and named the file.
bool done(Case& c, const Finished& run, const std::string& named) {
  if (run.exit_code == 0) return true;
  if (run.exit_code != 2 && run.exit_code != 5)
    c.fail("exit code " + std::to_string(run.exit_code) + ": " + fuzz::shortened(run.err));
  fuzz::require_error_line(c, run, named);
  return false;
}

void require_equal_files(Case& c, const fs::path& whole, const fs::path& made) {
  for (const auto& entry : fs::directory_iterator(whole))
    if (text_of(entry.path()) != text_of(made / entry.path().filename()))
      c.fail("another " + entry.path().filename().string());
}

class CheckpointFuzz : public fuzz::MadeRuns {
 protected:
  /// The run goes on to the same end from the checkpoint that is whole, or stops.
  bool one(Case& c) {
    fs::copy(folder_ / "a", c.folder / "a", fs::copy_options::recursive);
    const auto files = list_checkpoints(c.folder / "a/checkpoint");
    for (size_t k = 0; k < files.size(); ++k)
      if (k == 0 || c.draw.one_in(2)) damage(c, files[k]);
    const Finished run = fuzz::finish(c, "merganser_fake", {"run", "a", "--resume", "--end-time", "0.1"});
    if (!done(c, run, "checkpoint")) return false;
    require_equal_files(c, folder_ / "whole/frames", c.folder / "a/frames");
    return true;
  }
};
TEST_F(CheckpointFuzz, NoDamagedOneIsContinued) {
  fuzz::run_cases(
      250, [&](Case& c) { return one(c); }, fuzz::program_limits);
}
class CheckpointFuzzSlow : public CheckpointFuzz {};
TEST_F(CheckpointFuzzSlow, NoDamagedOneIsContinued) {
  fuzz::run_cases_for_long([&](Case& c) { return one(c); }, fuzz::program_limits);
}

class FrameFuzz : public fuzz::MadeRuns {
 protected:
  void SetUp() override {
    MadeRuns::SetUp();
    // What surfaces want to know of a scene; a fake one has no systems.
    test::write_text(folder_ / "whole/scene.json",
                     R"({"simulation": {"particleRadius": 0.05, "resolution": 1},
      "systems": [{"name": "sea", "type": "sph", "density0": 1000, "smoothingLengthFactor": 1.2,
                   "bodies": [{"name": "pool"}], "emitters": []}]})");
    const Finished made =
        merganser({"surface", "whole", "--method", "sum", "--frames", "2", "-o", "surface"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  /// The surface of a damaged frame is the right one, or there is none.
  bool one(Case& c) {
    fs::copy(folder_ / "whole", c.folder / "whole", fs::copy_options::recursive);
    damage(c, c.folder / "whole/frames/frame_000002.vtkhdf");
    const Finished run = fuzz::finish(
        c, "merganser_fake", {"surface", "whole", "--method", "sum", "--frames", "2", "-o", "surface"});
    if (!done(c, run, "frame_000002.vtkhdf")) return false;
    if (text_of(folder_ / "surface/surface_000002.ply") != text_of(c.folder / "surface/surface_000002.ply"))
      c.fail("another surface");
    return true;
  }
};
TEST_F(FrameFuzz, NoDamagedOneIsUsed) {
  fuzz::run_cases(
      250, [&](Case& c) { return one(c); }, fuzz::program_limits);
}
class FrameFuzzSlow : public FrameFuzz {};
TEST_F(FrameFuzzSlow, NoDamagedOneIsUsed) {
  fuzz::run_cases_for_long([&](Case& c) { return one(c); }, fuzz::program_limits);
}

}  // namespace damaged_files_fuzz_test
}  // namespace merganser
