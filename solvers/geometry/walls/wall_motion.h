#pragma once
/// Motion of a wall: a function of time. The parts that it names add up: a constant velocity, acceleration
/// and spin, an oscillation, key frames.
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct ParameterTable;
struct RigidPose;

/// Where a wall is at a time, relative to where the scene puts it.
struct WallKeyFrame {
  static const ParameterTable& table();
  double time = 0;           ///< [s]
  Point3 position{0, 0, 0};  ///< [m] displacement
  Point3 axis{0, 0, 1};      ///< of the rotation
  double angle = 0;          ///< [rad]
  bool operator==(const WallKeyFrame&) const = default;
};

enum class Interpolation {
  linear,  ///< constant velocity and spin from frame to frame
  smooth   ///< at rest at each frame: the share s of the way is s^2 (3 - 2 s)
};

/// With tau the time since start_time, between 0 and end_time - start_time, the wall is displaced by
///   velocity tau + acceleration tau^2/2 + r(tau) amplitude sin(2 pi frequency tau + phase) + the key frames'
///   position
/// and turned about `centre`, which the displacement takes along, by
///   angular_velocity tau after r(tau) rotation_amplitude sin(...) after the key frames' rotation,
/// r = s^2 (3 - 2 s) with s = tau/ramp_time up to 1. Before the first key frame and behind the last it is
/// where they are.
struct WallMotion {
  static const ParameterTable& table();
  Point3 velocity{0, 0, 0};            ///< [m/s]
  Point3 acceleration{0, 0, 0};        ///< [m/s^2]
  Point3 angular_velocity{0, 0, 0};    ///< [rad/s]
  Point3 centre{0, 0, 0};              ///< [m] of rotations
  Point3 amplitude{0, 0, 0};           ///< [m]
  Point3 rotation_amplitude{0, 0, 0};  ///< [rad] axis times angle
  double frequency = 0;                ///< [1/s]
  double phase = 0;                    ///< [rad]
  double ramp_time = 0;                ///< [s] until the oscillation has its amplitude
  std::vector<WallKeyFrame> key_frames = {};
  Interpolation interpolation = Interpolation::linear;
  double start_time = 0, end_time = 1e30;  ///< [s] it stands still before and after
  bool operator==(const WallMotion&) const = default;

  /// Whether it is anywhere else than where the scene puts it, at any time.
  bool moves() const;
  RigidPose at(double time) const;
  /// Bound of the speed [m/s] of points within `reach` [m] of the centre, at all times in [from, to].
  double greatest_speed(double from, double to, double reach) const;
};

}  // namespace merganser
