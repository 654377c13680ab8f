#include "host/cli.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <new>

#include <CLI/CLI.hpp>

#include "host/cli_commands.h"
#include "host/cli_values.h"
#include "host/stop_signals.h"
#include "host/version.h"

namespace merganser {
namespace {

constexpr size_t longest_message = 4000;  // bytes; what the user has named may be of any length

int report(const std::string& message, int exit_code) {
  std::fprintf(stderr, "merganser: error: %s\n", shortened(message, longest_message).c_str());
  return exit_code;
}

/// The number of a closed standard stream would go to the next file that is opened, and texts with it.
void open_closed_streams() {
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = ::open("/dev/null", O_RDWR);
  if (file > STDERR_FILENO) ::close(file);
}

}  // namespace

double parse_duration(const std::string& text) {
  const auto wrong = [&] {
    return InputError("'" + shortened(text, 60) +
                      "' is no duration; allowed: SECONDS, MM:SS, HH:MM:SS, D-HH:MM:SS");
  };
  double seconds = 0, days = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&] {
    double value = 0;
    const auto result = std::from_chars(at, end, value, std::chars_format::fixed);
    if (result.ec != std::errc() || !(value >= 0 && std::isfinite(value))) throw wrong();
    at = result.ptr;
    return value;
  };
  seconds = number();
  if (at != end && *at == '-') {
    days = seconds;
    ++at;
    seconds = number();
  }
  int parts = 1;
  for (; at != end && *at == ':'; ++parts) {
    ++at;
    seconds = 60 * seconds + number();
  }
  if (at != end || parts > 3 || (days > 0 && parts != 3)) throw wrong();
  return days * 86400 + seconds;
}

int run_command_line(int argc, char** argv, const Services& services) {
  open_closed_streams();
  ignore_write_signals();
  CLI::App app(
      "Merganser simulates fluids, cloth and solids made of particles, on the GPU or the CPU.\n"
      "Exit codes: 0 done; 2 bad command line or scene; 3 no such device or out of memory; 4 the simulation\n"
      "diverged; 5 a file could not be read or written; 6 done, but a check of the scene failed; 75 stopped\n"
      "with a checkpoint that --resume continues.",
      "merganser");
  app.set_version_flag("--version", version_text(), "Print version, commit and backends");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.get_formatter()->column_width(34);
  int exit_code = 0;
  add_commands(app, services, exit_code);
  try {
    const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named))
      throw InputError("there is no command '" + shortened(argv[1], 60) + "'; see 'merganser --help'");
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(shortened(error.what(), 300) + "; see 'merganser --help'", 2);
  } catch (const Error& error) {
    return report(error.what(), error.exit_code());
  } catch (const std::filesystem::filesystem_error& error) {
    return report("cannot use '" + error.path1().string() + "': " + error.code().message() +
                      "; check its name and permissions",
                  5);
  } catch (const std::bad_alloc&) {
    return report("out of memory; lower --resolution", 3);
  } catch (const std::exception& error) {
    return report(std::string("internal error: ") + error.what(), 1);
  }
}

}  // namespace merganser
