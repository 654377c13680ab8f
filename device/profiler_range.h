#pragma once
/// A named range in the timeline of NVIDIA's profilers: NVTX, a header of the CUDA Toolkit without a library,
/// which does nothing where no profiler listens. Nothing at all in the other builds.
#include "device/backend.h"

#if MERGANSER_COMPILED_BY_NVCC
#include <nvtx3/nvToolsExt.h>
#endif

MERGANSER_BEGIN

/// Lasts as long as the object.
class ProfilerRange {
 public:
#if MERGANSER_COMPILED_BY_NVCC
  explicit ProfilerRange(const char* name) { nvtxRangePushA(name); }
  ~ProfilerRange() { nvtxRangePop(); }
#else
  explicit ProfilerRange(const char*) {}
#endif
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

MERGANSER_END
