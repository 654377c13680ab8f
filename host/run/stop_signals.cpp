#include "host/run/stop_signals.h"

#include <unistd.h>

#include <ctime>

namespace merganser {
namespace {

volatile std::sig_atomic_t received_signal = 0;
timespec received_at;  // of the first one

/// `timeout` and queues send theirs to a process and to its group: the same one twice at once is one.
bool is_echo(int signal) {
  constexpr double shortest = 0.5;  // [s] in which nobody insists
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return signal == received_signal &&
         double(now.tv_sec - received_at.tv_sec) + 1e-9 * double(now.tv_nsec - received_at.tv_nsec) <
             shortest;
}

extern "C" void note_signal(int signal) {
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

std::string StopSignals::name(int signal) {
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
      return "signal " + std::to_string(signal);
  }
}

}  // namespace merganser
