#pragma once
/// Stage timers and the per-kernel profile.
#include <map>
#include <string>

#include "device/backend.h"

MERGANSER_BEGIN

/// Wall time of one kernel name over all its launches.
struct KernelTime {
  long long launches = 0;
  double milliseconds = 0;
};
/// The profile since start or the last reset; kernels of one name share an entry. On the GPU kernels are
/// timed (with events, which serialises them) only while profiling is on; launches are always counted.
std::map<std::string, KernelTime> kernel_profile();
void reset_kernel_profile();
void set_profiling(bool on);
bool profiling();

/// Wall time spent between construction and stop(), added to a stage by name. On the GPU the stream is
/// synchronised only while profiling is on, so stage times without it are the times the host needed to
/// launch.
class StageTimer {
 public:
  StageTimer(std::map<std::string, double>& milliseconds_per_stage, std::string stage);
  ~StageTimer() { stop(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  void stop();

 private:
  std::map<std::string, double>& stages_;
  std::string stage_;
  double start_;
  bool running_ = true;
};

MERGANSER_END
