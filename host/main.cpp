/// The executable: the command line with the real scene reader and both backends.
#include <fmt/format.h>

#include <cmath>

#include "device/errors.h"
#include "host/cli/cli.h"
#include "host/scene/estimate.h"
#include "host/scene/mesh_file.h"
#include "host/scene/scene_report.h"
#include "solvers/core/body.h"
#include "solvers/core/coordinate_range.h"
#include "solvers/geometry/sampling/closed_mesh.h"
#include "solvers/geometry/signed_distance/mesh_soundness.h"

namespace merganser {
namespace {

RelaxedSample relaxed(const TriangleMesh& given, const SampleOptions& options) {
  const TriangleMesh mesh = solid_surface(given, relaxed_surface_cell * options.spacing);
  const bool on_gpu = options.device.backend == Backend::cuda;
  cpu::set_threads(options.device.threads);
  return (on_gpu ? gpu::relaxed_sample : cpu::relaxed_sample)(
      mesh, {.spacing = options.spacing, .forces = options.forces}, options.progress, options.stop);
}

void expect_near_the_origin(const TriangleMesh& mesh, const SampleOptions& options) {
  const FarthestPlace far =
      farthest_place(mesh, options.spacing, "mesh file '" + options.mesh.string() + "'");
  const RangeRemedy remedy{"mesh", "--spacing"};
  expect_in_range(far, remedy);
  const std::string note = note_on_far_place(far, remedy);
  if (!note.empty() && options.warn) options.warn(note);
}

/// Each particle stands for spacing^3.
void warn_of_wrong_volume(const TriangleMesh& mesh, const SampleOptions& options, size_t particles) {
  const double filled = double(particles) * std::pow(options.spacing, 3),
               volume = volume_to_fill(mesh, options.spacing, double(particles)), error = filled / volume - 1;
  if (!options.warn || !(volume > 0) || std::abs(error) <= usual_mass_error) return;
  options.warn(
      fmt::format("the particles fill {:.3g} m^3, {:.3g} % {} than the mesh, {:.3g} m^3; give a smaller "
                  "--spacing, one that "
                  "fits the mesh, or --method relaxed",
                  filled, 100 * std::abs(error), error < 0 ? "less" : "more", volume));
}

RelaxedSample sample(const SampleOptions& options) {
  TriangleMesh mesh = read_mesh(options.mesh);
  expect_near_the_origin(mesh, options);
  make_closed(mesh, options.mesh.string());
  expect_room_for(mesh, options);
  try {
    if (options.method == SamplingMethod::relaxed) return relaxed(mesh, options);
    RelaxedSample sampled{.position = sample_mesh(mesh, {.spacing = options.spacing})};
    if (sampled.position.empty())
      throw InputError("no point of the lattice lies inside; give a smaller --spacing or a larger mesh");
    warn_of_wrong_volume(mesh, options, sampled.position.size());
    return sampled;
  } catch (const InputError& error) {  // says what is wrong with a shape, but not which
    throw InputError("mesh file '" + options.mesh.string() + "' with --spacing: " + error.what());
  }
}

/// On the CPU, which refuses what a GPU does.
std::vector<std::string> make_run(const Scene& scene, const InitialState& initial) {
  const std::unique_ptr<Simulation> simulation = cpu::make_simulation(initial);
  std::vector<std::string> notes = simulation->notes();
  for (const auto& all : {simulation->setup_warnings(), simulation->warnings_so_far()})
    for (const std::string& what : all)
      if (!what.empty()) notes.push_back("warning: " + what);
  (void)skin_record(scene, initial);
  return notes;
}

}  // namespace
}  // namespace merganser

int main(int argc, char** argv) {
  using namespace merganser;
  Services services;
  services.load_scene = load_scene;
  services.build_initial_state = [](const Scene& scene, const BuildOptions& options) {
    cpu::set_threads(options.threads);
    return build_initial_state(scene, options);
  };
  services.scene_schema = scene_schema;
  services.notes_on_start = notes_on_start;
  services.check_scene = [](const Scene& scene, bool json) { return check_scene(scene, json, make_run); };
  services.expect_resources = expect_resources;
  services.run_benchmark = run_benchmark;
  services.sample_mesh = sample;
  services.make_simulation = [](const InitialState& initial, const Device& device) {
    cpu::set_threads(device.threads);
    return (device.backend == Backend::cuda ? gpu::make_simulation : cpu::make_simulation)(initial);
  };
  services.make_surface_builder = [](const Device& device) {
    cpu::set_threads(device.threads);
    return device.backend == Backend::cuda ? gpu::make_surface_builder() : cpu::make_surface_builder();
  };
  services.make_topology_tracker = [](const Device& device) {
    return device.backend == Backend::cuda ? gpu::make_topology_tracker() : cpu::make_topology_tracker();
  };
  services.make_level_set = level_set_surface;
  services.skin_record = skin_record;
  services.make_body_skin = [](const Device& device, const SkinBody& body, double spacing) {
    cpu::set_threads(device.threads);
    return device.backend == Backend::cuda ? gpu::make_body_skin(body, spacing)
                                           : cpu::make_body_skin(body, spacing);
  };
  return run_command_line(argc, argv, services);
}
