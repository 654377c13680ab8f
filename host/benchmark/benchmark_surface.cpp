#include "host/benchmark/benchmark_cases.h"
#include "solvers/benchmarks/surface_benchmark.h"

namespace merganser {

BenchmarkResult benchmark_surface(const Device& device) {
  const bool cuda = device.backend == Backend::cuda;
  const int nx = by_size(cuda ? 180 : 50, 14), nz = by_size(cuda ? 62 : 22, 6);
  const auto builder = cuda ? gpu::make_surface_builder() : cpu::make_surface_builder();
  const auto tracker = cuda ? gpu::make_topology_tracker() : cpu::make_topology_tracker();
  const int repetitions = by_size(7, 1);
  const SurfaceTiming timing = time_surface(*builder, *tracker, nx, nz, repetitions);
  const SurfaceReport report = builder->report();
  BenchmarkResult result;
  result.name = "surface";
  result.case_name = "surface of a pool and a drop in contact, cells of 0.25 h";
  result.particles = timing.particles;
  result.steps = repetitions;
  result.ms_per_step = timing.milliseconds;
  result.bytes_per_particle = double(report.device_bytes) / double(result.particles);
  result.stages = timing.stages;
  result.figures = {{"field_ratio_topological_to_sum", timing.field_ratio},
                    {"bricks", double(report.bricks)},
                    {"bricks_with_topological_field", double(report.topological_bricks)},
                    {"vertices", double(timing.vertices)},
                    {"triangles", double(timing.triangles)},
                    {"device_megabytes", 1e-6 * double(report.device_bytes)}};
  return result;
}

}  // namespace merganser
