#include "solvers/methods/mass_spring/mass_spring_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& MassSpringParameters::table() {
  using P = MassSpringParameters;
  static const ParameterTable made = ParameterRows<P>("system.massSpring")
                                         .number("springDamping", &P::spring_damping, at_least(0), "s",
                                                 "Damping coefficient along a spring / its stiffness")
                                         .number("airDamping", &P::air_damping, at_least(0), "1/s",
                                                 "Drag coefficient: the force is -m airDamping v")
                                         .number("tolerance", &P::tolerance, above(0).up_to(1), "",
                                                 "Relative residual at which conjugate gradients stop")
                                         .integer("maxIterations", &P::max_iterations, at_least(1).up_to(1e6),
                                                  "", "Iteration cap; reaching it is reported");
  return made;
}

}  // namespace merganser
