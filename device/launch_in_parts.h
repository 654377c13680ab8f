#pragma once
/// launch_in_parts(count, functor): launch() for work of seconds and more, which somebody may want to end, or
/// to follow.
#include <algorithm>
#include <functional>
#include <utility>

#include "device/kernel_profile.h"
#include "device/launch.h"

#if !MERGANSER_GPU_HALF
#include <omp.h>
#endif

MERGANSER_BEGIN

/// Progress of a launch in parts.
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

/// Indices that keep a device busy: a chunk of launch() for each thread, some blocks of a GPU.
inline int least_part() {
#if MERGANSER_GPU_HALF
  return 1024;
#else
  return 64 * omp_get_max_threads();
#endif
}

/// One launch where no BetweenParts lives. Otherwise blocking, in parts of 10 to 40 ms once the first ones
/// have told how long they take: short, for the next indices may take a hundred times as long (of the table
/// of a wall, those that look through a sheet take milliseconds each). Parts are multiples of 64 indices, as
/// the chunks of launch(), so that vector loops cover the same indices in either way and the bits are the
/// same.
template <class Functor>
void launch_in_parts(int count, const Functor& functor) {
  const BetweenParts* between = BetweenParts::innermost();
  if (!between) return launch(count, FromIndex<Functor>{functor, 0});
  constexpr long long short_time = 10'000'000, long_time = 4 * short_time;  // [ns]
  constexpr int most = 1 << 28;
  const int least = least_part();
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
