#pragma once
/// Measurements of the building blocks, compiled once per backend; host/benchmark/benchmark.cpp prints them.
#include <map>
#include <string>
#include <vector>

namespace merganser {

/// Median times of one primitive on `count` elements.
struct PrimitiveTiming {
  std::map<std::string, double> stage_milliseconds;  ///< per repetition
  double milliseconds = 0;                           ///< per repetition, all stages
  int repetitions = 0;
  double bytes_per_element = 0;      ///< device memory held while it ran
  double moved_bytes = 0;            ///< per repetition, read and written at the least; 0 = not stated
  double neighbors_per_element = 0;  ///< grid only
  double bonds_per_element = 0;      ///< bonds only; a bond is a pair
  double bandwidth = 0;              ///< [B/s] of a triad in the same run, bonds only
  double cells = 0, iterations = 0;  ///< multigrid only: unknowns, and iterations of a solve
  double graphs = 0, reads = 0;      ///< multigrid only: launch graphs and blocking reads of a solve
};

// Each of these exists once per backend. Names: triad, scan, sort, grid, bonds, multigrid
// (`count` cells).
namespace cpu {
PrimitiveTiming time_primitive(const std::string& name, int count);
}
namespace gpu {
PrimitiveTiming time_primitive(const std::string& name, int count);
/// True times each kernel and waits for it; launch graphs are off meanwhile.
void time_kernels(bool on);
}  // namespace gpu

}  // namespace merganser
