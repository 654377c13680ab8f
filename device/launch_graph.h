#pragma once
/// Sequences of launches that come again and again, recorded once and replayed as a whole: on the GPU one
/// CUDA graph, which spares the host's time a launch; on the CPU nothing is recorded.
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "device/launch.h"
#include "device/timers.h"

MERGANSER_BEGIN

/// Everything the sequence depends on: addresses and sizes of what its kernels read and write, and every
/// number that they take by value.
using LaunchKey = std::vector<const void*>;
/// Adds a number to a key, bit by bit.
template <class Number>
void add_to_key(LaunchKey& key, Number number) {
  static_assert(std::is_arithmetic_v<Number> && sizeof number <= sizeof(const void*));
  std::uintptr_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  key.push_back(reinterpret_cast<const void*>(bits));
}
template <class T>
void add_to_key(LaunchKey& key, View<T> view) {
  key.push_back(view.data);
  add_to_key(key, view.count);
}

#if MERGANSER_GPU_HALF
#if MERGANSER_COMPILED_BY_NVCC
using RecordedGraph = cudaGraphExec_t;
#else
using RecordedGraph = Recording*;
#endif

class LaunchGraph {
 public:
  LaunchGraph() = default;
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;
  ~LaunchGraph() { clear(); }

  /// Does what work() does; work() only launches kernels (no allocation, no copy to or from the host) and is
  /// not called where the same key was recorded before (emulated it is, to hold the key to what it promises).
  /// A key's first use is plain, for a kernel that has to be loaded first must not be captured; the second is
  /// recorded. Kernels of a replay are not counted in the profile. Where work() runs graphs of its own, their
  /// launches become part of the outermost recording, whose key has to tell what they depend on.
  template <class Work>
  void run(const LaunchKey& key, const Work& work) {
    if (!launch_graphs() || recording()) return work();
    for (const Recorded& recorded : recorded_)
      if (recorded.key == key) {
#if !MERGANSER_COMPILED_BY_NVCC
        record(work);
        expect_same(recorded.graph);
#endif
        return replay(recorded.graph);
      }
    if (first_use(key)) return work();
    record(work);
    count_one(traffic_counters().recordings);
    replay(end(key));
  }

 private:
  /// True for a new key, which is remembered.
  bool first_use(const LaunchKey& key) {
    for (const LaunchKey& used : used_)
      if (used == key) return false;
    if (used_.size() == most_recorded) used_.erase(used_.begin());
    used_.push_back(key);
    return true;
  }
  struct Recorded {
    LaunchKey key;
    RecordedGraph graph;
  };
  static constexpr size_t most_recorded = 8;
  template <class Work>
  void record(const Work& work) {
    begin();
    try {
      work();
    } catch (...) {
      abandon();
      throw;
    }
  }
  void begin();
  void abandon();
  RecordedGraph end(const LaunchKey& key);
  void replay(RecordedGraph graph);
#if !MERGANSER_COMPILED_BY_NVCC
  /// Emulated: ends a second recording and throws DeviceError where its launches are not those of the first.
  void expect_same(const Recording* recorded);
#endif
  void clear();

  std::vector<LaunchKey> used_;  ///< keys of the last plain uses
  std::vector<Recorded> recorded_;
};
#else
class LaunchGraph {
 public:
  template <class Work>
  void run(const LaunchKey&, const Work& work) {
    work();
  }
};
#endif

MERGANSER_END
