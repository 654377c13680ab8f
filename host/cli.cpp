#include "host/cli.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include <CLI/CLI.hpp>

#include "device/errors.h"
#include "host/atomic_file.h"
#include "host/cli_commands.h"
#include "host/version.h"

namespace merganser {
namespace {

int report(const std::string& message, int exit_code) {
  std::fprintf(stderr, "merganser: error: %s\n", message.c_str());
  return exit_code;
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
    return InputError("'" + text + "' is no duration; allowed: SECONDS, MM:SS, HH:MM:SS, D-HH:MM:SS");
  };
  double seconds = 0, days = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&] {
    double value = 0;
    const auto result = std::from_chars(at, end, value, std::chars_format::fixed);
    if (result.ec != std::errc() || !(value >= 0)) throw wrong();
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
  CLI::App app(
      "Merganser simulates fluids, cloth and solids made of particles, on the GPU or the CPU.\n"
      "Exit codes: 0 done; 2 bad command line or scene; 3 no such device or out of memory; 4 the simulation\n"
      "diverged; 5 a file could not be written; 75 stopped with a checkpoint that --resume continues.",
      "merganser");
  app.set_version_flag("--version", version_text(), "Print version, commit and backends");
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
      throw InputError("there is no command '" + std::string(argv[1]) + "'; see 'merganser --help'");
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + "; see 'merganser --help'", 2);
  } catch (const Error& error) {
    return report(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return report(out_of_memory, 3);
  } catch (const std::length_error&) {  // a vector of more elements than there can be
    return report(out_of_memory, 3);
  } catch (const std::exception& error) {
    return report(std::string("internal error: ") + error.what(), 1);
  }
}

}  // namespace merganser
