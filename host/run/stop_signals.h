#pragma once
/// Signals that ask a run to stop in good order: SIGINT, SIGTERM, SIGHUP, SIGUSR1 (what batch systems send
/// ahead of the time limit) and SIGXCPU. The second one ends the program at once, unless it is SIGUSR1.
#include <csignal>
#include <string>
#include <vector>

namespace merganser {

/// Ignores SIGXFSZ and SIGPIPE from now on: a file size limit and a closed pipe are then errors of a write
/// call, and no end of the program where the file is standard error.
void ignore_write_signals();

/// Catches the signals while it lives. A signal that the parent had ignored (nohup) stays ignored. Of nested
/// objects the innermost one counts.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Number of the signal that has come, 0 = none.
  int received() const;
  /// From now on a signal ends the program at once with exit code 75 and a message that tells `when`, such as
  /// "while the scene was read"; a text that stays. For times at which there is nothing to save.
  void end_at_once(const char* when) const;
  /// From now on a signal is noted for received(), as at the beginning.
  void note() const { end_at_once(nullptr); }
  static std::string name(int signal);

 private:
  struct Saved {
    int signal;
    struct sigaction action;
  };
  std::vector<Saved> saved_;
};

}  // namespace merganser
