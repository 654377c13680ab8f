#include "solvers/methods/make_system.h"

#include "solvers/core/method.h"

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
  const auto method = static_cast<size_t>(&method_of(state.type) - all_methods().data());
  return factories[method](state, initial, index, particles);
}

MERGANSER_END
