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
/// Stage timers wait for the device, so that stages have their own time and not the host's for launching.
void set_stage_waits(bool on);
bool stage_waits();
/// Whether launch graphs replay (as a run does) or do their work launch by launch, so that kernel timing sees
/// it.
void set_launch_graphs(bool on);
bool launch_graphs();

/// Since start; see device_traffic.h.
DeviceTraffic device_traffic();

/// Wall time spent between construction and stop(), added to a stage by name. On the GPU the stream is
/// waited for only while stage_waits(), so stage times without it are the times the host needed to launch.
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
