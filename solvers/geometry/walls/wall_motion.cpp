#include "solvers/geometry/walls/wall_motion.h"

#include <algorithm>

#include "solvers/base/parameter_rows.h"
#include "solvers/geometry/walls/rigid_pose.h"

namespace merganser {

using namespace point_arithmetic;

namespace {

constexpr double two_pi = 6.283185307179586;

/// From 0 to 1, at rest at both ends; no steeper than 3/2.
double eased(double s) { return s * s * (3 - 2 * s); }
constexpr double steepest_ease = 1.5;

struct Placed {
  Point3 position;
  Rotation rotation;
};

Placed placed(const WallKeyFrame& frame) {
  return {frame.position, Rotation::about(frame.axis, frame.angle)};
}

/// From one frame to the next, whole turns included: the axis may change, the angle is not cut to half a turn
/// where it does not.
Point3 turn_between(const WallKeyFrame& a, const WallKeyFrame& b) {
  if (a.axis == b.axis) return ((b.angle - a.angle) / length(a.axis)) * a.axis;
  return (placed(b).rotation * placed(a).rotation.inverse()).turn();
}

Placed between(const std::vector<WallKeyFrame>& frames, double time, Interpolation interpolation) {
  if (frames.empty()) return {};
  const auto after = std::upper_bound(frames.begin(), frames.end(), time,
                                      [](double t, const WallKeyFrame& frame) { return t < frame.time; });
  if (after == frames.begin()) return placed(frames.front());
  if (after == frames.end()) return placed(frames.back());
  const WallKeyFrame &a = after[-1], &b = *after;
  const double s = (time - a.time) / (b.time - a.time);
  const double share = interpolation == Interpolation::smooth ? eased(s) : s;
  return {a.position + share * (b.position - a.position),
          Rotation::by(share * turn_between(a, b)) * placed(a).rotation};
}

/// Of the way between key frames that [from, to] touches.
double greatest_frame_speed(const WallMotion& motion, double from, double to, double reach) {
  double speed = 0;
  for (size_t k = 1; k < motion.key_frames.size(); ++k) {
    const WallKeyFrame &a = motion.key_frames[k - 1], &b = motion.key_frames[k];
    if (b.time < from || a.time > to) continue;
    const double way = length(b.position - a.position) + reach * length(turn_between(a, b));
    speed = std::max(speed, way / (b.time - a.time));
  }
  return motion.interpolation == Interpolation::smooth ? steepest_ease * speed : speed;
}

bool ascending(const std::vector<WallKeyFrame>& frames) {
  for (size_t k = 1; k < frames.size(); ++k)
    if (!(frames[k - 1].time < frames[k].time)) return false;
  return true;
}

}  // namespace

const ParameterTable& WallKeyFrame::table() {
  using K = WallKeyFrame;
  static const ParameterTable made =
      ParameterRows<K>("wallKeyFrame")
          .number("time", &K::time, at_least(0), "s", "Time, since startTime of the motion")
          .required()
          .point("position", &K::position, "m", "Displacement from where the scene puts the wall")
          .edge("rotationAxis", &K::axis, "", "Axis of the rotation about the motion's centre")
          .number("rotationAngle", &K::angle, any_number(), "rad", "Angle of the rotation");
  return made;
}

const ParameterTable& WallMotion::table() {
  using M = WallMotion;
  static const ParameterTable made =
      ParameterRows<M>("wallMotion")
          .point("velocity", &M::velocity, "m/s", "Constant velocity")
          .point("acceleration", &M::acceleration, "m/s^2", "Constant acceleration, from rest at startTime")
          .point("angularVelocity", &M::angular_velocity, "rad/s", "Constant angular velocity")
          .point("centre", &M::centre, "m", "Centre of rotations at the start; displacements move it")
          .point("amplitude", &M::amplitude, "m", "Oscillation: amplitude sin(2 pi frequency t + phase)")
          .point("rotationAmplitude", &M::rotation_amplitude, "rad",
                 "Oscillation of the angle about this axis, its length is the amplitude")
          .number("frequency", &M::frequency, at_least(0), "1/s", "Frequency of oscillations")
          .number("phase", &M::phase, any_number(), "rad", "Phase of oscillations at startTime")
          .number("rampTime", &M::ramp_time, at_least(0), "s",
                  "Time in which oscillations grow to their amplitude")
          .list("keyFrames", &M::key_frames, "Displacements and rotations at times, in ascending order")
          .choice("interpolation", &M::interpolation,
                  {{"linear", Interpolation::linear}, {"smooth", Interpolation::smooth}},
                  "Between key frames: constant velocity, or at rest at each frame")
          .number("startTime", &M::start_time, at_least(0), "s", "The wall rests before")
          .number("endTime", &M::end_time, at_least(0), "s", "The wall rests from here on")
          .ordered_times(&M::start_time, &M::end_time)
          .rule(
              "keyFrames", [](const M& m) { return ascending(m.key_frames); },
              ", their times must be in ascending order")
          .rule(
              "frequency",
              [](const M& m) {
                return m.frequency > 0 || (length(m.amplitude) == 0 && length(m.rotation_amplitude) == 0);
              },
              ", must be greater than 0 where amplitude or rotationAmplitude is given");
  return made;
}

bool WallMotion::moves() const {
  return length(velocity) + length(acceleration) + length(angular_velocity) + length(amplitude) +
                 length(rotation_amplitude) >
             0 ||
         !key_frames.empty();
}

RigidPose WallMotion::at(double time) const {
  const double tau = std::clamp(time, start_time, end_time) - start_time;
  const double ramp = tau < ramp_time ? eased(tau / ramp_time) : 1.0;
  const double swing = ramp * std::sin(two_pi * frequency * tau + phase);
  const Placed frame = between(key_frames, tau, interpolation);
  return {Rotation::by(tau * angular_velocity) * Rotation::by(swing * rotation_amplitude) * frame.rotation,
          centre, tau * velocity + (0.5 * tau * tau) * acceleration + swing * amplitude + frame.position};
}

double WallMotion::greatest_speed(double from, double to, double reach) const {
  const double first = std::clamp(from, start_time, end_time) - start_time;
  const double last = std::clamp(to, start_time, end_time) - start_time;
  if (!(first < last)) return 0;
  const double ramp = first < ramp_time ? steepest_ease / ramp_time : 0.0;
  return length(velocity) + last * length(acceleration) + reach * length(angular_velocity) +
         (two_pi * frequency + ramp) * (length(amplitude) + reach * length(rotation_amplitude)) +
         greatest_frame_speed(*this, first, last, reach);
}

}  // namespace merganser
