#pragma once
/// The frames of a run, as VTKHDF files.
#include <filesystem>
#include <vector>

#include "host/files/atomic_file.h"
#include "host/simulation/simulation.h"

namespace merganser {

/// The bytes of one file. Equal frames give equal bytes.
std::vector<char> encode_frame(const FrameData& frame);

/// Writes frames/frame_NNNNNN.vtkhdf and keeps frames/frames.vtkhdf.series, the list of frames with their
/// times, up to date. Every file appears under its name only when it is complete.
class FrameWriter {
 public:
  /// `times` [s] of the frames 0, 1, ... that a resumed run has already written; `in_place` throws where the
  /// folder is another one by now.
  FrameWriter(const std::filesystem::path& run_folder, std::vector<double> times, InPlace in_place = {});
  /// Throws FileError; the frame is then not there and not in the series.
  void write(const FrameData& frame);
  int count() const { return static_cast<int>(times_.size()); }
  /// Numbers, in order, of frames that were written earlier and are not there; the series leaves them out.
  const std::vector<int>& missing() const { return missing_; }

 private:
  void write_series() const;
  std::filesystem::path folder_;
  std::vector<double> times_;  ///< [s]
  InPlace in_place_;
  std::vector<int> missing_;
};

}  // namespace merganser
