#pragma once
/// What the command line needs from the rest of the program. main.cpp names the real functions; tests put
/// others in their place.
#include <functional>
#include <memory>

#include "host/benchmark.h"
#include "host/device_selection.h"
#include "host/scene.h"
#include "host/simulation.h"

namespace merganser {

/// merganser sample: a mesh filled with particles.
struct SampleOptions {
  std::filesystem::path mesh;    ///< OBJ, PLY or STL
  double spacing = 0;            ///< [m]
  std::filesystem::path output;  ///< .vtkhdf or .csv
};

struct Services {
  std::function<Scene(const std::filesystem::path&, const SceneOverrides&)> load_scene;
  std::function<InitialState(const Scene&)> build_initial_state;
  std::function<std::unique_ptr<Simulation>(const InitialState&, const Device&)> make_simulation;
  std::function<std::string()> scene_schema;
  std::function<std::string(const Scene&, const InitialState&, bool json)> check_report;
  std::function<int(const BenchmarkOptions&)> run_benchmark;
  std::function<std::vector<Float3>(const SampleOptions&)>
      sample_mesh;  ///< positions [m]; empty = command left out
};

}  // namespace merganser
