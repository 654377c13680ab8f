#include "solvers/core/step_estimate.h"

#include <algorithm>
#include <cmath>

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
}  // namespace

StepEstimate estimate_step(const InitialState& initial) {
  StepEstimate estimate;
  double speed = 0, least_radius = 1e300, top = -1e300, bottom = 1e300;
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
  estimate.speed = std::sqrt(speed * speed + 2 * std::max(0.0, top - bottom));
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
  const double frame = 1 / initial.frame_rate, whole = std::floor(initial.end_time / frame + 1e-9);
  const auto steps_in = [&](double time) { return std::ceil(time / estimate.step - 1e-6); };
  estimate.steps = whole * steps_in(frame) + std::max(0.0, steps_in(initial.end_time - whole * frame));
  return estimate;
}

}  // namespace merganser
