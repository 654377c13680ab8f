#include "solvers/core/coupled_systems.h"

#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "solvers/base/parameter_table.h"
#include "solvers/core/method.h"

namespace merganser {
namespace {

bool is_in(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string others_than(const SystemState& system, const InitialState& initial) {
  std::string names;
  for (const SystemState& other : initial.systems)
    if (other.name != system.name) names += (names.empty() ? "" : ", ") + other.name;
  return names.empty() ? "there is no other; leave coupledTo out" : "there are " + names;
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& words) {
  std::string text = words[0];
  for (size_t k = 1; k < words.size(); ++k) text += (k + 1 < words.size() ? ", " : " and ") + words[k];
  return text;
}

}  // namespace

std::vector<int> find_coupled(const SystemState& fluid, const std::vector<std::string>& coupled_to,
                              const InitialState& initial) {
  std::vector<int> own, others;
  for (size_t s = 0; s < initial.systems.size(); ++s) {
    const std::string& name = initial.systems[s].name;
    if (name == fluid.name) own.push_back(static_cast<int>(s));
    if (is_in(coupled_to, name)) others.push_back(static_cast<int>(s));
  }
  if (others.empty()) return {};
  own.insert(own.end(), others.begin(), others.end());
  return own;
}

void expect_coupled(const SystemState& fluid, const std::vector<std::string>& coupled_to,
                    const std::vector<std::string>& types, const InitialState& initial) {
  const std::string path = "systems." + fluid.name + ".coupledTo: ";
  for (const std::string& name : coupled_to) {
    const auto found = std::find_if(initial.systems.begin(), initial.systems.end(),
                                    [&](const SystemState& other) { return other.name == name; });
    if (found == initial.systems.end() || name == fluid.name)
      throw InputError(path + "no other system is called '" + name + "'; " + others_than(fluid, initial));
    if (std::count(coupled_to.begin(), coupled_to.end(), name) > 1)
      throw InputError(path + "'" + name + "' stands there twice");
    if (!is_in(types, found->method->word))
      throw InputError(path + "'" + name + "' is of type \"" + found->method->word + "\", allowed " +
                       (types.size() > 1 ? "are " : "is ") + listed(types) +
                       "; leave it out, and it meets the fluid by coupling.method");
    const int place = static_cast<int>(found - initial.systems.begin());
    for (const SystemState& other : initial.systems) {
      if (&other == &fluid || !other.method->solved_with) continue;
      const std::vector<int> theirs = other.method->solved_with(other, initial);
      const auto is_theirs = [&](int s) {
        return std::find(theirs.begin(), theirs.end(), s) != theirs.end();
      };
      if (is_theirs(place) && !is_theirs(static_cast<int>(&fluid - initial.systems.data())))
        throw InputError(path + "'" + name + "' takes part in the pressure solve of '" + other.name +
                         "' as well; let one fluid list all of them");
    }
    const double radius = fluid.fluid.particle_radius;
    for (const float r : found->radius)
      if (std::abs(double(r) - radius) > 1e-4 * radius)
        throw InputError(path + "particles of '" + name + "' have a radius of " + number_text(r) +
                         " m and those of '" + fluid.name + "' " + number_text(radius) +
                         " m, they must be equal; give both the same particle spacing");
  }
}

}  // namespace merganser
