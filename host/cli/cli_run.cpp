#include <limits>
#include <memory>

#include <CLI/CLI.hpp>

#include "host/cli/cli.h"
#include "host/cli/cli_commands.h"
#include "host/cli/cli_values.h"
#include "host/run/run.h"
#include "solvers/base/parameter_table.h"

namespace merganser {

void add_run_command(CLI::App& app, const Services& services, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scene");
  command->get_formatter()->column_width(34);
  const auto options = std::make_shared<RunOptions>();
  const auto wall_time = std::make_shared<std::string>();
  command->add_option("SCENE", options->scene, "Scene file; with --resume also a run's folder")
      ->required()
      ->check(not_empty("name a file"));
  command->add_option("-o,--output", options->output, "Folder of the results (default: runs/<scene name>)")
      ->check(not_empty());
  command
      ->add_option("--from", options->from,
                   "Start with the particles of another run: its folder (last checkpoint), DIR@FRAME or a "
                   "frame's file; bodies are found by name, others start as the scene says")
      ->check(not_empty());
  add_device_options(*command, options->device, options->threads);

  add_scene_options(*command, options->overrides, "Scene");

  const std::string end = "End of the run";
  CLI::Option* frames = command->add_option("--frames", options->overrides.frames, "Stop at frame N")
                            ->check(whole_number(1, std::numeric_limits<int>::max()))
                            ->group(end);
  CLI::Option* end_time =
      command->add_option("--end-time", options->overrides.end_time, "Stop at a simulated time [s]")
          ->check(number_above_zero(largest_number))
          ->group(end);
  CLI::Option* steps =
      command->add_option("--steps", options->steps, "Stop at step N, counted from the start of the run")
          ->check(whole_number(0, std::numeric_limits<long long>::max()))
          ->group(end);
  frames->excludes(end_time)->excludes(steps);
  end_time->excludes(steps);

  const std::string restart = "Stop and resume";
  command
      ->add_option("--checkpoint-every", options->checkpoint_every,
                   "Wall time between checkpoints [s]; 0 = only at the end")
      ->check(number_from_zero())
      ->capture_default_str()
      ->group(restart);
  command
      ->add_option("--max-wall-time", *wall_time,
                   "Stop with a checkpoint (exit code 75) within this wall time: SECONDS or [D-]HH:MM:SS")
      ->check(time_limit())
      ->group(restart);
  CLI::Option* resume = command
                            ->add_flag("--resume", options->resume,
                                       "Continue the run in the folder; start it where there is none")
                            ->group(restart);
  command
      ->add_flag("--overwrite", options->overwrite,
                 "Delete the files and meshes of an earlier run in the folder; keep other files")
      ->excludes(resume)
      ->group(restart);
  command->add_flag("-q,--quiet", options->quiet, "Print only errors, failed checks and lost results");
  command->footer(
      "Examples:\n"
      "  merganser run scenes/merging_and_splitting/fig04_fluid_beam_on_cloth.json --resolution 0.5\n"
      "  merganser run scene.json -o results/a --set simulation.frameRate=100 --frames 20\n"
      "  merganser run scene.json -o results/b --from results/a@40 --set systems.water.viscosity=0.1\n"
      "  merganser run results/a --resume                    # after Ctrl-C, a kill or a crash\n"
      "  merganser run scene.json -o results/a --resume --max-wall-time 23:50:00   # the same line in every "
      "batch job\n"
      "SIGINT, SIGTERM and SIGUSR1 write a checkpoint and stop (exit code 75); a second one stops at once.");
  command->callback([options, wall_time, &services, &exit_code] {
    if (!wall_time->empty()) options->max_wall_time = parse_duration(*wall_time);
    exit_code = run(*options, services);
  });
}

}  // namespace merganser
