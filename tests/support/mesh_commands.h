#pragma once
/// Commands that make sequences of meshes from a run: what their folders hold, and how they fail.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/fake_run.h"

namespace merganser::test {

class MeshCommands : public FakeRuns {
 protected:
  /// What a folder holds, in the order of the names.
  std::vector<std::string> names(const std::string& path) {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / path, none))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  int vertices_of(const std::string& ply) {
    const std::string text = text_of(folder_ / ply);
    return std::stoi(text.substr(text.find("element vertex ") + 15));
  }
  /// One line, which holds the words.
  void expect_error(const std::vector<std::string>& arguments, int exit_code, const std::string& words) {
    const Finished run = merganser(arguments);
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    EXPECT_TRUE(run.err.starts_with("merganser: error: ") && contains(run.err, words)) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
};

}  // namespace merganser::test
