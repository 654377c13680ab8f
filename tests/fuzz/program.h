#pragma once
/// Cases that start a program of the same build in the case's folder.
#include "tests/fuzz/fuzz.h"
#include "tests/support/child_process.h"

namespace merganser::fuzz {

/// Limits of such cases; the program inherits them.
inline constexpr Limits program_limits{.processor_seconds = 30, .cases_per_process = 50};

enum class Ends {
  when_asked,  ///< a command line may well ask for a run without end: SIGTERM after a while, then it must
               ///< stop
  by_itself    ///< however slow the machine: never asked, so a run without end is a failure
};

/// Runs it to its end.
test::Finished finish(Case& c, const std::string& program, const std::vector<std::string>& arguments,
                      Ends ends = Ends::when_asked);

/// The exit code is one of the table in README.md, and errors are said in one line.
void require_table(Case& c, const test::Finished& run, const std::string& named = "");

/// The last thing said is a line "merganser: error: ..." with `named` in it.
void require_error_line(Case& c, const test::Finished& run, const std::string& named);

}  // namespace merganser::fuzz
