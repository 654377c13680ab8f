#pragma once
/// The scenes that ship, as parameters of tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "host/scene/scene.h"
#include "tests/support/source_folder.h"

namespace merganser::test {

/// Below scenes/, such as "demos/dam_break.json".
inline std::vector<std::string> scene_files() {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() / "scenes"))
    if (entry.path().extension() == ".json")
      files.push_back(fs::relative(entry.path(), source_folder() / "scenes").string());
  std::sort(files.begin(), files.end());
  return files;
}

/// A resolution of about a thousand particles. [TN] Fig. 8 has few particles as it is, and with fewer its
/// pieces would touch.
inline double low_resolution(const std::string& file) {
  return file.find("fig08_table") != std::string::npos ? 1 : 0.14;
}

/// What a scene file starts with at low resolution (or at a given one), with some of its keys changed
/// ("coupling.alpha=0").
inline InitialState small_initial_state(const std::string& file, const std::vector<std::string>& changes = {},
                                        double resolution = 0) {
  SceneOverrides overrides;
  overrides.set = changes;
  overrides.resolution = resolution > 0 ? resolution : low_resolution(file);
  return build_initial_state(load_scene(source_folder() / "scenes" / file, overrides));
}

inline std::string scene_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

}  // namespace merganser::test
