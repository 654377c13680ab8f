#pragma once
/// launch_in_parts(count, functor): launch() for work of seconds and more, which somebody may want to end, or
/// to follow.
#include <algorithm>
#include <functional>
#include <utility>

#include "device/kernel_profile.h"
#include "device/launch.h"

MERGANSER_BEGIN

/// How far a launch in parts has come.
struct LaunchedPart {
  const char* name;  ///< of the kernel
  int done, count;   ///< indices
};

/// Calls `then` after each part of this thread's launches in parts, while it lives; the innermost one where
/// there are several. What `then` throws ends the launch; its outputs are incomplete.
class BetweenParts {
 public:
  using Then = std::function<void(const LaunchedPart&)>;
  explicit BetweenParts(Then then) : then_(std::move(then)), outer_(innermost()) { innermost() = this; }
  ~BetweenParts() { innermost() = outer_; }
  BetweenParts(const BetweenParts&) = delete;
  BetweenParts& operator=(const BetweenParts&) = delete;

  void operator()(const LaunchedPart& part) const { then_(part); }
  static const BetweenParts*& innermost() {
    thread_local const BetweenParts* of_thread = nullptr;
    return of_thread;
  }

 private:
  Then then_;
  const BetweenParts* outer_;
};

/// The indices from `first` on.
template <class Functor>
struct FromIndex {
  static constexpr const char* name = Functor::name;
  Functor functor;
  int first;
  MERGANSER_METHOD void operator()(int i) const { functor(first + i); }
};

/// One launch where no BetweenParts lives. Otherwise blocking, in parts of a twentieth to a fifth of a second
/// once the first ones have told how long they take. Parts are multiples of 64 indices, as the chunks of
/// launch(), so that vector loops cover the same indices in either way and the bits are the same.
template <class Functor>
void launch_in_parts(int count, const Functor& functor) {
  const BetweenParts* between = BetweenParts::innermost();
  if (!between) return launch(count, FromIndex<Functor>{functor, 0});
  constexpr long long short_time = 50'000'000, long_time = 4 * short_time;  // [ns]
  constexpr int least = 1024, most = 1 << 28;
  int part = 4 * least;
  for (int done = 0; done < count;) {
    const int now = std::min(part, count - done);
    const long long start = now_nanoseconds();
    launch(now, FromIndex<Functor>{functor, done});
    synchronize();
    const long long spent = now_nanoseconds() - start;
    if (spent < short_time) part = std::min(2 * part, most);
    if (spent > long_time) part = std::max(part / 2, least);
    done += now;
    (*between)({Functor::name, done, count});
  }
}

MERGANSER_END
