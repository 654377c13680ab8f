#pragma once
/// Meshes of a run's frames, one file a frame: surfaces of its fluids, skins of its solids.
#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/output/exporters.h"
#include "host/output/run_frames.h"
#include "host/run/progress.h"
#include "host/run/run_folder.h"

namespace merganser {

/// What the commands for surfaces and for skins have in common.
struct SequenceOptions {
  std::filesystem::path run;     ///< folder that `merganser run` wrote
  std::filesystem::path output;  ///< folder; empty = DIR/surface or DIR/skin
  std::string frames;            ///< "A:B", "A:", ":B" or "N"; empty = all
  std::string format = "ply";    ///< word of a MeshExporter
  std::string device = "auto";
  int threads = 0;  ///< 0 = all
  bool overwrite = false, quiet = false;
};

/// Frames first to last of a range as the command line writes it. Throws InputError.
struct FrameRange {
  int first = 0, last = 0x7fffffff;
  bool holds(int number) const { return number >= first && number <= last; }
};
FrameRange parse_frame_range(const std::string& text);

/// The frames of a run, how many of them are in the range, and which numbers of it have none though there
/// are later frames: "2, 5 to 7".
struct AskedFrames {
  FrameRange range;
  std::vector<FrameFile> files;
  size_t count = 0;
  std::string missing = "";
};
/// `range`: of options.frames. Throws InputError where the run has no frames or the range holds none of them.
AskedFrames asked_frames(const SequenceOptions& options, const FrameRange& range);

/// Text of what was made and with which options; a path in it may be no UTF-8.
std::string json_text(const nlohmann::ordered_json& json);

/// The line that says how far the work is; on a terminal it renews itself.
class SequenceProgress {
 public:
  explicit SequenceProgress(bool quiet) : mode_(Progress::mode_of_stderr(quiet)) {}
  ~SequenceProgress() { clear(); }
  void update(size_t done, size_t frames, size_t made, size_t triangles);
  void say(const std::string& text);
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  void clear();
  Progress::Mode mode_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
};

/// The files of a sequence in their folder, which belongs to this process while it lives.
class MeshSequence {
 public:
  /// Creates and locks the folder and removes what a killed command left half-written. `kind`: see
  /// own_files.h. `wanted`: what makes one sequence differ from another, apart from the run; it is kept
  /// beside the meshes, so that none is mixed from two. Throws FileError, and InputError where another
  /// process has the folder or it holds meshes made in another way.
  MeshSequence(std::string kind, const SequenceOptions& options, nlohmann::ordered_json wanted);

  const std::filesystem::path& folder() const { return folder_; }
  void say(const std::string& text) { progress_.say(text); }
  /// A further file of a frame, in another format than that of the sequence; `end`: see mesh_name().
  void write_beside(int frame, const std::string& end, const std::vector<char>& bytes) const;

  struct Counts {
    size_t made = 0, there = 0;
  };
  /// Writes the meshes of the asked frames, but for those that are there already, and their list; then it
  /// says what was made, and first which asked frames are missing. The other frames up to the last asked one
  /// go through `pass`. Throws what these throw, and FileError.
  Counts write(const AskedFrames& frames, const std::function<SurfaceFrame(const FrameFile&)>& make,
               const std::function<void(const FrameFile&)>& pass);

 private:
  std::filesystem::path file(int frame) const;
  bool holds(int frame) const;
  void claim(const std::string& wanted) const;
  void write_series(const std::vector<FrameFile>& frames) const;

  std::string kind_;
  std::filesystem::path folder_;
  const MeshExporter& format_;
  bool overwrite_;
  FolderLock lock_;
  SequenceProgress progress_;
};

}  // namespace merganser
