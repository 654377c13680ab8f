#include "solvers/core/step_estimate.h"

#include <algorithm>
#include <cmath>

#include "solvers/core/method.h"
#include "solvers/geometry/walls/wall_sides.h"

namespace merganser {

namespace {
double inner(const Point3& g, const Float3& x) { return g[0] * x[0] + g[1] * x[1] + g[2] * x[2]; }
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
  return estimate;
}

}  // namespace merganser
