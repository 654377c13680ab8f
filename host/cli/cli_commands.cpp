#include "host/cli/cli_commands.h"

#include <cstdio>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "host/cli/cli_values.h"
#include "host/files/atomic_file.h"
#include "host/output/exporters.h"
#include "host/run/progress.h"
#include "host/run/run.h"
#include "host/run/stop_signals.h"
#include "solvers/base/text_encoding.h"

namespace merganser {
namespace {
void print_raw(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw_file_error("write", "standard output", errno);
}
}  // namespace

void print(const std::string& text) { print_raw(printable_lines(text)); }

namespace {

void add_check(CLI::App& app, const Services& services) {
  CLI::App* command =
      app.add_subcommand("check", "Check a scene and estimate counts, memory, disk space and step size");
  const auto scene = std::make_shared<std::filesystem::path>();
  const auto overrides = std::make_shared<SceneOverrides>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("SCENE", *scene, "Scene file")->required()->check(not_empty("name a file"));
  add_scene_options(*command, *overrides);
  command->add_flag("--json", *json, "Print JSON");
  command->footer(
      "A scene that does not fit into the memory (free memory, control groups, ulimit -v, GPUs, or what the\n"
      "environment variable MERGANSER_MEMORY_LIMIT says in bytes) is still reported, with exit code 3.");
  command->callback([=, &services] {
    const Scene loaded = services.load_scene(*scene, *overrides);
    const CheckedScene checked = services.check_scene(loaded, *json);
    (*json ? print_raw : print)(checked.text);
    if (!checked.refusal.empty()) throw DeviceError(checked.refusal);
  });
}

void add_schema(CLI::App& app, const Services& services) {
  app.add_subcommand("schema", "Print the JSON Schema of scene files, for editors")->callback([&services] {
    print_raw(services.scene_schema());
  });
}

void add_devices(CLI::App& app) {
  CLI::App* command = app.add_subcommand("devices", "List the devices that --device accepts");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([json] { (*json ? print_raw : print)(device_report(*json)); });
}

void add_benchmark(CLI::App& app, const Services& services, int& exit_code) {
  CLI::App* command = app.add_subcommand("benchmark", "Measure throughput, stage by stage");
  const auto options = std::make_shared<BenchmarkOptions>();
  command->add_option("NAME", options->names, "Benchmarks (default: all)");
  add_device_options(*command, options->device, options->threads);
  command->add_option("--json", options->json_file, "Write the results to this file")->check(not_empty());
  command->add_flag("--quick", options->quick,
                    "Tiny cases and few steps to try the program; the timings mean nothing");
  command->add_flag("--list", options->list, "Print the names only");
  command->footer(
      "Each result is shown and written as soon as its case is done. SIGINT and SIGTERM stop between two "
      "steps\n"
      "(exit code 75), a second one at once; what is done stays in the JSON file.");
  command->callback([options, &services, &exit_code] {
    const StopSignals signals;
    options->stopped = [&signals] { return signals.received() != 0; };
    exit_code = services.run_benchmark(*options);
  });
}

std::vector<char> encode_points(const std::vector<Float3>& positions, const std::string& extension) {
  const auto* exporter =
      extension.empty() ? nullptr : find_exporter(particle_exporters(), extension.substr(1));
  if (!exporter)
    throw InputError("sample: the output must end in ." + words_of(particle_exporters(), " or ."));
  FrameData frame;
  frame.position = positions;
  frame.velocity.resize(positions.size());
  frame.body.resize(positions.size());
  frame.system.resize(positions.size());
  frame.id.resize(positions.size());
  std::iota(frame.id.begin(), frame.id.end(), 0);
  return exporter->encode(frame);
}

std::string figures_of(const RelaxedSample& sample, double spacing) {
  std::string text =
      fmt::format("relaxed in {} steps, the last of {:.2g} spacings; nearest pair {:.3f} spacings",
                  sample.iterations, sample.moved, sample.nearest / spacing);
  if (sample.deep > 0)
    text += fmt::format("; density of {} particles inside spread by {:.2g} %", sample.deep,
                        100 * sample.density_spread);
  return text + "\n";
}

void write_sample(const SampleOptions& options, const RelaxedSample& sampled) {
  const std::vector<char> bytes = encode_points(sampled.position, options.output.extension().string());
  write_file_atomically(options.output, {{bytes.data(), bytes.size()}});
  print(std::to_string(sampled.position.size()) + " particles in '" + options.output.string() + "'\n");
}

void add_sample(CLI::App& app, const Services& services, int& exit_code) {
  CLI::App* command = app.add_subcommand("sample", "Fill a closed mesh with particles");
  const auto options = std::make_shared<SampleOptions>();
  const auto method = std::make_shared<std::string>("lattice"),
             device = std::make_shared<std::string>("auto");
  const auto threads = std::make_shared<int>(0);
  command->add_option("MESH", options->mesh, "OBJ, PLY, STL, OFF or glTF file")
      ->required()
      ->check(not_empty("name a file"));
  command->add_option("--spacing", options->spacing, "Distance of neighboring particles [m]")
      ->required()
      ->check(number_between(2 * least_particle_radius, 2 * greatest_particle_radius));
  command->add_option("-o,--output", options->output, "File to write: .vtkhdf (ParaView) or .csv")
      ->required();
  command
      ->add_option(
          "--method", *method,
          "lattice: the points of a lattice that lie inside | relaxed: particles spread evenly up to the "
          "surface | blueNoise: the same by the forces of Jiang et al. 2015, a baseline to compare with, "
          "which bodies of scenes do not take")
      ->check(CLI::IsMember({"lattice", "relaxed", "blueNoise"}))
      ->capture_default_str();
  add_device_options(*command, *device, *threads);
  command->footer("SIGINT and SIGTERM stop a relaxation (exit code 75); nothing is written then.");
  options->warn = [](const std::string& note) {
    std::fprintf(stderr, "merganser: warning: %s\n", printable_lines(note).c_str());
  };
  command->callback([options, method, device, threads, &services, &exit_code] {
    if (*method == "lattice") {
      write_sample(*options, services.sample_mesh(*options));
      return;
    }
    options->method = SamplingMethod::relaxed;
    if (*method == "blueNoise") options->forces = RelaxationForces::blueNoise;
    options->device = select_device(*device, *threads);
    options->progress = RelaxationLine(Progress::mode_of_stderr(false));
    const StopSignals signals;
    options->stop = [&signals] { return signals.received() != 0; };
    try {
      const RelaxedSample sampled = services.sample_mesh(*options);
      write_sample(*options, sampled);
      print(figures_of(sampled, options->spacing));
    } catch (const RelaxationStopped&) {
      std::fprintf(stderr, "merganser: stopped: %s; nothing was written\n",
                   StopSignals::name(signals.received()).c_str());
      exit_code = stopped_exit_code;
    }
  });
}

}  // namespace

void add_commands(CLI::App& app, const Services& services, int& exit_code) {
  add_run_command(app, services, exit_code);
  add_check(app, services);
  add_schema(app, services);
  add_devices(app);
  add_benchmark(app, services, exit_code);
  if (services.sample_mesh) add_sample(app, services, exit_code);
  if (services.make_surface_builder) add_surface_command(app, services, exit_code);
  if (services.make_body_skin) add_skin_command(app, services);
}

}  // namespace merganser
