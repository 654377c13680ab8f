/// Results depend on the scene alone: not on locale, time zone, umask, current folder, name of the folder of
/// results, number of threads.
#include "tests/support/fake_run.h"
#include "tests/support/source_folder.h"

namespace merganser {
namespace surroundings_test {

using test::Finished;

struct Surroundings : test::FakeRuns {
  const std::filesystem::path file = source_folder() / "scenes/demos/mesh_drop.json";
  /// Runs in a folder, by a shell that has said `before`.
  void run(const std::string& folder, const std::string& before, const std::string& scene_file,
           const std::string& output, int threads) {
    std::filesystem::create_directories(folder_ / folder);
    const Finished finished =
        test::ChildProcess(
            folder_ / folder,
            {"/bin/sh", "-c",
             before + "exec '" + test::beside_the_tests("merganser") + "' run '" + scene_file + "' -o '" +
                 output + "' --resolution 0.3 --steps 40 --set simulation.frameRate=400" +
                 " --device cpu --threads " + std::to_string(threads)})
            .wait();
    ASSERT_TRUE(finished.exit_code == 0 || finished.exit_code == 6) << finished.err;
  }
  void expect_same(const std::string& other) {
    const auto a = frames("reference"), b = frames(other);
    ASSERT_GT(a.size(), 2u);
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(test::text_of(a[k]) == test::text_of(b[k])) << b[k];
    EXPECT_EQ(rows("reference"), rows(other));
    EXPECT_EQ(test::text_of(folder_ / "reference/scene.json"),
              test::text_of(folder_ / (other + "/scene.json")));
  }
};

TEST_F(Surroundings, ChangeNothing) {
  run(".", "", file.string(), "reference", 1);
  run(".",
      "umask 077; LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 TZ=Pacific/Auckland LANG=tr_TR.UTF-8; "
      "export LC_ALL LC_NUMERIC TZ LANG; ",
      file.string(), "abroad", 2);
  run("deep/er", "unset LC_ALL LANG TZ HOME; ", std::filesystem::relative(file, folder_ / "deep/er").string(),
      "../../a b", 3);
  for (const char* other : {"abroad", "a b"}) expect_same(other);
}

}  // namespace surroundings_test
}  // namespace merganser
