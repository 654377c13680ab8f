#pragma once
/// How kernels tell the host that something is wrong: one word per condition, holding the smallest particle concerned.
/// The host reads the words once a step and throws with the particle's id, the value and the remedy.
#include "device/array.h"
#include "device/atomics.h"

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

class KernelReport {
 public:
  KernelReport() { clear(); }
  ReportView view() { return {words_.view()}; }
  void clear() { words_.assign(std::vector<int>(static_cast<size_t>(Condition::count_), none)); }
  /// Smallest particle index for which the condition was raised, or -1 (blocking read).
  int first(Condition condition) const {
    const int particle = read_back(words_.const_view(), static_cast<int>(condition));
    return particle == none ? -1 : particle;
  }

 private:
  static constexpr int none = 0x7fffffff;
  Array<int> words_;
};

MERGANSER_END
