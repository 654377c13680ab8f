#pragma once
/// Meshes of a run's frames, one file a frame: surfaces of its fluids, skins of its solids.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "host/output/exporters.h"
#include "host/output/run_frames.h"
#include "host/run/progress.h"

namespace merganser {

/// Frames first to last of a range as the command line writes it. Throws InputError.
struct FrameRange {
  int first = 0, last = 0x7fffffff;
  bool holds(int number) const { return number >= first && number <= last; }
};
FrameRange parse_frame_range(const std::string& text);
/// How many frames are in the range that `text` says. Throws InputError where it holds none of them.
size_t count_frames(const std::vector<FrameFile>& frames, const FrameRange& range, const std::string& text);

/// The files of a sequence in its folder.
struct MeshSequence {
  std::string kind;  ///< see own_files.h
  std::filesystem::path folder;
  const MeshExporter& format;
  bool overwrite = false;

  std::filesystem::path file(int frame) const;
  /// Whether the frame has a mesh that stays. Throws FileError where something else has its name.
  bool holds(int frame) const;
  /// Keeps what makes one sequence differ from another, so that none is mixed from two. Throws InputError
  /// where the folder holds meshes made in another way.
  void claim_options(const std::string& wanted) const;
  void write(int frame, const SurfaceFrame& mesh) const;
  /// The list of those of `frames` that have a mesh; for formats without one nothing.
  void write_series(const std::vector<FrameFile>& frames) const;
};

/// The line that says how far the work is; on a terminal it renews itself.
class SequenceProgress {
 public:
  SequenceProgress(bool quiet, size_t frames) : mode_(Progress::mode_of_stderr(quiet)), frames_(frames) {}
  ~SequenceProgress() { clear(); }
  void update(size_t done, size_t made, size_t triangles);
  void say(const std::string& text);
  /// What was made, at the end.
  void say_finished(const MeshSequence& sequence, size_t done, size_t made);

 private:
  using Clock = std::chrono::steady_clock;
  void clear();
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  Progress::Mode mode_;
  size_t frames_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace merganser
