#include <cmath>

#include "solvers/core/method.h"
#include "solvers/methods/peridynamics/brittle_body.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"

namespace merganser {

namespace {
bool is_implicit(const SystemState& system) {
  return system.parameters.of<PeridynamicsParameters>().integration == PeridynamicIntegration::implicit_euler;
}
}  // namespace

/// The stable step of velocity Verlet: Silling & Askari 2005, eq. 34, with the sum over bonds as an integral
/// over the horizon.
Method peridynamics_method() {
  return {.word = "peridynamics",
          .parameters = MethodParameters(PeridynamicsParameters{}),
          .keys = {{&PeridynamicsParameters::table()}, solid_keys()},
          .bodies = BrittleBody::kinds(),
          .bodies_meaning = "brittle or unbreakable solids",
          .bound_step =
              [](const SystemState& system, const InitialState& initial, double, const StepBound& bound) {
                if (is_implicit(system)) return;
                const auto& p = system.parameters.of<PeridynamicsParameters>();
                for (const PeridynamicMaterial& m : p.materials)
                  bound(p.cfl * p.horizon_factor * m.spacing * std::sqrt(m.density / (18 * m.bulk_modulus)),
                        "stiffness of " + initial.bodies[size_t(m.body)].name);
              },
          .is_implicit = is_implicit};
}

}  // namespace merganser
