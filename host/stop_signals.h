#pragma once
/// Signals that ask a run to stop in good order: SIGINT, SIGTERM, SIGHUP, SIGUSR1 (what batch systems send
/// ahead of the time limit) and SIGXCPU. The second one ends the program at once.
#include <csignal>
#include <string>
#include <vector>

namespace merganser {

/// Catches the signals while it lives, and ignores SIGXFSZ and SIGPIPE, so that a file size limit and a
/// closed terminal are errors of a write call. A signal that the parent had ignored (nohup) stays ignored.
/// One object at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Number of the signal that has come, 0 = none.
  int received() const;
  static std::string name(int signal);

 private:
  struct Saved {
    int signal;
    struct sigaction action;
  };
  std::vector<Saved> saved_;
};

}  // namespace merganser
