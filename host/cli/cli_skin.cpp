#include <memory>

#include <CLI/CLI.hpp>

#include "host/cli/cli_commands.h"
#include "host/cli/cli_values.h"
#include "host/files/own_files.h"
#include "host/surface/skin_run.h"

namespace merganser {

void add_skin_command(CLI::App& app, const Services& services) {
  CLI::App* command =
      app.add_subcommand("skin", "Move the surfaces of a run's solid bodies and cloths with their particles");
  command->get_formatter()->column_width(34);
  const auto options = std::make_shared<SkinOptions>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("--body", options->body, "Name of the body (default: all that have a skin)")
      ->check(not_empty());
  command
      ->add_option("--thickness", options->thickness,
                   "Thickness of cloth [m]: a closed surface (default: one layer of triangles)")
      ->check(positive_number());
  command->add_flag("--json", *json, "Print what was made as JSON");
  add_sequence_options(*command, *options, skin_kind);
  command->footer(
      "Soft, brittle and rigid bodies have skins: the mesh that they were made from, or triangles of their\n"
      "shape. Pieces of brittle bodies keep their piece of the skin. The skin of a cloth has its particles "
      "as\n"
      "vertices, with texture coordinates. Ropes have no skin.\n"
      "Examples:\n"
      "  merganser skin results/a --format vtkhdf\n"
      "  merganser skin results/a --body sheet --thickness 0.004 -o results/a/sheet\n"
      "  merganser skin results/a --body bunny --frames 10:40 --json");
  command->callback([=, &services] {
    const std::string made = make_skins(*options, services);
    if (*json) print(made);
  });
}

}  // namespace merganser
