#pragma once
/// Services that the command line takes from the rest of the program. main.cpp names the real functions;
/// tests put others in their place.
#include <functional>
#include <memory>

#include "host/benchmark/benchmark.h"
#include "host/device_selection.h"
#include "host/scene/sample_options.h"
#include "host/scene/scene.h"
#include "host/scene/scene_report.h"
#include "host/simulation/simulation.h"
#include "solvers/geometry/level_set/level_set_surface.h"
#include "solvers/geometry/skinning/body_skin.h"
#include "solvers/geometry/surface/surface_builder.h"
#include "solvers/geometry/surface/topology_tracker.h"

namespace merganser {

struct Services {
  std::function<Scene(const std::filesystem::path&, const SceneOverrides&)> load_scene;
  std::function<InitialState(const Scene&, const BuildOptions&)> build_initial_state;
  std::function<std::unique_ptr<Simulation>(const InitialState&, const Device&)> make_simulation;
  std::function<std::string()> scene_schema;
  std::function<CheckedScene(const Scene&, bool json)> check_scene;
  /// Notes at a run's start, a line each: a fixed step that is too long, bodies out of place; may be empty.
  std::function<std::string(const InitialState&)> notes_on_start;
  /// Before particles are made: throws DeviceError where the memory does not hold them, returns warnings.
  std::function<std::vector<std::string>(const Scene&, const Device&, const std::filesystem::path& folder)>
      expect_resources;
  std::function<int(const BenchmarkOptions&)> run_benchmark;
  std::function<RelaxedSample(const SampleOptions&)>
      sample_mesh;  ///< a lattice has positions alone; empty = command left out
  /// merganser surface; the first of them empty = command left out.
  std::function<std::unique_ptr<SurfaceBuilder>(const Device&)> make_surface_builder;
  std::function<std::unique_ptr<TopologyTracker>(const Device&)> make_topology_tracker;
  std::function<LevelSetSurface(const FluidPoints&, const SurfaceParameters&, int threads)> make_level_set;
  /// What a run keeps for skins; empty = nothing. merganser skin; the second one empty = command left out.
  std::function<SkinRecord(const Scene&, const InitialState&)> skin_record;
  std::function<std::unique_ptr<BodySkin>(const Device&, const SkinBody&, double spacing)> make_body_skin;
};

}  // namespace merganser
