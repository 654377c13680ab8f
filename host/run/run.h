#pragma once
/// merganser run: from a scene to a folder of results, with checkpoints, resume and exit codes.
#include <optional>

#include "host/services.h"

namespace merganser {

struct RunOptions {
  std::filesystem::path scene;   ///< a scene file; with resume also a run's folder
  std::filesystem::path output;  ///< empty = runs/<scene name>
  SceneOverrides overrides;
  std::string
      from;  ///< frame or folder of a run whose particles a new run starts with; "" = those of the scene
  std::optional<long long> steps;  ///< stop after this many steps, counted from the start of the run
  std::string device = "auto";
  int threads = 0;                ///< 0 = all
  double checkpoint_every = 300;  ///< [s] wall time; 0 = only at the end
  double max_wall_time = 0;       ///< [s]; 0 = none
  bool resume = false;
  bool overwrite = false;
  bool quiet = false;
};

/// Exit code when a signal or the wall-time limit has stopped a run.
inline constexpr int stopped_exit_code = 75;
/// Exit code when a run is done but a check of its scene has failed.
inline constexpr int failed_check_exit_code = 6;

/// Returns 0 (done), 6 (done, a check failed) or 75 (stopped, to be resumed). Throws Error for all else,
/// after the summary has been written.
int run(const RunOptions& options, const Services& services);

}  // namespace merganser
