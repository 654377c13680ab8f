#include "host/cli/cli.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

#include "device/errors.h"
#include "host/cli/cli_commands.h"
#include "host/cli/cli_values.h"
#include "host/run/stop_signals.h"
#include "host/version.h"
#include "solvers/base/text_encoding.h"

namespace merganser {
namespace {

constexpr size_t longest_message = 1400;  // bytes; what the user has named may be of any length

int report(const std::string& message, int exit_code) {
  std::fprintf(stderr, "merganser: error: %s\n",
               printable_lines(shortened(message, longest_message)).c_str());
  return exit_code;
}

/// The number of a closed standard stream would go to the next file that is opened, and texts with it.
void open_closed_streams() {
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = ::open("/dev/null", O_RDWR);
  if (file > STDERR_FILENO) ::close(file);
}

constexpr const char* out_of_memory =
    "out of memory: lower --resolution (sample: raise --spacing; surface: raise --cell-size), or end other "
    "programs; the last checkpoint of a run is whole";

/// An exception that no catch clause sees, because it left a parallel region, a thread or a library's
/// noexcept function. Nothing can be unwound any more, but files are whole or not there at any time.
[[noreturn]] void end_with_exit_code() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    std::_Exit(report(error.what(), error.exit_code()));
  } catch (const std::bad_alloc&) {
    std::_Exit(report(out_of_memory, 3));
  } catch (const std::length_error&) {
    std::_Exit(report(out_of_memory, 3));
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      std::_Exit(report("out of memory or threads; lower --resolution or --threads", 3));
  } catch (...) {
  }
  std::abort();
}

}  // namespace

double parse_duration(const std::string& text) {
  const auto wrong = [&] {
    return InputError(
        "'" + shortened(text, 60) +
        "' is no duration; allowed: SECONDS, MM:SS, HH:MM:SS, D-HH:MM:SS; what follows a '-' is below "
        "24, what follows a ':' below 60");
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
  const auto number_below = [&](double limit) {
    const double value = number();
    if (!(value < limit)) throw wrong();
    return value;
  };
  seconds = number();
  const bool has_days = at != end && *at == '-';
  if (has_days) {
    days = seconds;
    ++at;
    seconds = number_below(24);
  }
  int parts = 1;
  for (; at != end && *at == ':'; ++parts) {
    ++at;
    seconds = 60 * seconds + number_below(60);
  }
  if (at != end || parts > 3 || (has_days && parts != 3)) throw wrong();
  return days * 86400 + seconds;
}

int run_command_line(int argc, char** argv, const Services& services) {
  std::optional<StopSignals> from_the_start;
  if (argc > 1 && argv[1] == std::string_view("run")) {
    from_the_start.emplace();
    from_the_start->end_at_once("before the scene was read");
  }
  open_closed_streams();
  ignore_write_signals();
  CLI::App app(
      "Merganser simulates fluids, cloth and solids made of particles, on the GPU or the CPU.\n"
      "Exit codes: 0 done; 2 bad command line or scene; 3 no such device or out of memory; 4 the simulation\n"
      "diverged; 5 a file could not be read or written; 6 done, but a check of the scene failed; 75 stopped\n"
      "with a checkpoint that --resume continues.",
      "merganser");
  app.set_version_flag("--version", version_text(), "Print version, commit, build and backends");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.get_formatter()->column_width(34);
  std::set_terminate(end_with_exit_code);
  int exit_code = 0;
  add_commands(app, services, exit_code);
  try {
    const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named))
      throw InputError("there is no command '" + shortened(argv[1], 60) + "'; see 'merganser --help'");
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
      std::ostringstream text;
      app.exit(asked, text);
      print(text.str());
    }
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return report(shortened(error.what(), 300) + "; see 'merganser --help'", 2);
  } catch (const Error& error) {
    return report(error.what(), error.exit_code());
  } catch (const std::filesystem::filesystem_error& error) {
    return report("cannot use '" + error.path1().string() + "': " + error.code().message() +
                      "; check its name and permissions",
                  5);
  } catch (const std::bad_alloc&) {
    return report(out_of_memory, 3);
  } catch (const std::length_error&) {  // a vector of more elements than there can be
    return report(out_of_memory, 3);
  } catch (const std::exception& error) {
    return report("internal error: " + without_tag(error.what()) +
                      "; this is a fault of the program: report it with the command and its files",
                  1);
  }
}

}  // namespace merganser
