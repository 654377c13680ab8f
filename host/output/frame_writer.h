#pragma once
/// The frames of a run, as VTKHDF files.
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "host/files/atomic_file.h"
#include "host/simulation/simulation.h"

namespace merganser {

/// The bytes of one file. Equal frames give equal bytes.
std::vector<char> encode_frame(const FrameData& frame);

/// Writes frames/frame_NNNNNN.vtkhdf and keeps frames/frames.vtkhdf.series, the list of frames with their
/// times, up to date. Every file appears under its name only when it is complete.
///
/// A thread of its own makes and writes the frames, in order, while the run goes on. After its first error it
/// writes no more; that error is thrown by every later call but unwritten() and the destructor.
class FrameWriter {
 public:
  /// `times` [s] of the frames 0, 1, ... that a resumed run has already written; `in_place` throws where the
  /// folder is another one by now.
  FrameWriter(const std::filesystem::path& run_folder, std::vector<double> times, InPlace in_place = {});
  /// Writes what waits.
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  /// Waits until fewer than `most_waiting` frames are not written yet.
  void wait_for_room();
  /// The next frame, of this time [s]; without waiting.
  void write(double time, std::function<FrameData()> frame);
  /// The same of the bytes that unwritten() gave.
  void write(double time, std::vector<char> bytes);
  /// Waits until all are on the disk.
  void finish();

  /// Frames that were handed over.
  int count() const { return handed_over_; }
  /// Of them, those that are on the disk.
  int written() const;
  bool failed() const;
  /// Whether the disk and the limit of a file's size leave so much room that frames will hardly fail: several
  /// times the last one. False before the first.
  bool has_room() const;
  /// [s] that the frames which wait will take, by the last one.
  double seconds_left() const;
  /// After an error: the bytes of the frames that are not on the disk. Throws where they cannot be made.
  std::vector<std::vector<char>> unwritten();
  /// Numbers, in order, of frames that were written earlier and are not there, or not whole; the series
  /// leaves them out.
  const std::vector<int>& missing() const { return missing_; }

 private:
  static constexpr size_t most_waiting = 2;  ///< each is a copy of the particles on the host
  struct Frame {
    double time;  ///< [s]
    std::function<std::vector<char>()> bytes;
  };
  using Lock = std::unique_lock<std::mutex>;
  void hand_over(Frame frame);
  void work();
  void write_file(const Frame& frame);
  void write_series() const;
  void wait(size_t most_left);
  const std::filesystem::path folder_;
  const InPlace in_place_;
  std::vector<int> missing_;
  int handed_over_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> waiting_;  ///< the first one is being written, or has failed
  std::vector<double> times_;  ///< [s] of the frames on the disk; only the thread changes them
  double seconds_ = 0;         ///< of the last frame
  size_t bytes_ = 0;           ///< of the last frame
  std::exception_ptr error_;
  bool ending_ = false;
  std::thread thread_;  ///< from the first frame on
};

}  // namespace merganser
