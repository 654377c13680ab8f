/// From a scene through its frames to surfaces, with nothing made up.
#include <gtest/gtest.h>

#include "device/backend.h"
#include "host/output/frame_writer.h"
#include "host/scene/mesh_file.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "host/surface/surface_run.h"
#include "tests/support/mesh_checks.h"
#include "tests/support/source_folder.h"
#include "tests/support/temporary_folder.h"

MERGANSER_BEGIN
namespace surface_of_run_test {

/// A dam break of about 300 particles with this neighborhood, two frames; returns the last frame's surface.
MeshFacts surface_of_dam_break(const std::string& neighborhood, int& particles) {
  const test::TemporaryFolder folder;
  SceneOverrides overrides;
  overrides.resolution = 0.14;
  overrides.set = {"systems.water.neighborhood=" + neighborhood};
  const Scene scene = load_scene(source_folder() / "scenes" / "demos/dam_break.json", overrides);
  test::write_text(folder / "scene.json", scene.resolved_json);
  const auto simulation = make_simulation(build_initial_state(scene));
  FrameWriter writer(folder.path(), {});
  for (int frame = 0; frame < 3; ++frame) {
    const double time = frame / scene.frame_rate;
    while (simulation->time() < time) simulation->step(time);
    writer.write(simulation->time(), simulation->frame_now());
  }
  writer.finish();
  particles = simulation->particle_count();

  Services services;
  services.make_surface_builder = [](const Device&) { return make_surface_builder(); };
  services.make_topology_tracker = [](const Device&) { return make_topology_tracker(); };
  SurfaceOptions options;
  options.run = folder.path();
  options.method = "topological";
  options.device = MERGANSER_GPU_HALF ? "cuda" : "cpu";
  options.quiet = true;
  EXPECT_EQ(make_surfaces(options, services), 0);
  const TriangleMesh mesh = read_mesh(folder / "surface/surface_000002.ply");
  return mesh_facts({.position = mesh.vertices, .normal = {}, .velocity = {}, .triangles = mesh.triangles});
}

/// Neighborhoods that the run kept, and those followed through its frames.
TEST(SurfaceOfRun, IsClosedAndHoldsTheFluid) {
  for (const char* neighborhood : {"topological", "euclidean"}) {
    int particles = 0;
    const MeshFacts facts = surface_of_dam_break(neighborhood, particles);
    EXPECT_EQ(facts.faulty_edges, 0);
    EXPECT_EQ(facts.faulty_vertices, 0);
    EXPECT_GE(facts.components, 1);
    EXPECT_LT(facts.components, 4);
    // Half of so few particles are at the surface, which lies 0.6 spacings around the outermost.
    const double spacing = 0.01 / 0.14;
    EXPECT_NEAR(facts.volume, particles * std::pow(spacing, 3), 0.15 * facts.volume);
  }
}

}  // namespace surface_of_run_test
MERGANSER_END
