#pragma once
/// How kernels tell the host that something is wrong: one word per condition, holding the smallest particle concerned.
/// The host reads the words once a step and throws with the particle's id, the value and the remedy.
#include <array>

#include "device/array.h"
#include "device/atomics.h"
#include "device/launch.h"

MERGANSER_BEGIN

enum class Condition : int {
  not_a_number,    ///< a position or velocity is NaN or infinite
  escape,          ///< a particle left the largest extent that coordinates can hold
  overflow,        ///< a fixed buffer was too small; the host grows it and repeats
  count_           ///< number of conditions
};

struct ReportView {
  View<int> first;  ///< per condition: smallest particle index concerned, 0x7fffffff where none
  MERGANSER_METHOD void raise(Condition condition, int particle) const {
    atomic_min(&first[static_cast<int>(condition)], particle);
  }
};

/// Sets every condition to "not raised". Outside the class: nvcc takes no private types as kernel arguments.
struct ClearReport {
  static constexpr const char* name = "clear report";
  static constexpr int none = 0x7fffffff;
  View<int> words;
  MERGANSER_METHOD void operator()(int i) const { words[i] = none; }
};

class KernelReport {
 public:
  static constexpr int condition_count = static_cast<int>(Condition::count_);

  KernelReport() : words_(condition_count) { clear(); }
  ReportView view() { return {words_.view()}; }
  /// Does not wait for the device.
  void clear() { launch(condition_count, ClearReport{words_.view()}); }
  /// Per condition the smallest particle index for which it was raised, or -1 (one blocking read).
  std::array<int, condition_count> read() const {
    std::array<int, condition_count> first;
    copy_to_host(first.data(), words_.data(), sizeof first);
    for (int& particle : first)
      if (particle == none) particle = -1;
    return first;
  }
  /// The same for one condition (blocking read).
  int first(Condition condition) const { return read()[static_cast<size_t>(condition)]; }

 private:
  static constexpr int none = ClearReport::none;
  Array<int> words_;
};

MERGANSER_END
