#pragma once
/// The order in which a launch visits its indices, to find kernels whose result depends on it: no launch may.
/// Obeyed by the OpenMP half and by the emulated GPU half; a GPU orders its threads itself. A reduction
/// visits its chunks (and, emulated, the lanes of a block) in this order and adds them up as ever.
#include <string>

#include "device/backend.h"

MERGANSER_BEGIN

/// "ascending" (each half's own way, the fastest), "reversed" or "shuffled:SEED" with an integer SEED, for
/// all launches from now on. At the start MERGANSER_LAUNCH_ORDER decides, else "ascending". Throws InputError
/// for other words.
void set_launch_order(const std::string& order);

/// The order of one launch; every launch of a shuffled order has another one.
class IndexOrder {
 public:
  explicit IndexOrder(int count);
  bool ascending() const { return kind_ == Kind::ascending; }
  /// The index that comes as number k, k in [0, count).
  int operator()(int k) const {
    return kind_ == Kind::ascending ? k : kind_ == Kind::reversed ? count_ - 1 - k : shuffled(k);
  }

 private:
  friend void set_launch_order(const std::string& order);
  enum class Kind { ascending, reversed, shuffled };
  struct Setting {
    Kind kind;
    unsigned long long seed;
  };
  static Setting& setting();
  static Setting parse(const std::string& words, const std::string& where);
  int shuffled(int k) const;

  Kind kind_;
  int count_;
  int half_bits_ = 0;  ///< of a number below the power of four that covers the count
  unsigned long long key_ = 0;
};

MERGANSER_END
