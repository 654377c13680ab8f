#pragma once
/// launch() on the GPU: one thread an index.
#include <cuda_runtime.h>

#include "device/backend.h"

MERGANSER_BEGIN

/// The stream that every kernel and copy of this process runs on.
cudaStream_t stream();
/// Throws DeviceError with the CUDA error's text; `what` names the call or kernel.
void check_cuda(cudaError_t result, const char* what);
/// Called around every launch: counts it, and times it while profiling is on.
void before_launch(const char* name);
void after_launch(const char* name);

template <class Functor>
__global__ void __launch_bounds__(128) run_functor(int count, const __grid_constant__ Functor functor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) functor(i);
}

template <class Functor>
void launch(int count, const Functor& functor) {
  if (count <= 0) return;
  constexpr int block = 128;
  before_launch(Functor::name);
  run_functor<<<(count + block - 1) / block, block, 0, stream()>>>(count, functor);
  after_launch(Functor::name);
}

MERGANSER_END
