/// main() for tools/kernel_experiment.sh: times one building block on the GPU half, as `merganser benchmark`
/// does.
///   time_primitive NAME COUNT      triad, scan, sort, grid, bonds, multigrid (COUNT cells); e.g. bonds
///   1000000
#include <cstdio>
#include <cstdlib>
#include <string>

#include "device/errors.h"
#include "solvers/benchmarks/primitive_benchmarks.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: time_primitive NAME COUNT\n");
    return 2;
  }
  try {
    const merganser::PrimitiveTiming timing = merganser::gpu::time_primitive(argv[1], std::atoi(argv[2]));
    std::printf("%s of %s: %.6g ms, median of %d\n", argv[1], argv[2], timing.milliseconds,
                timing.repetitions);
    for (const auto& [stage, milliseconds] : timing.stage_milliseconds)
      std::printf("  %-40s %10.6g ms\n", stage.c_str(), milliseconds);
    if (timing.moved_bytes > 0) std::printf("  %.6g GB/s\n", 1e-6 * timing.moved_bytes / timing.milliseconds);
    if (timing.bonds_per_element > 0)
      std::printf("  %.6g million bonds/s, triad %.6g GB/s\n",
                  1e-3 * timing.bonds_per_element * std::atoi(argv[2]) / timing.milliseconds,
                  1e-9 * timing.bandwidth);
  } catch (const merganser::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
