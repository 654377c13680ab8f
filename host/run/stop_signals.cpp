#include "host/run/stop_signals.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <ctime>

#include "host/run/run.h"
#include "host/terminal_line.h"

namespace merganser {
namespace {

volatile std::sig_atomic_t received_signal = 0;
timespec received_at;  // of the first one
std::atomic<const char*> nothing_to_save{nullptr};
bool clears_line = false;

/// `timeout` and queues send theirs to a process and to its group: the same one twice at once is one.
bool is_echo(int signal) {
  constexpr double shortest = 0.5;  // [s] in which nobody insists
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return signal == received_signal &&
         double(now.tv_sec - received_at.tv_sec) + 1e-9 * double(now.tv_nsec - received_at.tv_nsec) <
             shortest;
}

const char* name_of_signal(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGXCPU:
      return "SIGXCPU";
    default:
      return "a signal";
  }
}

/// Calls what a handler may call.
[[noreturn]] void end_now(int signal, const char* when) {
  for (const char* piece : {clears_line ? "\r\033[K" : "", "merganser: stopped: ", name_of_signal(signal),
                            " ", when, "; nothing was written; the same command starts again\n"})
    if (::write(STDERR_FILENO, piece, std::strlen(piece)) < 0) break;  // nobody listens
  _exit(stopped_exit_code);
}

extern "C" void note_signal(int signal) {
  if (const char* when = nothing_to_save) end_now(signal, when);
  if (received_signal != 0) {
    if (signal == SIGUSR1) return;  // of a script that passes on what a queue has sent to both
    if (is_echo(signal)) return;
    _exit(128 + signal);  // the user insists
  }
  clock_gettime(CLOCK_MONOTONIC, &received_at);
  received_signal = signal;
}

}  // namespace

void ignore_write_signals() {
  for (const int signal : {SIGXFSZ, SIGPIPE}) std::signal(signal, SIG_IGN);
}

StopSignals::StopSignals() {
  received_signal = 0;
  clears_line = stderr_is_terminal();
  struct sigaction stop {};
  stop.sa_handler = note_signal;
  stop.sa_flags = SA_RESTART;
  sigfillset(&stop.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU}) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;
    sigaction(signal, &stop, nullptr);
    saved_.push_back({signal, old});
  }
}

StopSignals::~StopSignals() {
  for (const Saved& saved : saved_) sigaction(saved.signal, &saved.action, nullptr);
}

int StopSignals::received() const { return received_signal; }

void StopSignals::end_at_once(const char* when) const {
  nothing_to_save = when;
  if (when && received_signal != 0) end_now(received_signal, when);  // it came before this call
}

std::string StopSignals::name(int signal) { return name_of_signal(signal); }

}  // namespace merganser
