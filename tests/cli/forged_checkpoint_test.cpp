/// Checkpoints whose checksum fits, but not their content: a message and exit code 5.
#include "tests/support/fake_run.h"

namespace merganser {
namespace forged_checkpoint_test {

class ForgedCheckpoint : public test::FakeRuns {};

TEST_F(ForgedCheckpoint, ListsThatAreMissingOrTooShortAreNamed) {
  scene(R"("particles": 5, "endTime": 0.02)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a", "--steps", "5", "-q", "--device", "cpu"}).exit_code,
            0);
  const std::filesystem::path folder = folder_ / "a/checkpoint";
  const Checkpoint good = read_newest_checkpoint(folder)->checkpoint;
  for (const bool simulation : {true, false})
    for (const NamedArray& damaged : (simulation ? good.simulation : good.run).arrays())
      for (const bool missing : {true, false}) {
        if (!missing && damaged.bytes.empty()) continue;
        Checkpoint forged = good;
        StateArchive archive;
        for (NamedArray array : (simulation ? good.simulation : good.run).arrays()) {
          if (array.name == damaged.name) {
            if (missing) continue;
            array.bytes.clear();
          }
          archive.add(std::move(array));
        }
        (simulation ? forged.simulation : forged.run) = archive;
        std::filesystem::remove_all(folder);
        write_checkpoint(folder, forged);
        const auto run = merganser({"run", "a", "--resume", "--steps", "6", "-q", "--device", "cpu"});
        const std::string which = (missing ? "without " : "empty ") + damaged.name + ": " + run.err;
        EXPECT_EQ(run.exit_code, 5) << which;
        EXPECT_NE(run.err.find("checkpoint"), run.err.npos) << which;
        EXPECT_EQ(run.err.find("internal error"), run.err.npos) << which;
      }
}

}  // namespace forged_checkpoint_test
}  // namespace merganser
