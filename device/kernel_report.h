#pragma once
/// Error reports of kernels to the host: one word per condition, holding the smallest particle
/// concerned. The host gets the words once a step and throws with the particle's id, the value and the
/// remedy.
#include <array>

#include "device/array.h"
#include "device/atomics.h"
#include "device/launch.h"
#include "device/results.h"

MERGANSER_BEGIN

enum class Condition : int {
  not_a_number,  ///< a position or velocity is NaN or infinite
  escape,        ///< a particle left the largest extent that coordinates can hold
  overflow,      ///< a fixed buffer was too small; the host grows it and repeats
  count_         ///< number of conditions
};

struct ReportView {
  View<int> first;  ///< per condition: smallest particle index concerned, 0x7fffffff where none
  MERGANSER_METHOD void raise(Condition condition, int particle) const {
    atomic_min(&first[static_cast<int>(condition)], particle);
  }
};

struct ClearReport {
  static constexpr const char* name = "clear report";
  static constexpr int none = 0x7fffffff;
  View<int> words;
  MERGANSER_METHOD void operator()(int i) const { words[i] = none; }
};

class KernelReport {
 public:
  static constexpr int condition_count = static_cast<int>(Condition::count_);

  using Words = std::array<int, condition_count>;

  KernelReport() { clear(); }
  /// For kernels of a launch that follows.
  ReportView view() {
    words_.written();
    return {View<int>(words_.view().data->data(), condition_count)};
  }
  /// Does not wait for the device.
  void clear() { launch(condition_count, ClearReport{view().first}); }
  /// Per condition the smallest particle index for which it was raised, or -1 (one blocking read).
  Words read() const { return indices(words_.read()); }
  /// The same as of the last fetch_results().
  Words fetched() const { return indices(words_.fetched()); }
  /// The same for one condition (blocking read).
  int first(Condition condition) const { return read()[static_cast<size_t>(condition)]; }

 private:
  static Words indices(Words words) {
    for (int& particle : words)
      if (particle == ClearReport::none) particle = -1;
    return words;
  }
  DeviceResult<Words> words_;
};

MERGANSER_END
