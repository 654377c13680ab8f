#pragma once
/// launch() on the CPU: fixed-size chunks handed to OpenMP threads on demand.
///
/// Chunks do not depend on the number of threads, so vectorised loop bodies and their remainders cover the same indices
/// in every run. They are handed out dynamically, so a core that a foreign process keeps busy delays one chunk only.
#include <algorithm>

#include "device/backend.h"

MERGANSER_BEGIN

/// Adds the time since construction to the profile of a kernel name.
class LaunchClock {
 public:
  explicit LaunchClock(const char* name);
  ~LaunchClock();

 private:
  const char* name_;
  double start_;
};

template <class Functor>
void launch(int count, const Functor& functor) {
  if (count <= 0) return;
  constexpr int chunk = 256;
  LaunchClock clock(Functor::name);
  const int chunks = (count + chunk - 1) / chunk;
  if (chunks <= 8) {  // waking threads costs more than so little work
    for (int i = 0; i < count; ++i) functor(i);
    return;
  }
#pragma omp parallel for schedule(dynamic, 4)
  for (int c = 0; c < chunks; ++c) {
    const int end = std::min(count, (c + 1) * chunk);
    for (int i = c * chunk; i < end; ++i) functor(i);
  }
}

MERGANSER_END
