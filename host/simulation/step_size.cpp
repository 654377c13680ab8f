/// Step size control. Compiled once per backend.
#include <cmath>

#include "host/simulation/stepped_simulation.h"

MERGANSER_BEGIN

/// Launches what the next step depends on, and with a row all that systems and particles say for it.
void SteppedSimulation::measure_next_step(bool row) {
  const Range all{0, particles_.count()};
  for (auto& system : systems_) system->measure(particles_, row ? Measures::all : Measures::time_step);
  for (KillBox& box : kill_boxes_) box.measure(particles_);
  if (looks_for_contacts_) merge_split_.measure_bounds(particles_, contact_rules());
  if (row)
    summation_.measure(particles_.const_view(), all, gravity_);
  else
    summation_.measure_speed(particles_.const_view(), all);
}

/// The step of at most `limit` [s] in which nothing, no wall either, moves further than cfl_factor times the
/// least radius, [MS] sec. 5.1.
double SteppedSimulation::cfl_limited(double limit) const {
  const double reach = initial_.cfl_factor * least_radius_;
  double speed = max_speed_ + norm(gravity_) * limit;
  for (const Emitter& emitter : emitters_) speed = std::max(speed, emitter.speed());
  speed = std::max(speed, late_bodies_.greatest_speed());
  speed = std::max(speed, walls_.greatest_speed(time_, time_ + limit));
  return speed * limit > reach ? reach / speed : limit;
}

void SteppedSimulation::limit_next_step() {
  max_speed_ = summation_.max_speed();
  double limit = initial_.max_time_step;
  for (const auto& system : systems_) limit = std::min(limit, system->time_step_limit());
  cfl_time_step_ = cfl_limited(initial_.time_step > 0 ? initial_.time_step : limit);
  time_step_limit_ = initial_.time_step > 0 ? initial_.time_step : cfl_time_step_;
}

/// Steps that would leave a sliver before stop_time are evened out, so that frames do not force tiny steps.
double SteppedSimulation::step_size(double stop_time) const {
  const double remaining = stop_time - time_;
  if (remaining <= time_step_limit_ * (1 + 1e-9)) return remaining;
  if (initial_.time_step > 0) return time_step_limit_;
  return remaining < 3 * time_step_limit_ ? remaining / std::ceil(remaining / time_step_limit_)
                                          : time_step_limit_;
}

MERGANSER_END
