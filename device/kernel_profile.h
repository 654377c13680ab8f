#pragma once
/// Counts and times of launches. Only launch() and the primitives of device/ write here; readers use
/// timers.h.
#include <atomic>

#include "device/backend.h"

MERGANSER_BEGIN

/// Counters of one kernel name. Never moves or dies once made, so launches keep a reference; safe to add to
/// from any thread.
struct KernelCounters {
  explicit KernelCounters(const char* kernel_name) : name(kernel_name) {}
  const char* name;
  std::atomic<long long> launches{0};
  std::atomic<long long> nanoseconds{0};
  /// [ns] what one index costs a thread, a running mean; 0 = not known yet. Decides only whether threads are
  /// worth waking.
  std::atomic<float> index_cost{0};

  void add(long long spent) {
    launches.fetch_add(1, std::memory_order_relaxed);
    nanoseconds.fetch_add(spent, std::memory_order_relaxed);
  }
};

/// Counts of what the host has sent to the device so far, see DeviceTraffic.
struct TrafficCounters {
  std::atomic<long long> kernels{0}, graphs{0}, copies{0}, reads{0}, writes{0}, recordings{0};
};
inline void count_one(std::atomic<long long>& counter, long long more = 1) {
  counter.fetch_add(more, std::memory_order_relaxed);
}
/// Of this process; never destroyed.
TrafficCounters& traffic_counters();

/// The counters of a name, made at its first use. Takes a lock: call it once per launch site and keep the
/// reference.
KernelCounters& kernel_counters(const char* name);

/// Steady clock [ns].
long long now_nanoseconds();

MERGANSER_END
