#pragma once
/// Cases of `merganser benchmark`, which fill in results.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/benchmark/benchmark_report.h"
#include "host/device_selection.h"
#include "host/simulation/simulation.h"

namespace merganser {

/// Quick benchmarks (`--quick`) take tiny cases and few steps: a rehearsal of the program, no measurement.
void set_quick_benchmarks(bool quick);
bool quick_benchmarks();
/// A case's own size or the one for quick benchmarks.
template <class T>
T by_size(T full, T quick) {
  return quick_benchmarks() ? quick : full;
}

/// The building blocks: triad (memory bandwidth), scan, sort, grid (build and query),
/// multigrid (a pressure projection).
BenchmarkResult benchmark_primitive(const std::string& name, const Device& device);
/// Sparse Cholesky: one case a size.
void benchmark_cholesky(const Device& device, BenchmarkReport& report);
/// Weakly compressible SPH: a column of water of 2 edge^3 particles collapses in a tank.
BenchmarkResult benchmark_dam_break(const Device& device, const std::string& name, int edge,
                                    BenchmarkReport& report);
/// The same column by DFSPH.
BenchmarkResult benchmark_dfsph(const Device& device, const std::string& name, int edge,
                                BenchmarkReport& report);
/// FLIP: a column of water of cells^3 particles, eight a cell, collapses in a tank of cells^3 cells.
BenchmarkResult benchmark_flip(const Device& device, const std::string& name, int cells,
                               BenchmarkReport& report);
/// Surfaces of a pool that a drop touches, by the standard sum and with topological neighborhoods.
BenchmarkResult benchmark_surface(const Device& device);
/// A scene of scenes/merging_and_splitting that is measured from the time on when it is in full contact.
struct SceneBenchmark {
  std::string name, file;  ///< file: below scenes/, without .json
  double resolution_cpu;   ///< 1 on CUDA
  double begin;            ///< [s]
};
/// What merging-and-splitting costs beside the systems. "First stage" is everything a system computes once a
/// step, forces included.
BenchmarkResult benchmark_scene(const Device& device, const SceneBenchmark& scene, BenchmarkReport& report);

/// [ES] Table 1: a soft body on a moving slice at the paper's numbers of particles, one case a size and
/// solve.
void benchmark_elastic_sizes(const Device& device, BenchmarkReport& report);
/// [ES] Table 2: the same at about 32,000 particles (CUDA; 8,000 on the CPU) for other Young's moduli and
/// steps.
void benchmark_elastic_stiffness(const Device& device, BenchmarkReport& report);
/// Rods, beams, shells and cubes of three stiffnesses, on lattices and irregular: the factor as
/// preconditioner beside block Jacobi.
void benchmark_elastic_regimes(const Device& device, BenchmarkReport& report);
/// Cubes of 64,000 to 1,000,000 particles of three stiffnesses: factored whole, in parts with a coarse level,
/// and by block Jacobi; the first 20 steps.
void benchmark_elastic_large(const Device& device, BenchmarkReport& report);
/// Topological neighborhoods: a drop falls into a pool ([TN] Fig. 10), measured over frames around the
/// contact.
BenchmarkResult benchmark_topology(const Device& device, BenchmarkReport& report);

}  // namespace merganser
