#include "solvers/core/fluid_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& FluidParameters::table() {
  using P = FluidParameters;
  static const ParameterTable made =
      ParameterRows<P>("fluid")
          .number("density0", &P::density0, above(0), "kg/m^3", "Rest density")
          .regions("killBox", &P::kill_box, "none",
                   "Boxes that particles must not leave: those in none of them are removed; emitters may "
                   "replace them");
  return made;
}

const ParameterTable& EmitterParameters::table() {
  using P = EmitterParameters;
  static const ParameterTable made =
      ParameterRows<P>("emitter")
          .point("position", &P::position, "m", "Centre of the disc")
          .required()
          .direction("direction", &P::direction, "", "Direction of the jet")
          .number("radius", &P::radius, above(0), "m", "Radius of the disc")
          .required()
          .number("velocity", &P::velocity, above(0), "m/s", "Speed of the jet")
          .required()
          .number("startTime", &P::start_time, at_least(0), "s", "Start of the emission")
          .number("endTime", &P::end_time, at_least(0), "s", "End of the emission")
          .integer("maxParticles", &P::max_particles, at_least(1).up_to(2e9), "",
                   "Number of its particles at which the emitter stops; removed ones do not count")
          .ordered_times(&P::start_time, &P::end_time);
  return made;
}

}  // namespace merganser
