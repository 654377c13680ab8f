#include "solvers/core/simulation_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

namespace {

const ParameterTable& periodic_table() {
  using P = SimulationParameters;
  static const ParameterTable made =
      ParameterRows<P>("periodic")
          .point("origin", &P::periodic_origin, "m", "Lower corner of the domain")
          .point("length", &P::periodic_length, "m", "Period along each axis; 0 = open", at_least(0));
  return made;
}

}  // namespace

const ParameterTable& SimulationParameters::table() {
  using P = SimulationParameters;
  static const ParameterTable made =
      ParameterRows<P>("simulation")
          .number("particleRadius", &P::particle_radius,
                  at_least(least_particle_radius).up_to(greatest_particle_radius), "m",
                  "Particle radius at resolution 1, half the particle spacing")
          .required()
          .point("gravitation", &P::gravity, "m/s^2", "Gravitational acceleration")
          .number("endTime", &P::end_time, above(0), "s", "Simulated time at which the run ends")
          .number("frameRate", &P::frame_rate, at_least(1e-9).up_to(1e9), "1/s",
                  "Frames per simulated second")
          .number("timeStepSize", &P::time_step, at_least(0), "s", "Fixed time step; 0 = adaptive")
          .number("maxTimeStepSize", &P::max_time_step, above(0), "s",
                  "Upper bound of the adaptive time step")
          .number("cflFactor", &P::cfl_factor, above(0).up_to(10), "",
                  "Largest displacement of a particle in a step / smallest particle radius")
          .integer("seed", &P::seed, at_least(0).up_to(4294967295.0), "", "Seed of all random numbers")
          .integer("statisticsInterval", &P::statistics_interval, at_least(1).up_to(1e9), "",
                   "Steps between rows of statistics. The last step of a frame and of the run always has a "
                   "row. The checks energyRise, energyLedger and overlapBeforeBreak need every step: then "
                   "every step has one")
          .number("resolution", &P::resolution, at_least(0.001).up_to(1000), "",
                  "1 = particle spacing as given in the scene; 0.5 = twice the spacing")
          .object("periodic", periodic_table(),
                  "Periodic domain; for SPH and DFSPH fluids, not for solids and FLIP");
  return made;
}

const ParameterTable& CouplingParameters::table() {
  using P = CouplingParameters;
  static const ParameterTable made =
      ParameterRows<P>("coupling")
          .include(MergeSplitParameters::table(), &P::coupling)
          .include(PairwiseContactParameters::table(), &P::pairwise_contacts)
          .boolean("reportOverlap", &P::report_overlap,
                   "With method none: search contacts for the column deepest_overlap, which is nan "
                   "otherwise. A check overlapBeforeBreak implies it")
          .include(MergeSplitParameters::limit_table(), &P::coupling);
  return made;
}

}  // namespace merganser
