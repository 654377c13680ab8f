#pragma once
/// The half (GPU or CPU) of this translation unit, and its compiler.
///
/// A single-source file is compiled twice: for the GPU half into namespace merganser::gpu and by g++ with
/// OpenMP into merganser::cpu. Everything that runs in a kernel, vector maths included, lives inside that
/// namespace, so that the two compilers never share a weak symbol. The GPU half is compiled by nvcc, or by
/// g++ where the build emulates it (MERGANSER_EMULATED, see emulated/).
///
/// MERGANSER_COMPILED_BY_NVCC: what only nvcc understands. MERGANSER_GPU_HALF: how the GPU half works,
/// whoever compiles it: one number and one index a thread, launches that only queue up, memory of its own.

#if defined(__CUDACC__)
#define MERGANSER_COMPILED_BY_NVCC 1
#define MERGANSER_FN __host__ __device__ inline
#define MERGANSER_METHOD __host__ __device__
#else
#define MERGANSER_COMPILED_BY_NVCC 0
#define MERGANSER_FN inline
#define MERGANSER_METHOD
#endif

#if MERGANSER_COMPILED_BY_NVCC || defined(MERGANSER_EMULATED)
#define MERGANSER_GPU_HALF 1
#define MERGANSER_BACKEND gpu
#else
#define MERGANSER_GPU_HALF 0
#define MERGANSER_BACKEND cpu
#endif

/// Opens and closes the backend's namespace.
#define MERGANSER_BEGIN \
  namespace merganser { \
  namespace MERGANSER_BACKEND {
#define MERGANSER_END \
  }                   \
  }
