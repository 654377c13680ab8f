#include "solvers/methods/peridynamics/peridynamics_parameters.h"

#include <cmath>

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& PeridynamicsParameters::table() {
  using P = PeridynamicsParameters;
  static const ParameterTable made =
      ParameterRows<P>("system.peridynamics")
          .choice("integration", &P::integration,
                  {{"implicit", PeridynamicIntegration::implicit_euler},
                   {"explicit", PeridynamicIntegration::explicit_verlet}},
                  "Time integration: backward Euler, or velocity Verlet with its stable step")
          .number("horizonFactor", &P::horizon_factor, at_least(1.2).up_to(8), "",
                  "Horizon / particle spacing; 3.015 gives 122 bonds per particle, 4.015 gives 256")
          .number("damping", &P::damping, at_least(0), "s",
                  "Damping coefficient along a bond / its stiffness")
          .number("cfl", &P::cfl, above(0).up_to(1), "", "Fraction of the stable step; explicit only")
          .number("tolerance", &P::tolerance, above(0).up_to(0.99), "",
                  "Relative residual at which conjugate gradients stop")
          .integer("maxIterations", &P::max_iterations, at_least(1).up_to(1e6), "",
                   "Iteration cap; reaching it is reported");
  return made;
}

double critical_stretch(double fracture_energy, double bulk_modulus, double horizon) {
  return std::sqrt(5 * fracture_energy / (9 * bulk_modulus * horizon));
}

double mean_critical_stretch(const PeridynamicMaterial& material, double horizon) {
  return material.critical_stretch > 0
             ? material.critical_stretch
             : critical_stretch(material.fracture_energy, material.bulk_modulus, horizon);
}

double explicit_step(const PeridynamicsParameters& parameters, double stable_step) {
  const double z = parameters.damping / stable_step;
  return parameters.cfl * stable_step / (std::sqrt(1 + z * z) + z);
}

}  // namespace merganser
