#pragma once
/// A time in which something is faster than at the start.

namespace merganser {

/// `speed` [m/s] at `start` [s], and it grows by `acceleration` [m/s^2] until `end` [s].
struct SpeedPhase {
  double start = 0, end = 1e30, speed = 0, acceleration = 0;
  double at(double time) const {
    return time < start || time >= end ? 0 : speed + acceleration * (time - start);
  }
};

}  // namespace merganser
