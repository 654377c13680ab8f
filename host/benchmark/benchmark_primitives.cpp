/// Building blocks, measured in the backend and turned into results.
#include "host/benchmark/benchmark_cases.h"
#include "solvers/benchmarks/primitive_benchmarks.h"

namespace merganser {

BenchmarkResult benchmark_primitive(const std::string& name, const Device& device) {
  const bool cuda = device.backend == Backend::cuda;
  // Bandwidth needs arrays far beyond the caches; the others are measured at the size of a usual scene.
  const int full = name == "triad"            ? (cuda ? 1 << 28 : 1 << 25)
                   : name == "bonds" && !cuda ? 46 * 46 * 46
                   : name == "multigrid"      ? (cuda ? 256 * 256 * 256 : 128 * 128 * 128)
                                              : 1000000;
  const int count = by_size(full, name == "multigrid" ? 16 * 16 * 16 : 1000);
  const PrimitiveTiming timing = cuda ? gpu::time_primitive(name, count) : cpu::time_primitive(name, count);
  BenchmarkResult result;
  result.name = name;
  result.case_name =
      std::to_string(count) + (name == "grid"        ? " particles of a random lattice"
                               : name == "bonds"     ? " particles of a cube"
                               : name == "multigrid" ? " cells, water under a wavy surface, pressure to 1e-4"
                                                     : " elements");
  result.particles = count;
  result.steps = timing.repetitions;
  result.ms_per_step = timing.milliseconds;
  result.bytes_per_particle = timing.bytes_per_element;
  result.stages.assign(timing.stage_milliseconds.begin(), timing.stage_milliseconds.end());
  if (timing.moved_bytes > 0)
    result.figures.emplace_back("bandwidth_gigabytes_per_second",
                                1e-6 * timing.moved_bytes / timing.milliseconds);
  if (timing.neighbors_per_element > 0)
    result.figures.emplace_back("neighbors_per_particle", timing.neighbors_per_element);
  if (timing.bonds_per_element > 0) {
    const double bonds = timing.bonds_per_element * count, seconds = 1e-3 * timing.milliseconds;
    result.figures.emplace_back("million_bonds_per_second", 1e-6 * bonds / seconds);
    result.figures.emplace_back("million_half_bonds_per_second", 2e-6 * bonds / seconds);
    result.figures.emplace_back("bonds_per_particle", timing.bonds_per_element);
    result.figures.emplace_back("triad_gigabytes_per_second", 1e-9 * timing.bandwidth);
  }
  if (timing.cells > 0) {
    const double solve = timing.stage_milliseconds.at("solve");
    result.figures.emplace_back("unknowns", timing.cells);
    result.figures.emplace_back("iterations", timing.iterations);
    result.figures.emplace_back("launch_graphs", timing.graphs);
    result.figures.emplace_back("blocking_reads", timing.reads);
    result.figures.emplace_back("million_cell_iterations_per_second",
                                1e-3 * timing.cells * timing.iterations / solve);
  }
  return result;
}

}  // namespace merganser
