#include "solvers/methods/make_system.h"

#include "solvers/methods/all_methods.h"

MERGANSER_BEGIN

#define MERGANSER_ENTRY(name)                                                                \
  std::unique_ptr<System> make_##name(const SystemState& state, const InitialState& initial, \
                                      int system_index, const ParticleStore& particles);
#include "solvers/methods/all_methods.def"
#undef MERGANSER_ENTRY

std::unique_ptr<System> make_system(const InitialState& initial, int index, const ParticleStore& particles) {
  using Make =
      std::unique_ptr<System> (*)(const SystemState&, const InitialState&, int, const ParticleStore&);
  static constexpr Make factories[] = {
#define MERGANSER_ENTRY(name) make_##name,
#include "solvers/methods/all_methods.def"
#undef MERGANSER_ENTRY
  };
  const SystemState& state = initial.systems[size_t(index)];
  size_t at = 0;
  for (const Method& method : all_methods()) {
    if (&method == state.method) return factories[at](state, initial, index, particles);
    ++at;
  }
  throw InputError("system '" + state.name + "' has no method");
}

MERGANSER_END
