#pragma once
/// Which backend this translation unit is compiled for.
///
/// A single-source file is compiled twice: by nvcc into namespace merganser::gpu and by g++ with OpenMP into
/// merganser::cpu. Everything that runs in a kernel, vector maths included, lives inside that namespace, so
/// that the two compilers never share a weak symbol.

#if defined(__CUDACC__)
#define MERGANSER_BACKEND gpu
#define MERGANSER_FN __host__ __device__ inline
#define MERGANSER_METHOD __host__ __device__
#define MERGANSER_IS_GPU 1
#else
#define MERGANSER_BACKEND cpu
#define MERGANSER_FN inline
#define MERGANSER_METHOD
#define MERGANSER_IS_GPU 0
#endif

/// Opens and closes the backend's namespace.
#define MERGANSER_BEGIN \
  namespace merganser { \
  namespace MERGANSER_BACKEND {
#define MERGANSER_END \
  }                   \
  }
