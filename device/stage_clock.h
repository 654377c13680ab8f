#pragma once
/// Durations of the stages of a step: on the GPU the device's own time, by events in the stream, which
/// nobody waits for; on the CPU wall time.
#include <memory>
#include <string_view>
#include <vector>

#include "device/backend.h"
#include "device/kernel_profile.h"

MERGANSER_BEGIN

/// A moment in the stream: when all that was launched before it has ended.
class StreamInstant {
 public:
  StreamInstant();
  StreamInstant(StreamInstant&& other) noexcept;
  ~StreamInstant();
  void record();
  /// Both must have passed.
  double milliseconds_since(const StreamInstant& earlier) const;

 private:
  struct Moment;
  std::unique_ptr<Moment> moment_;
};

class StageClock {
 public:
  /// A step begins. Off: nothing is recorded, and stages take no time.
  void start(bool on);
  /// Launches since start() or the last end_of() belong to this stage; a stage may end several
  /// times. `stage` must stay valid.
  void end_of(const char* stage);
  /// Time of a stage [ms], once the host has waited for its end; 0 where it did not come.
  double milliseconds(std::string_view stage) const;

 private:
  void record();

  bool on_ = false;
  std::vector<StreamInstant> instants_;  ///< kept from step to step
  size_t recorded_ = 0;
  std::vector<const char*> stages_;  ///< that end at instants_[1], ...
};

MERGANSER_END
