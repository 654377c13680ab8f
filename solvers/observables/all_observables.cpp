#include "solvers/observables/all_observables.h"

MERGANSER_BEGIN

#define MERGANSER_ENTRY(name) std::unique_ptr<Observable> make_##name(const InitialState& initial);
#include "solvers/observables/all_observables.def"
#undef MERGANSER_ENTRY

const std::vector<ObservableEntry>& all_observables() {
  static const std::vector<ObservableEntry> entries = {
#define MERGANSER_ENTRY(name) {#name, make_##name},
#include "solvers/observables/all_observables.def"
#undef MERGANSER_ENTRY
  };
  return entries;
}

MERGANSER_END
