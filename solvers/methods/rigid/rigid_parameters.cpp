#include "solvers/methods/rigid/rigid_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& RigidMotion::table() {
  using M = RigidMotion;
  static const ParameterTable made =
      ParameterRows<M>("rigidMotion")
          .point("velocity", &M::velocity, "m/s", "Velocity between startTime and endTime")
          .point("angularVelocity", &M::angular_velocity, "rad/s",
                 "Angular velocity about the centre between startTime and endTime")
          .point("centre", &M::centre, "m", "Centre of rotation at startTime; it moves with the velocity")
          .number("startTime", &M::start_time, at_least(0), "s", "Start of the motion")
          .number("endTime", &M::end_time, at_least(0), "s", "End of the motion")
          .ordered_times(&M::start_time, &M::end_time);
  return made;
}

const ParameterTable& RigidParameters::table() {
  using P = RigidParameters;
  static const ParameterTable made =
      ParameterRows<P>("system.rigid")
          .number("tolerance", &P::tolerance, above(0).up_to(0.1), "",
                  "Relative residual at which the solve with the groups of merging-and-splitting stops")
          .integer("maxIterations", &P::max_iterations, at_least(1).up_to(1000000), "",
                   "Most iterations of that solve in a stage")
          .integer("wallIterations", &P::wall_iterations, at_least(1).up_to(100000), "",
                   "Most sweeps over the contacts of a body with walls");
  return made;
}

}  // namespace merganser
