#pragma once
/// The commands of the command line, one function each.
#include <string>

#include "host/services.h"

namespace CLI {
class App;
}

namespace merganser {

/// Adds all commands. A command runs while the command line is parsed and stores its exit code.
/// `services` and `exit_code` must outlive the parsing.
void add_commands(CLI::App& app, const Services& services, int& exit_code);
/// merganser run, by far the longest of them.
void add_run_command(CLI::App& app, const Services& services, int& exit_code);
/// merganser surface.
void add_surface_command(CLI::App& app, const Services& services, int& exit_code);
/// merganser skin.
void add_skin_command(CLI::App& app, const Services& services);

/// To standard output. Throws FileError.
void print(const std::string& text);

}  // namespace merganser
