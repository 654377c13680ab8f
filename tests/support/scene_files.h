#pragma once
/// A small scene as text, changed by replacing pieces of it, and what the reader says to it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/errors.h"
#include "host/scene/scene.h"
#include "tests/support/temporary_folder.h"

namespace merganser::test {

inline const std::string small_scene = R"(// a comment
{
  "title": "small", /* another */
  "simulation": {"particleRadius": 0.05, "endTime": 2, "frameRate": 10},
  "coupling": {"groupLimit": [4, 8]},
  "systems": [
    {"name": "cloth", "type": "massSpring", "bodies": [
      {"name": "sheet", "shape": "sheet", "origin": [0, 0, 0], "edgeU": [1, 0, 0], "edgeV": [0, 1, 0],
       "arealDensity": 2, "stretchStiffness": 100, "pinned": "edges"}]},
    {"name": "water", "type": "sph", "bodies": [
      {"name": "beam", "shape": "box", "start": [0, 0, 0.1], "end": [1, 1, 0.5], "velocity": [0, 0, -1]}]}
  ],
  "walls": [{"shape": "plane", "point": [0, 0, -1], "normal": [0, 0, 2]}],
  "checks": [{"type": "noCrossing", "system": "water", "sheet": "sheet"}]
})";

/// Settings that leave only the fluid of small_scene.
inline const std::vector<std::string> water_alone{
    R"(systems=[{"name": "water", "type": "sph", "bodies": [)"
    R"({"name": "beam", "shape": "box", "start": [0, 0, 0.1], "end": [1, 1, 0.5], "velocity": [0, 0, -1]}]}])",
    "checks=[]"};

class SceneTest : public testing::Test {
 protected:
  /// small_scene with one piece replaced, as a file.
  std::filesystem::path file_with(const std::string& piece, const std::string& replacement,
                                  const std::string& name = "scene.json") {
    std::string text = small_scene;
    const size_t at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    if (at != std::string::npos) text.replace(at, piece.size(), replacement);
    return file(text, name);
  }
  std::filesystem::path file(const std::string& text = small_scene, const std::string& name = "scene.json") {
    write_text(folder_ / name, text);
    return folder_ / name;
  }
  /// What loading and building says, "" where it goes well. Anything but InputError fails the test.
  static std::string message_of(const std::filesystem::path& file, const SceneOverrides& overrides = {}) {
    try {
      build_initial_state(load_scene(file, overrides));
    } catch (const InputError& error) {
      return error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not an InputError: " << error.what();
    }
    return "";
  }
  static std::string message_of_set(const std::filesystem::path& file, const std::string& setting) {
    SceneOverrides overrides;
    overrides.set = {setting};
    return message_of(file, overrides);
  }

  TemporaryFolder folder_;
};

/// Overrides with some of their members set.
template <class Change>
SceneOverrides overrides(const Change& change) {
  SceneOverrides made;
  change(made);
  return made;
}

/// Settings that leave only the fluid, and more.
inline std::vector<std::string> water_alone_and(const std::vector<std::string>& more) {
  std::vector<std::string> all = water_alone;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The text contains all the pieces.
inline void expect_says(const std::string& text, const std::vector<std::string>& pieces) {
  for (const std::string& piece : pieces)
    EXPECT_NE(text.find(piece), std::string::npos) << "no '" << piece << "' in: " << text;
}

}  // namespace merganser::test
