/// Columns of water that collapse in a tank 1 m wide, by WCSPH, DFSPH and FLIP.
#include "host/benchmark/benchmark_steps.h"
#include "solvers/benchmarks/water_column.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

namespace {

BenchmarkResult measure_column(const Device& device, const InitialState& state, const std::string& name,
                               const std::string& method, BenchmarkReport& report) {
  report.begin_case(method);
  const auto simulation = simulation_on(device, state);
  for (int s = 0; s < by_size(20, 2); ++s) simulation->step(no_end);
  Averages averages;
  const double start = simulation->time();
  const long long before = simulation->step_count();
  BenchmarkResult result = measure_steps(*simulation, device, averages, report);
  const double step = (simulation->time() - start) / double(simulation->step_count() - before);
  result.figures.push_back({"s_per_simulated_s", 1e-3 * result.ms_per_step / step});
  if (averages.iterations[0] > 0) result.figures.push_back({"iterations", averages.iterations[0]});
  result.name = name;
  result.case_name = method + ", column of " + std::to_string(result.particles) + " particles in a tank";
  return result;
}

}  // namespace

BenchmarkResult benchmark_dam_break(const Device& device, const std::string& name, int edge,
                                    BenchmarkReport& report) {
  // A column of 2 : 1 : 1 in a tank of 4 : 1 : 2, 1 m deep; Tait's equation with ten times the fastest speed.
  edge = by_size(edge, 8);
  SystemState water = new_system("sph");
  water.parameters.of<SphParameters>().sound_speed = 10 * 4.43;  // sqrt(2 g 1 m)
  return measure_column(device,
                        column_in_tank(std::move(water), {2 * edge, edge, edge}, 1.0 / edge, {4, 1, 2}), name,
                        "WCSPH", report);
}

BenchmarkResult benchmark_dfsph(const Device& device, const std::string& name, int edge,
                                BenchmarkReport& report) {
  edge = by_size(edge, 8);
  InitialState state = column_in_tank(new_system("dfsph"), {2 * edge, edge, edge}, 1.0 / edge, {4, 1, 2});
  state.max_time_step = 2e-3;
  return measure_column(device, state, name, "DFSPH", report);
}

BenchmarkResult benchmark_flip(const Device& device, const std::string& name, int cells,
                               BenchmarkReport& report) {
  cells = by_size(cells, 8);
  BenchmarkResult result = measure_column(
      device, column_in_tank(new_system("flip"), {cells, 2 * cells, cells / 2}, 0.5 / cells, {1, 1, 1}), name,
      "FLIP, " + std::to_string(cells) + "^3 cells", report);
  return result;
}

}  // namespace merganser
