#pragma once
/// Stage timers and the per-kernel profile.
#include <map>
#include <string>

#include "device/backend.h"
#include "device/device_traffic.h"

MERGANSER_BEGIN

/// Wall time of one kernel name over all its launches.
struct KernelTime {
  long long launches = 0;
  double milliseconds = 0;
};
/// The profile since start or the last reset; kernels of one name share an entry. On the GPU kernels are
/// timed only while kernel timing is on; launches are always counted, but for those that a launch graph
/// replays.
std::map<std::string, KernelTime> kernel_profile();
void reset_kernel_profile();

/// Each kernel is timed by events and waited for. Off at first, as all that a run does not do.
void set_kernel_timing(bool on);
bool kernel_timing();
/// True: launch graphs replay, as in a run; false: they do their work launch by launch, so that timing sees
/// it.
void set_launch_graphs(bool on);
bool launch_graphs();

/// Since start; see device_traffic.h.
DeviceTraffic device_traffic();

/// The host's wall time between construction and stop(), added to a stage by name. Where the stage does not
/// wait for the GPU that is the time to launch; StageClock (stage_clock.h) has the GPU's own.
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
