#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "solvers/core/method.h"
#include "solvers/core/start_checks.h"
#include "solvers/methods/peridynamics/brittle_body.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"

namespace merganser {

namespace {

bool is_implicit(const SystemState& system) {
  return system.parameters.of<PeridynamicsParameters>().integration == PeridynamicIntegration::implicit_euler;
}

/// Half the particles of a sphere of the horizon's radius each; thin bodies have fewer.
void estimate(const SystemState& system, double, SystemEstimate& made) {
  constexpr PieceBytes particle{190, 170}, bond{31, 12};
  const double horizon = system.parameters.of<PeridynamicsParameters>().horizon_factor;
  for (const BodyEstimate& body : made.bodies)
    made.bonds += 0.5 * body.particles * ball_volume(horizon) * std::min(1.0, 0.75 * body.thinnest / horizon);
  made.add(made.all_particles(), particle);
  made.add(made.bonds, bond);
}

/// Loads push a body as a whole: by their mean over its mass. Held bodies only bend.
std::vector<SpeedPhase> speeds_of_loads(const SystemState& system, const InitialState& initial) {
  std::vector<double> mass(initial.bodies.size(), 0);
  std::vector<char> held(initial.bodies.size(), 0);
  for (size_t i = 0; i < system.mass.size(); ++i) {
    mass[size_t(system.body[i])] += double(system.mass[i]);
    if (!system.immobile.empty() && system.immobile[i]) held[size_t(system.body[i])] = 1;
  }
  struct Push {
    double start, end;
    Point3 acceleration;  ///< [m/s^2] of the body as a whole
  };
  std::map<int, std::vector<Push>> pushes;
  for (const PeridynamicLoad& load : system.parameters.of<PeridynamicsParameters>().loads) {
    std::map<int, double> loaded;
    for (const int i : load.particles) loaded[system.body[size_t(i)]] += double(system.mass[size_t(i)]);
    for (const auto& [body, of_load] : loaded) {
      if (held[size_t(body)]) continue;
      Push push{load.start_time, std::min(load.end_time, initial.end_time), load.acceleration};
      for (double& a : push.acceleration) a *= of_load / mass[size_t(body)];
      if (push.start < push.end) pushes[body].push_back(push);
    }
  }
  std::vector<SpeedPhase> phases;
  for (const auto& [body, all] : pushes) {
    std::set<double> times{initial.end_time};
    for (const Push& push : all) times.insert({push.start, push.end});
    Point3 velocity{0, 0, 0};
    for (auto from = times.begin(); std::next(from) != times.end(); ++from) {
      const double to = *std::next(from);
      Point3 sum{0, 0, 0};
      for (const Push& push : all)
        for (size_t axis = 0; axis < 3; ++axis)
          if (push.start <= *from && push.end >= to) sum[axis] += push.acceleration[axis];
      const double before = std::hypot(velocity[0], velocity[1], velocity[2]);
      for (size_t axis = 0; axis < 3; ++axis) velocity[axis] += sum[axis] * (to - *from);
      const double after = std::hypot(velocity[0], velocity[1], velocity[2]);
      phases.push_back({*from, to, before, (after - before) / (to - *from)});
    }
  }
  return phases;
}

}  // namespace

/// The stable step of velocity Verlet: Silling & Askari 2005, eq. 34, with the sum over bonds as an integral
/// over the horizon.
Method peridynamics_method() {
  return {.word = "peridynamics",
          .parameters = MethodParameters(PeridynamicsParameters{}),
          .keys = {solid_keys(), {&PeridynamicsParameters::table()}},
          .bodies = BrittleBody::kinds(),
          .bodies_meaning = "Brittle or unbreakable solids",
          .bound_step =
              [](const SystemState& system, const InitialState& initial, double, const StepBound& bound) {
                if (is_implicit(system)) return;
                const auto& p = system.parameters.of<PeridynamicsParameters>();
                for (const PeridynamicMaterial& m : p.materials)
                  bound(explicit_step(
                            p, p.horizon_factor * m.spacing * std::sqrt(m.density / (18 * m.bulk_modulus))),
                        (p.damping > 0 ? "stiffness and damping of " : "stiffness of ") +
                            initial.bodies[size_t(m.body)].name);
              },
          .told_speeds = speeds_of_loads,
          .estimate = estimate,
          .expect_start = expect_before_walls,
          .refuse_period = solid_refuses_period,
          .is_implicit = is_implicit,
          .starts_from_particles = false,
          .stabilizer = "a smaller youngsModulus or more damping"};
}

}  // namespace merganser
