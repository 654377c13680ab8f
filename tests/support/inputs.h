#pragma once
/// The files of tests/inputs.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/source_folder.h"

namespace merganser::test {

/// Of one of its folders, such as "meshes/closed", by name.
inline std::vector<std::filesystem::path> inputs(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "tests/inputs" / folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace merganser::test
