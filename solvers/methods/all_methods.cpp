#include "device/errors.h"
#include "solvers/core/method.h"

namespace merganser {

#define MERGANSER_ENTRY(name) Method name##_method();
#include "solvers/methods/all_methods.def"
#undef MERGANSER_ENTRY

const std::vector<Method>& all_methods() {
  static const std::vector<Method> methods = {
#define MERGANSER_ENTRY(name) name##_method(),
#include "solvers/methods/all_methods.def"
#undef MERGANSER_ENTRY
  };
  return methods;
}

Method::Keys solid_keys() {
  static const ParameterTable made =
      ParameterRows<SystemState>("system.massSpring system.peridynamics system.elasticSph")
          .boolean("selfContact", &SystemState::self_contact, "Contacts between particles of the same system")
          .otherwise(true);
  return {&made, [](SystemState& s) -> void* { return &s; }};
}

const Method* find_method(const std::string& word) {
  for (const Method& method : all_methods())
    if (method.word == word) return &method;
  return nullptr;
}

const Method& method_of(SystemType type) {
  for (const Method& method : all_methods())
    if (method.type == type) return method;
  throw InputError("a system of an unknown type");
}

}  // namespace merganser
