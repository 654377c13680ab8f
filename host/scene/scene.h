#pragma once
/// Scene files: JSON with comments -> plain parameters. Every wrong key, type, range or missing file is an
/// InputError that names the key path and what is allowed.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/checks/check_types.h"
#include "host/scene/taken_particles.h"
#include "solvers/core/initial_state.h"
#include "solvers/geometry/relaxation/relaxed_sampling.h"
#include "solvers/geometry/sampling/skin_body.h"

namespace merganser {

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
/// How the particles of bodies with "sampling": "relaxed" are made: always on the CPU, so that a scene has
/// the same particles on every device.
struct BuildOptions {
  int threads = 0;              ///< 0 = all
  double most_relaxed = 1e300;  ///< beyond so many particles in all, bodies keep those that they start with
  OnRelaxation progress = {};
  StopAsked stop = {};  ///< while particles are relaxed
  /// Told the name of each body whose particles stay where they start.
  std::function<void(const std::string& body)> unrelaxed = {};
  const TakenParticles* taken = nullptr;  ///< in the place of those of bodies that it holds
};
/// Samples the bodies at the scene's resolution. Throws InputError (missing or open mesh, empty body, too
/// many particles) and RelaxationStopped.
InitialState build_initial_state(const Scene& scene, const BuildOptions& options = {});
/// What the surfaces of the scene's solid bodies need to follow its particles. Reads the meshes of bodies
/// again. Throws InputError.
SkinRecord skin_record(const Scene& scene, const InitialState& state);
/// The JSON Schema of scene files.
std::string scene_schema();

}  // namespace merganser
