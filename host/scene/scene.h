#pragma once
/// Scene files: JSON with comments -> plain parameters. Every wrong key, type, range or missing file is an
/// InputError that names the key path and what is allowed.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "solvers/core/initial_state.h"

namespace merganser {

/// A statement about the whole run that is evaluated at its end and reported in summary.json.
struct CheckParameters {
  /// Keys of scenes and what they are bound to, one table a type: "check.noCrossing", ...
  static const std::vector<ParameterTable>& tables();
  std::string type = {};    ///< see Checks
  std::string system = {};  ///< noCrossing, reportCrossings: whose particles
  std::string sheet = {};   ///< noCrossing, reportCrossings: body name
  double limit = 0;         ///< greatest value that passes; of breaks and travels the least
  std::string body = {};    ///< travels, returnsToShape, sameMotion, noLinks: body name
  std::string other = {};   ///< sameMotion: its copy; noLinks: the other body
};

/// What the command line changes in a scene before it is checked; the command line wins.
struct SceneOverrides {
  std::optional<double> resolution;  ///< 1 = the spacing of the scene, 0.5 = twice the spacing
  std::vector<std::string>
      set;  ///< "path.to.key=VALUE", VALUE is JSON or a bare string; list elements by index or name
  std::optional<std::uint32_t> seed;
  std::optional<double> end_time;   ///< [s]
  std::optional<long long> frames;  ///< end after so many frames
};

struct Scene : SimulationParameters {
  /// Keys of the scene itself.
  static const ParameterTable& table();
  std::string title;
  std::filesystem::path file;  ///< where it came from
  std::vector<CheckParameters> checks;
  std::string
      resolved_json;  ///< the whole scene with all defaults filled in; loading it gives the same scene
};

/// Reads, overrides and checks a scene file. Throws InputError.
Scene load_scene(const std::filesystem::path& file, const SceneOverrides& overrides = {});
/// Samples the bodies at the scene's resolution. Throws InputError (missing or open mesh, empty body, too
/// many particles).
InitialState build_initial_state(const Scene& scene);
/// The JSON Schema of scene files.
std::string scene_schema();

}  // namespace merganser
