#include "host/run/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/text_encoding.h"

namespace merganser {
namespace {

constexpr double memory_seconds = 20;  // time constant of the speed that "left" is reckoned from
constexpr std::chrono::milliseconds refresh_interval{200};

/// 1234567 -> "1.23 M"
std::string short_number(double value) {
  if (value >= 1e9) return fmt::format("{:.3g} G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.3g} M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.3g} k", value / 1e3);
  return fmt::format("{:.3g}", value);
}

}  // namespace

Progress::Mode Progress::mode_of_stderr(bool quiet) {
  if (quiet) return Mode::quiet;
  return stderr_is_terminal() ? Mode::terminal : Mode::plain;
}

Progress::Progress(Mode mode, double end_time, long long end_step)
    : mode_(mode), end_time_(end_time), end_step_(end_step) {}

double Progress::done(const StepStatistics& row) const {
  double share = end_time_ > 0 ? row.time / end_time_ : 1;
  if (end_step_ > 0) share = std::max(share, static_cast<double>(row.step) / static_cast<double>(end_step_));
  return std::clamp(share, 0.0, 1.0);
}

std::string Progress::line(const StepStatistics& row, int particles, double particle_steps_per_second,
                           double seconds_left) const {
  // What matters most stands first: a narrow terminal shows the beginning.
  return fmt::format(
      "{:5.1f} %  {} left  t {:.4g} s  step {}  dt {:.2g} s  {}/s particle-steps  {} contacts  {} particles",
      100 * done(row), duration_text(seconds_left), row.time, row.step, row.dt,
      short_number(particle_steps_per_second), row["contacts"], short_number(particles));
}

void Progress::update(const StepStatistics& row, int particles) {
  if (mode_ != Mode::terminal) return;
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_update_).count();
  const double share = done(row);
  if (last_done_ >= 0) {
    const double fade = std::exp(-seconds / memory_seconds);
    faded_seconds_ = faded_seconds_ * fade + seconds;
    faded_done_ = faded_done_ * fade + (share - last_done_);
    faded_particle_steps_ = faded_particle_steps_ * fade + particles;
  }
  last_update_ = now;
  last_done_ = share;
  if (now - last_shown_ < refresh_interval || faded_seconds_ <= 0) return;
  last_shown_ = now;
  const double left = faded_done_ > 0 ? (1 - share) * faded_seconds_ / faded_done_ : -1;
  renew_line(line(row, particles, faded_particle_steps_ / faded_seconds_, left));
  visible_ = true;
}

void Progress::clear() {
  if (visible_) clear_line();
  visible_ = false;
}

void Progress::say(const std::string& text) {
  if (mode_ != Mode::quiet) insist(text);
}

void Progress::insist(const std::string& text) {
  clear();
  std::fprintf(stderr, "merganser: %s\n", printable_lines(text).c_str());
  std::fflush(stderr);
}

std::string RelaxationLine::relaxing_text(const RelaxationProgress& p) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double left = p.iterations > 0 ? seconds / p.iterations * (p.most_iterations - p.iterations) : 0;
  return fmt::format("relaxing {} particles: step {} of at most {}, they move by {:.2g} spacings{}",
                     p.particles, p.iterations, p.most_iterations, p.moved,
                     left > 0 ? ", at most " + duration_text(left) + " left" : "");
}

void RelaxationLine::operator()(const RelaxationProgress& p) {
  if (mode_ == Progress::Mode::quiet) return;
  const bool renewed = mode_ == Progress::Mode::terminal;
  if (p.iterations == 0 && !p.ended) {
    const bool begins = p.prepared || p.share == 0;
    if (p.prepared) start_ = Clock::now();
    if (!renewed && begins)
      std::fprintf(stderr, "merganser: %s %d particles\n", p.prepared ? "relaxing" : "preparing to relax",
                   p.particles);
  }
  if (!renewed) return;
  if (p.ended)
    clear_line();
  else
    renew_line(p.prepared ? relaxing_text(p)
                          : fmt::format("preparing to relax {} particles: {}, {:.0f} %", p.particles,
                                        p.preparing, 100 * p.share));
}

}  // namespace merganser
