#include "solvers/core/method.h"
#include "solvers/base/parameter_rows.h"

namespace merganser {

void SystemState::use(const Method& its_method) {
  method = &its_method;
  parameters = its_method.parameters;
}

void* Method::Keys::bound_to(SystemState& system) const {
  return shared ? &system : system.parameters.address();
}

Method::Keys solid_keys() {
  static const ParameterTable made =
      ParameterRows<SystemState>("solid")
          .boolean("selfContact", &SystemState::self_contact, "Contacts between particles of the same system")
          .otherwise(true);
  return {.table = &made, .shared = true};
}

Method::Keys fluid_keys() {
  static const ParameterTable made =
      ParameterRows<SystemState>("fluid").include(FluidParameters::table(), &SystemState::fluid);
  return {.table = &made, .shared = true};
}

std::string solid_refuses_period(const SystemState& system, const std::string& length) {
  return "simulation.periodic.length: is " + length + ", but systems." + system.name + " is of type \"" +
         system.method->word +
         "\", and solids know no periodic axes; set it to [0, 0, 0] and put walls there";
}

bool is_fluid(const SystemState& system) { return system.method && system.method->is_fluid; }

bool meets_walls(const SystemState& system) { return system.method && system.method->meets_walls; }

}  // namespace merganser
