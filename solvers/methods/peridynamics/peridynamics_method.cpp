#include <algorithm>
#include <cmath>

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
                  bound(p.cfl * p.horizon_factor * m.spacing * std::sqrt(m.density / (18 * m.bulk_modulus)),
                        "stiffness of " + initial.bodies[size_t(m.body)].name);
              },
          .estimate = estimate,
          .expect_start = expect_before_walls,
          .refuse_period = solid_refuses_period,
          .is_implicit = is_implicit,
          .starts_from_particles = false,
          .stabilizer = "a smaller youngsModulus or more damping"};
}

}  // namespace merganser
