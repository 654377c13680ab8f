#pragma once
/// A time in which something is faster than at the start.
#include <algorithm>
#include <cmath>

#include "solvers/core/initial_state.h"

namespace merganser {

/// `speed` [m/s] at `start` [s], and it grows by `acceleration` [m/s^2] until `end` [s].
struct SpeedPhase {
  double start = 0, end = 1e30, speed = 0, acceleration = 0;
  double at(double time) const {
    return time < start || time >= end ? 0 : speed + acceleration * (time - start);
  }
};

/// That of a prescribed motion, at most: its particles (local indices of the system) turn about its centre
/// with the arms of the start.
template <class Motion, class Indices>
SpeedPhase phase_of(const Motion& motion, const SystemState& system, const Indices& particles) {
  const Point3 &v = motion.velocity, &w = motion.angular_velocity;
  double turning = 0;
  for (const int i : particles) {
    double arm[3];
    for (size_t axis = 0; axis < 3; ++axis)
      arm[axis] = system.position[size_t(i)][axis] - motion.centre[axis];
    turning = std::max(turning, std::hypot(w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2],
                                           w[0] * arm[1] - w[1] * arm[0]));
  }
  return {motion.start_time, motion.end_time, std::hypot(v[0], v[1], v[2]) + turning, 0};
}

}  // namespace merganser
