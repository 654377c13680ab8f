#pragma once
/// Programs that a test starts, stops and watches.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace merganser::test {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

struct Finished {
  int exit_code = -1;  ///< 128 + signal where one has ended it
  std::string out, err;
};

/// A child process whose output goes to files in `folder`, which is also its working directory.
class ChildProcess {
 public:
  /// `file_size_limit` [bytes] stands in for a full disk: writes beyond it fail. 0 = none.
  ChildProcess(const std::filesystem::path& folder, std::vector<std::string> arguments,
               size_t file_size_limit = 0)
      : folder_(folder) {
    process_ = fork();
    if (process_ != 0) return;
    signal(SIGINT, SIG_DFL);  // a test that runs in the background would pass on that it is ignored
    const bool placed = chdir(folder.c_str()) == 0 &&
                        dup2(open("stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO) >= 0 &&
                        dup2(open("stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO) >= 0;
    const rlimit limit{file_size_limit, file_size_limit};
    if (!placed || (file_size_limit > 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0)) _exit(126);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~ChildProcess() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send(int signal) { kill(process_, signal); }
  /// Whether it has a handler for the signal by now.
  bool catches(int signal) const {
    const std::string status = text_of("/proc/" + std::to_string(process_) + "/status");
    const size_t caught = status.find("SigCgt:");
    return caught != status.npos &&
           (std::stoull(status.substr(caught + 7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  /// [s] that it has used of processors so far.
  double processor_time() const {
    clockid_t clock;
    timespec used{};
    if (clock_getcpuclockid(process_, &clock) == 0) clock_gettime(clock, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }
  /// Kills it after `seconds`, so that a program that hangs is an exit code and not a test without end.
  Finished wait_at_most(int seconds) {
    for (int tenths = 0; tenths < 10 * seconds; ++tenths) {
      siginfo_t state{};
      waitid(P_PID, static_cast<id_t>(process_), &state, WEXITED | WNOHANG | WNOWAIT);
      if (state.si_pid != 0) return wait();
      usleep(100000);
    }
    send(SIGKILL);
    return wait();
  }
  Finished wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(folder_ / "stdout.txt"),
            text_of(folder_ / "stderr.txt")};
  }

 private:
  std::filesystem::path folder_;
  pid_t process_;
};

}  // namespace merganser::test
