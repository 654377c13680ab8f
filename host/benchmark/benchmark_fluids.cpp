/// Columns of water that collapse in a tank 1 m wide, by WCSPH and by FLIP.
#include "host/benchmark/benchmark_steps.h"
#include "solvers/benchmarks/water_column.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

namespace {

BenchmarkResult measure_column(const Device& device, const InitialState& state, const std::string& name,
                               const std::string& method) {
  const auto simulation = simulation_on(device, state);
  for (int s = 0; s < by_size(20, 2); ++s) simulation->step(no_end);
  Averages averages;
  BenchmarkResult result = measure_steps(*simulation, device, averages);
  result.name = name;
  result.case_name = method + ", column of " + std::to_string(result.particles) + " particles in a tank";
  return result;
}

}  // namespace

BenchmarkResult benchmark_dam_break(const Device& device, const std::string& name, int edge) {
  // A column of 2 : 1 : 1 in a tank of 4 : 1 : 2, 1 m deep; Tait's equation with ten times the fastest speed.
  edge = by_size(edge, 8);
  SystemState water = new_system("sph");
  water.parameters.of<SphParameters>().sound_speed = 10 * 4.43;  // sqrt(2 g 1 m)
  return measure_column(
      device, column_in_tank(std::move(water), {2 * edge, edge, edge}, 1.0 / edge, {4, 1, 2}), name, "WCSPH");
}

BenchmarkResult benchmark_flip(const Device& device, const std::string& name, int cells) {
  cells = by_size(cells, 8);
  BenchmarkResult result = measure_column(
      device, column_in_tank(new_system("flip"), {cells, 2 * cells, cells / 2}, 0.5 / cells, {1, 1, 1}), name,
      "FLIP, " + std::to_string(cells) + "^3 cells");
  return result;
}

}  // namespace merganser
