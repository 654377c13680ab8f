#include "tests/fuzz/program.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

namespace merganser::fuzz {
namespace {

using test::ChildProcess;
using test::Finished;

std::string beside_the_tests(const std::string& program) {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename(program).string();
}

}  // namespace

Finished finish(Case& c, const std::string& program, const std::vector<std::string>& arguments, Ends ends) {
  std::vector<std::string> whole{beside_the_tests(program)};
  whole.insert(whole.end(), arguments.begin(), arguments.end());
  // For a program that runs in circles; one that waits is ended by the clock.
  const auto seconds = static_cast<rlim_t>(processor_seconds(program_limits));
  const rlimit processor{seconds, seconds};
  setrlimit(RLIMIT_CPU, &processor);
  ChildProcess process(c.folder, whole);
  siginfo_t state{};
  bool asked = ends == Ends::by_itself;
  for (int round = 0; round < 240000 && state.si_pid == 0; ++round) {
    const bool long_enough =
        round % 100 == 0 && process.processor_time() > 0.02 * processor_seconds(program_limits);
    if (!asked && long_enough && process.catches(SIGTERM)) {
      process.send(SIGTERM);
      asked = true;
    }
    usleep(1000);
    waitid(P_ALL, 0, &state, WEXITED | WNOHANG | WNOWAIT);
  }
  if (state.si_pid == 0) c.fail("does not end");
  return process.wait();
}

void require_error_line(Case& c, const Finished& run, const std::string& named) {
  const size_t at = run.err.rfind("merganser: error: ");
  if (at == run.err.npos || run.err.find('\n', at) != run.err.size() - 1)
    c.fail("the last line is no error: " + fuzz::shortened(run.err));
  fuzz::require_good_message(c, run.err.substr(at, run.err.size() - 1 - at), named);
}

void require_table(Case& c, const Finished& run, const std::string& named) {
  static const std::set<int> table = {0, 2, 3, 4, 5, 6, 75};
  if (!table.contains(run.exit_code))
    c.fail("exit code " + std::to_string(run.exit_code) + ": " + fuzz::shortened(run.err));
  if (run.exit_code == 0 || run.exit_code == 6 || run.exit_code == 75) return;
  require_error_line(c, run, named);
}

}  // namespace merganser::fuzz
