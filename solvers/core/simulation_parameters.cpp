#include "solvers/core/simulation_parameters.h"

#include "solvers/base/parameter_table.h"

namespace merganser {

namespace {

const ParameterTable& periodic_table() {
  using P = SimulationParameters;
  static const ParameterTable made =
      ParameterRows<P>("periodic")
          .point("origin", &P::periodic_origin, "m", "lower corner of the domain")
          .point("length", &P::periodic_length, "m", "period per axis, 0 = open", at_least(0));
  return made;
}

}  // namespace

const ParameterTable& SimulationParameters::table() {
  using P = SimulationParameters;
  static const ParameterTable made =
      ParameterRows<P>("simulation")
          .number("particleRadius", &P::particle_radius, at_least(1e-9).up_to(1e6), "m",
                  "half the particle spacing at resolution 1")
          .required()
          .point("gravitation", &P::gravity, "m/s^2", "acceleration of everything that is not held")
          .number("endTime", &P::end_time, above(0), "s", "simulated time of the run")
          .number("frameRate", &P::frame_rate, above(0).up_to(1e9), "1/s", "frames per simulated second")
          .number("timeStepSize", &P::time_step, at_least(0), "s", "fixed step; 0 = adaptive")
          .number("maxTimeStepSize", &P::max_time_step, above(0), "s", "upper bound of the adaptive step")
          .number("cflFactor", &P::cfl_factor, above(0).up_to(10), "",
                  "share of the least particle radius that a particle may move in a step")
          .integer("seed", &P::seed, at_least(0).up_to(4294967295.0), "", "of every random draw")
          .integer("statisticsInterval", &P::statistics_interval, at_least(1).up_to(1e9), "",
                   "steps from one row of statistics to the next; the steps between measure nothing for "
                   "them. The last step of a frame and of the run always has a row; every step has one "
                   "where a check speaks of every step (energyRise, energyLedger, overlapBeforeBreak)")
          .number("resolution", &P::resolution, at_least(0.001).up_to(1000), "",
                  "1 = the spacing stated here, 0.5 = twice the spacing")
          .object("periodic", periodic_table(), "periodic domain");
  return made;
}

const ParameterTable& CouplingParameters::table() {
  using P = CouplingParameters;
  static const ParameterTable made =
      ParameterRows<P>("coupling")
          .include(MergeSplitParameters::table(), &P::coupling)
          .include(PairwiseContactParameters::table(), &P::pairwise_contacts)
          .boolean("reportOverlap", &P::report_overlap,
                   "none: look for contacts all the same, for the column deepest_overlap, which is nan "
                   "otherwise; a check overlapBeforeBreak does that, too")
          .include(MergeSplitParameters::limit_table(), &P::coupling);
  return made;
}

}  // namespace merganser
