#pragma once
/// launch(count, functor): runs functor(i) for i in [0, count), in any order, and names, times and checks it.
///
/// A functor is a named struct with `static constexpr const char* name`, const input views, output views and
/// `MERGANSER_METHOD void operator()(int i) const`. It gathers and writes only what belongs to index i, so
/// the result is the same for any number of threads.
#include "device/array.h"
#include "device/backend.h"

#if MERGANSER_COMPILED_BY_NVCC
#include "device/cuda/launch.h"
#elif MERGANSER_GPU_HALF
#include "device/emulated/launch.h"
#else
#include "device/openmp/launch.h"
#endif
