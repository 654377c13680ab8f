#pragma once
/// The command line: parsing, commands and exit codes (host/README.md).
#include "host/services.h"

namespace merganser {

/// Runs one command and returns its exit code. Errors are one line "merganser: error: ..." on stderr.
int run_command_line(int argc, char** argv, const Services& services);

/// Seconds of "90", "1:30", "2:00:00" or "1-12:00:00" (the way batch systems write time limits). Throws
/// InputError.
double parse_duration(const std::string& text);

}  // namespace merganser
