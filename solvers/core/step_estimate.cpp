#include "solvers/core/step_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "solvers/core/free_fall.h"
#include "solvers/core/method.h"
#include "solvers/geometry/walls/wall_sides.h"

namespace merganser {

namespace {
double inner(const Point3& g, const Float3& x) { return g[0] * x[0] + g[1] * x[1] + g[2] * x[2]; }

/// [m/s] largest behind an elastic impact of two solids: what a of mass m_a hits leaves with up to
///   v_b + 2 m_a/(m_a + m_b) (v_a - v_b).
double speed_of_impacts(const InitialState& initial) {
  struct Body {
    double mass = 0, momentum[3] = {0, 0, 0};
    double speed_to(const Body& other, double share) const {
      double v[3];
      for (int axis = 0; axis < 3; ++axis) {
        const double own = momentum[axis] / mass, theirs = other.momentum[axis] / other.mass;
        v[axis] = theirs + share * (own - theirs);
      }
      return std::hypot(v[0], v[1], v[2]);
    }
  };
  std::vector<Body> bodies(initial.bodies.size());
  for (const SystemState& system : initial.systems) {
    if (is_fluid(system)) continue;
    for (size_t i = 0; i < system.position.size(); ++i) {
      Body& body = bodies[size_t(system.body[i])];
      body.mass += system.mass[i];
      for (size_t axis = 0; axis < 3; ++axis)
        body.momentum[axis] += double(system.mass[i]) * system.velocity[i][axis];
    }
  }
  double speed = 0;
  for (const Body& a : bodies) {
    if (!(a.mass > 0) || (a.momentum[0] == 0 && a.momentum[1] == 0 && a.momentum[2] == 0)) continue;
    for (const Body& b : bodies)
      if (b.mass > 0) speed = std::max(speed, a.speed_to(b, 2 * a.mass / (a.mass + b.mass)));
  }
  return speed;
}

/// [m/s] that the start says: of particles, emitters, walls, impacts, and the fall through the scene's
/// height.
double speed_at_start(const InitialState& initial, double& least_radius) {
  double speed = 0, top = -1e300, bottom = 1e300;
  for (const SystemState& system : initial.systems) {
    for (size_t i = 0; i < system.position.size(); ++i) {
      const Float3& v = system.velocity[i];
      speed = std::max(speed, double(std::hypot(v[0], v[1], v[2])));
      least_radius = std::min(least_radius, double(system.radius[i]));
      const double fall = inner(initial.gravity, system.position[i]);
      top = std::max(top, fall);
      bottom = std::min(bottom, fall);
    }
    for (const EmitterParameters& emitter : system.emitters) {
      speed = std::max(speed, emitter.velocity);
      least_radius = std::min(least_radius, system.fluid.particle_radius);
    }
  }
  for (const WallParameters& wall : initial.walls)
    for (const SystemState& system : initial.systems)
      speed = std::max(speed, greatest_speed(wall, ball_around(system.position), 0, initial.end_time));
  if (initial.coupling.method != ContactMethod::none) speed = std::max(speed, speed_of_impacts(initial));
  return std::sqrt(speed * speed + 2 * std::max(0.0, top - bottom));
}

/// Times within the run in which something is faster than that speed.
std::vector<SpeedPhase> faster_phases(const InitialState& initial, double speed) {
  std::vector<SpeedPhase> all = speeds_of_falls(initial);
  for (const SystemState& system : initial.systems) {
    for (const PrescribedMotion& motion : system.prescribed)
      all.push_back(phase_of(motion, system, motion.particles));
    if (!system.method->told_speeds) continue;
    const std::vector<SpeedPhase> told = system.method->told_speeds(system, initial);
    all.insert(all.end(), told.begin(), told.end());
  }
  std::vector<SpeedPhase> faster;
  for (SpeedPhase phase : all) {
    phase.end = std::min(phase.end, initial.end_time);
    const double last = phase.speed + phase.acceleration * (phase.end - phase.start);
    if (phase.start < phase.end && std::max(phase.speed, last) > speed) faster.push_back(phase);
  }
  return faster;
}

/// The bounds on the step at one speed.
void bound_step(const InitialState& initial, double least_radius, StepEstimate& estimate) {
  estimate.step = initial.max_time_step;
  estimate.limited_by = "simulation.maxTimeStepSize";
  auto limit = [&](double step, const std::string& by) {
    if (step >= estimate.step) return;
    estimate.step = step;
    estimate.limited_by = by;
  };
  if (estimate.speed > 0) estimate.cfl_step = initial.cfl_factor * least_radius / estimate.speed;
  limit(estimate.cfl_step, "simulation.cflFactor");
  const auto limit_of_method = [&](double step, const std::string& by) {
    limit(step, by);
    if (step >= estimate.method_step) return;
    estimate.method_step = step;
    estimate.method_limited_by = by;
  };
  for (const SystemState& system : initial.systems)
    if (system.method->bound_step)
      system.method->bound_step(system, initial, estimate.speed, limit_of_method);
  if (initial.time_step > 0) {
    estimate.step = initial.time_step;
    estimate.limited_by = "simulation.timeStepSize";
  }
}

/// Steps of that size until the end, each frame a whole number of them.
double steps_of(const InitialState& initial, double step) {
  const double frame = 1 / initial.frame_rate, whole = std::floor(initial.end_time / frame + 1e-9);
  const auto steps_in = [&](double time) { return std::ceil(time / step - 1e-6); };
  return whole * steps_in(frame) + std::max(0.0, steps_in(initial.end_time - whole * frame));
}

/// Beginnings and ends of the phases; of very many, times that are evenly apart.
std::vector<double> times_of(const std::vector<SpeedPhase>& phases, double end_time) {
  constexpr int most = 64;
  std::set<double> times{0, end_time};
  for (const SpeedPhase& phase : phases) times.insert({std::max(0.0, phase.start), phase.end});
  if (times.size() <= most) return {times.begin(), times.end()};
  std::vector<double> even;
  for (int k = 0; k <= most; ++k) even.push_back(end_time * k / most);
  return even;
}

/// To 2 %, so that few bounds are asked for.
double rounded_speed(double speed) {
  constexpr double per_e = 50;
  return speed > 0 ? std::exp(std::round(std::log(speed) * per_e) / per_e) : 0;
}

/// The same with steps that follow the speed, `speed` [m/s] where no phase is faster.
double steps_through(const InitialState& initial, double least_radius, double speed,
                     const std::vector<SpeedPhase>& phases) {
  constexpr int parts = 16;  // of the time from one beginning or end to the next
  const std::vector<double> times = times_of(phases, initial.end_time);
  std::map<double, double> steps_at;  // of the whole time, by speed
  double steps = 0;
  for (size_t k = 0; k + 1 < times.size(); ++k) {
    const double part = (times[k + 1] - times[k]) / parts;
    for (int p = 0; p < parts; ++p) {
      StepEstimate now;
      now.speed = speed;
      for (const SpeedPhase& phase : phases)
        now.speed = std::max(now.speed, rounded_speed(phase.at(times[k] + (p + 0.5) * part)));
      const auto [known, is_new] = steps_at.try_emplace(now.speed, 0);
      if (is_new) {
        bound_step(initial, least_radius, now);
        known->second = steps_of(initial, now.step);
      }
      steps += known->second * part / initial.end_time;
    }
  }
  return std::ceil(steps - 1e-6);
}
}  // namespace

StepEstimate estimate_step(const InitialState& initial) {
  StepEstimate estimate;
  double least_radius = 1e300;
  const double at_start = speed_at_start(initial, least_radius);
  const std::vector<SpeedPhase> phases = faster_phases(initial, at_start);
  estimate.speed = at_start;
  for (const SpeedPhase& phase : phases)
    estimate.speed =
        std::max({estimate.speed, phase.speed, phase.speed + phase.acceleration * (phase.end - phase.start)});
  bound_step(initial, least_radius, estimate);
  estimate.steps = phases.empty() ? steps_of(initial, estimate.step)
                                  : steps_through(initial, least_radius, at_start, phases);
  return estimate;
}

}  // namespace merganser
