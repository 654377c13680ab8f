#pragma once
/// Start of a run: a scene and its folder, or the checkpoint of an earlier run.
#include <memory>
#include <optional>

#include "host/run/checkpoint.h"
#include "host/run/run.h"
#include "host/run/run_folder.h"
#include "host/scene/taken_particles.h"

namespace merganser {

/// When a run is done: at a time or after a number of steps, whichever comes first.
struct RunGoal {
  double end_time = 0;   ///< [s]
  long long steps = -1;  ///< -1 = no limit
  bool reached(double time, long long step) const {
    return time >= end_time || (steps >= 0 && step >= steps);
  }
};

/// Frames lie at k / rate exactly.
struct FrameClock {
  double rate = 50;  ///< [1/s]
  double time_of(int frame) const { return frame / rate; }
  /// Frames 0 to last_before(t) are due at time t.
  int last_before(double time) const;
  /// The time of a frame where `time` is that but for rounding, else `time`.
  double snap(double time) const;
};

struct RunStart {
  RunFolder folder;
  Scene scene;
  std::string scene_text;                     ///< of the folder's scene.json
  std::optional<FoundCheckpoint> checkpoint;  ///< empty = from the beginning
  std::optional<TakenParticles> taken;        ///< of another run, at the beginning
  RunGoal goal;
  FrameClock frames;
  std::vector<std::string> notes, warnings;
  std::vector<std::string> about_scene;  ///< warnings that no session but the first says
  std::unique_ptr<FolderLock> lock;      ///< of a folder that is there already
  int frames_written() const;
  /// Nothing is left to do.
  bool finished() const;
};

/// Finds out where to start; of a new run it changes nothing on the disk, of a resumed one it clears away
/// what a kill has left. Throws InputError where something is in the way of a new run
/// (run_folder_contents.h), or where a resumed run is asked for other parameters; FileError where its
/// checkpoints are gone.
RunStart find_start(const RunOptions& options, const Services& services);
/// Creates, locks and, for a new run, clears the folder of an earlier one and writes scene.json.
void claim_folder(RunStart& start, const RunOptions& options);

}  // namespace merganser
