/// The sparse Cholesky factorization of elastic SPH on jittered blocks, the sizes of [ES] Table 1.
#include <algorithm>
#include <cmath>

#include "host/benchmark/benchmark_cases.h"
#include "solvers/benchmarks/cholesky_benchmark.h"

namespace merganser {

namespace {

std::string case_of(const CholeskyTiming& timing) {
  return std::to_string(timing.rows) + " rows of a jittered block, 3 right sides";
}
/// Another way to solve with the same matrix, or a product with it. Bytes: of the factor or the matrix.
BenchmarkResult alternative(const CholeskyTiming& timing, const std::string& what, double milliseconds_3,
                            double milliseconds_24, long long bytes) {
  BenchmarkResult result;
  result.name = "cholesky";
  result.case_name = case_of(timing) + ", " + what;
  result.particles = timing.rows;
  result.steps = timing.repetitions;
  result.ms_per_step = milliseconds_3;
  result.bytes_per_particle = static_cast<double>(bytes) / static_cast<double>(timing.rows);
  result.stages = {{"solve", milliseconds_3}};
  result.figures = {{"milliseconds_24_right_sides", milliseconds_24},
                    {"gigabytes_per_second", 2e-6 * static_cast<double>(bytes) / milliseconds_3}};
  return result;
}
BenchmarkResult factor_result(const CholeskyTiming& timing) {
  BenchmarkResult result;
  result.name = "cholesky";
  result.case_name = case_of(timing);
  result.particles = timing.rows;
  result.steps = timing.repetitions;
  result.ms_per_step = timing.milliseconds_3;
  result.bytes_per_particle = static_cast<double>(timing.bytes) / static_cast<double>(timing.rows);
  result.stages = {{"solve", timing.milliseconds_3}};
  result.figures = {
      {"milliseconds_24_right_sides", timing.milliseconds_24},
      {"gigabytes_per_second", 2e-6 * static_cast<double>(timing.bytes) / timing.milliseconds_3},
      {"million_nonzeros", 1e-6 * static_cast<double>(timing.nonzeros)},
      {"million_stored_nonzeros", 1e-6 * static_cast<double>(timing.stored_nonzeros)},
      {"factor_megabytes", 1e-6 * static_cast<double>(timing.bytes)},
      {"peak_megabytes", 1e-6 * static_cast<double>(timing.peak_bytes)},
      {"supernodes", static_cast<double>(timing.supernodes)},
      {"levels", static_cast<double>(timing.levels)},
      {"ordering_seconds", timing.ordering_seconds},
      {"analysis_seconds", timing.analysis_seconds},
      {"factor_seconds", timing.factor_seconds},
      {"metis_million_nonzeros", 1e-6 * static_cast<double>(timing.metis_nonzeros)},
      {"metis_ordering_seconds", timing.metis_seconds},
  };
  return result;
}

std::string rows_of(int edge) { return std::to_string(edge * edge * edge) + " rows"; }

}  // namespace

void benchmark_cholesky(const Device& device, BenchmarkReport& report) {
  const auto inverse_edges = by_size<std::vector<int>>({5, 8, 10, 12}, {4}),
             edges = by_size<std::vector<int>>({16, 20, 25, 32, 40}, {6});
  // The time of a factor grows with the square of the rows; setting up and repetitions take some as well.
  std::vector<double> costs;
  for (const auto& list : {inverse_edges, edges})
    for (const int edge : list) costs.push_back(1e7 + std::pow(edge, 6));
  report.expect(costs);
  for (const int edge : inverse_edges) {
    report.begin_case(rows_of(edge));
    const InverseTiming timing =
        device.backend == Backend::cuda ? gpu::time_inverse(edge) : cpu::time_inverse(edge);
    BenchmarkResult result;
    result.name = "cholesky";
    result.case_name = std::to_string(timing.rows) + " rows: factor and explicit inverse, 24 right sides";
    result.particles = timing.rows;
    result.steps = timing.repetitions;
    result.ms_per_step = std::min(timing.factor_24, timing.inverse_24);
    result.stages = {{"factor", timing.factor_24}, {"inverse", timing.inverse_24}};
    result.figures = {{"factor_milliseconds_3_right_sides", timing.factor_3},
                      {"inverse_milliseconds_3_right_sides", timing.inverse_3}};
    report.add(std::move(result));
  }
  for (const int edge : edges) {
    report.begin_case(rows_of(edge));
    const CholeskyTiming timing =
        device.backend == Backend::cuda ? gpu::time_cholesky(edge) : cpu::time_cholesky(edge);
    report.add(factor_result(timing));
    report.add(alternative(timing, "factor in half precision", timing.half_milliseconds_3,
                           timing.half_milliseconds_24, timing.bytes / 2));
    const std::string library = timing.library;
    if (!library.empty()) {
      report.add(alternative(timing, "plain kernels", timing.plain_milliseconds_3,
                             timing.plain_milliseconds_24, timing.bytes));
      report.add(alternative(timing, "sparse triangle, SpSM: " + library, timing.triangle_milliseconds_3,
                             timing.triangle_milliseconds_24, timing.triangle_bytes));
    }
    report.add(alternative(timing, "product with the assembled matrix", timing.product_milliseconds_3,
                           timing.product_milliseconds_24, timing.matrix_bytes));
    if (!library.empty())
      report.add(alternative(timing, "product with the assembled matrix, SpMM: " + library,
                             timing.library_product_milliseconds_3, timing.library_product_milliseconds_24,
                             timing.matrix_bytes));
  }
}

}  // namespace merganser
