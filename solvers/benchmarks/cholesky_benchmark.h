#pragma once
/// Measurement of the sparse Cholesky factorization, compiled once per backend;
/// host/benchmark/benchmark_cholesky.cpp prints it.

namespace merganser {

/// One jittered block of edge^3 rows.
struct CholeskyTiming {
  long long rows = 0, nonzeros = 0, stored_nonzeros = 0, bytes = 0, peak_bytes = 0;
  int supernodes = 0, levels = 0;
  double ordering_seconds = 0, analysis_seconds = 0, factor_seconds = 0;
  double milliseconds_3 = 0, milliseconds_24 = 0;  ///< median of the solves with 3 and with 24 right sides
  double half_milliseconds_3 = 0, half_milliseconds_24 = 0;  ///< the same with the factor in half precision
  /// [ms] Of the same solve by a sparse triangle (cuSPARSE's SpSM), and by LevelSolver's plain kernels; 0 on
  /// the CPU, which has neither.
  double triangle_milliseconds_3 = 0, triangle_milliseconds_24 = 0;
  double plain_milliseconds_3 = 0, plain_milliseconds_24 = 0;
  /// [ms] Of a product with the assembled matrix by our kernel, and by SpMM of cuSPARSE (0 on the CPU).
  double product_milliseconds_3 = 0, product_milliseconds_24 = 0;
  double library_product_milliseconds_3 = 0, library_product_milliseconds_24 = 0;
  long long triangle_bytes = 0, matrix_bytes = 0;
  const char* library = "";  ///< who stands for cuSPARSE; empty: nobody
  int repetitions = 0;
  long long metis_nonzeros = 0;  ///< with the other ordering
  double metis_seconds = 0;      ///< [s] it takes, the analysis not included
};

/// The factor and the explicit inverse of a small jittered block of edge^3 rows, medians of their solves.
struct InverseTiming {
  int rows = 0, repetitions = 0;
  double factor_3 = 0, factor_24 = 0, inverse_3 = 0, inverse_24 = 0;  ///< [ms], by right sides
};

namespace cpu {
CholeskyTiming time_cholesky(int edge);
InverseTiming time_inverse(int edge);
}  // namespace cpu
namespace gpu {
CholeskyTiming time_cholesky(int edge);
InverseTiming time_inverse(int edge);
}  // namespace gpu

}  // namespace merganser
