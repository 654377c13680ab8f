#include <memory>

#include <CLI/CLI.hpp>

#include "host/cli/cli_commands.h"
#include "host/cli/cli_values.h"
#include "host/files/own_files.h"
#include "host/surface/surface_run.h"

namespace merganser {

void add_surface_command(CLI::App& app, const Services& services, int& exit_code) {
  CLI::App* command = app.add_subcommand("surface", "Make surface meshes of a run's fluids");
  command->get_formatter()->column_width(34);
  const auto options = std::make_shared<SurfaceOptions>();
  command
      ->add_option("--method", options->method,
                   "sum: standard field | topological: separate pieces of fluid stay separate, about nine "
                   "times the time of sum | levelSet: smoothed spheres, also written as .vdb")
      ->check(CLI::IsMember({"sum", "topological", "levelSet"}))
      ->capture_default_str();
  command->add_option("--system", options->system, "Name of the fluid (default: all, one surface each)")
      ->check(not_empty());
  command->add_flag("--per-body", options->per_body, "One surface per body, also where bodies touch");
  command
      ->add_option("--cell-size", options->cell_size,
                   "Side of a cell in smoothing lengths h (FLIP: h = 1.2 spacings)")
      ->check(number_between(0.05, 1))
      ->capture_default_str();
  command->add_option("--smooth", options->smoothing, "Taubin steps on the mesh")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  command->add_option("--refine", options->refinements, "Secant steps that move vertices onto the surface")
      ->check(whole_number(0, 20))
      ->capture_default_str();
  add_sequence_options(*command, *options, surface_kind);
  command->footer(
      "The method topological uses the neighborhoods in the frames of a run with \"neighborhood\":\n"
      "\"topological\". For other runs it computes them from frame 0 on: an approximation that needs\n"
      "frames close in time.\n"
      "Examples:\n"
      "  merganser surface results/a --format vtkhdf\n"
      "  merganser surface results/a -o results/a/apart --method topological --frames 10:40");
  command->callback([options, &services, &exit_code] { exit_code = make_surfaces(*options, services); });
}

}  // namespace merganser
