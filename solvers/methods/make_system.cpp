#include "solvers/methods/make_system.h"

#include <map>

#include "solvers/methods/all_methods.h"

MERGANSER_BEGIN

#define MERGANSER_ENTRY(name)                                                                \
  std::unique_ptr<System> make_##name(const SystemState& state, const InitialState& initial, \
                                      int system_index, const ParticleStore& particles);
#include "solvers/methods/all_methods.def"
#undef MERGANSER_ENTRY

namespace {
std::map<const Method*, MakeSystem>& factories() {
  static std::map<const Method*, MakeSystem> made = [] {
    std::map<const Method*, MakeSystem> of_list;
    auto method = all_methods().begin();
#define MERGANSER_ENTRY(name) of_list[&*method++] = make_##name;
#include "solvers/methods/all_methods.def"
#undef MERGANSER_ENTRY
    return of_list;
  }();
  return made;
}
}  // namespace

std::unique_ptr<System> make_system(const InitialState& initial, int index, const ParticleStore& particles) {
  const SystemState& state = initial.systems[size_t(index)];
  const auto found = factories().find(state.method);
  if (found == factories().end()) throw InputError("system '" + state.name + "': nothing makes its method");
  return found->second(state, initial, index, particles);
}

void add_factory(const Method& method, MakeSystem make) { factories()[&method] = make; }

MERGANSER_END
