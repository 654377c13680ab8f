#include "solvers/methods/fluid/check_fluid.h"

#include <cmath>
#include <string>

#include "device/errors.h"
#include "solvers/base/parameter_table.h"

MERGANSER_BEGIN

void check_fluid(const SystemState& state) {
  const std::string where = "system '" + state.name + "'";
  require_in_range(FluidParameters::table(), &state.fluid, where);
  if (!(state.fluid.particle_radius > 0))
    throw InputError(where + ": particleRadius is " + std::to_string(state.fluid.particle_radius) +
                     "; it must be greater than 0 [m]");
  const double mass = state.fluid.density0 * std::pow(2 * state.fluid.particle_radius, 3);
  for (float m : state.mass)
    if (std::abs(m - mass) > 1e-3 * mass)
      throw InputError(where + ": a fluid particle weighs " + std::to_string(m) +
                       " kg, but density0 (2 particleRadius)^3 is " + std::to_string(mass) + " kg");
}

void require_open_domain(const SystemState& state, const Point3& periodic_length, const std::string& what,
                         const std::string& remedy) {
  for (double period : periodic_length)
    if (period > 0)
      throw InputError("system '" + state.name + "': " + what +
                       " knows no periodic domain; set simulation.periodic.length to [0, 0, 0] or use " +
                       remedy);
}

MERGANSER_END
