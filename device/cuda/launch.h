#pragma once
/// launch() on the GPU: one thread an index.
#include <cuda_runtime.h>

#include "device/backend.h"
#include "device/kernel_profile.h"

MERGANSER_BEGIN

/// The stream that every kernel and copy of this process runs on. It and the timing events live until the
/// process ends: the driver may be gone before the last destructor runs, so nothing here is destroyed by
/// hand.
cudaStream_t stream();
/// Throws DeviceError with the CUDA error's text; `what` names the call or kernel.
void check_cuda(cudaError_t result, const char* what);
/// Called around every launch: counts it, times it while kernel timing is on, and throws DeviceError where it
/// failed. `kernels`: how many the launch consists of.
void before_launch();
void after_launch(KernelCounters& kernel, int kernels = 1);
/// True while a launch graph is being recorded: then nothing is counted, timed, waited for or allocated.
bool recording();
void set_recording(bool on);

template <class Functor>
__global__ void __launch_bounds__(128) run_functor(int count, const __grid_constant__ Functor functor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) functor(i);
}

template <class Functor>
void launch(int count, const Functor& functor) {
  if (count <= 0) return;
  constexpr int block = 128;
  static KernelCounters& kernel = kernel_counters(Functor::name);
  before_launch();
  run_functor<<<(count - 1) / block + 1, block, 0, stream()>>>(count, functor);
  after_launch(kernel);
}

MERGANSER_END
