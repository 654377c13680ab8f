#pragma once
/// Scenes from files, as states and in their resolved form.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/scene/scene_report.h"
#include "tests/support/scene_files.h"
#include "tests/support/source_folder.h"

namespace merganser::test {

inline const std::filesystem::path scenes_folder = source_folder() / "scenes";

class SceneFile : public SceneTest {
 protected:
  static InitialState state_of(const std::filesystem::path& file, const SceneOverrides& changed = {}) {
    return build_initial_state(load_scene(file, changed));
  }
  static nlohmann::json resolved(const std::filesystem::path& file, const SceneOverrides& changed = {}) {
    return nlohmann::json::parse(load_scene(file, changed).resolved_json);
  }
};

}  // namespace merganser::test
