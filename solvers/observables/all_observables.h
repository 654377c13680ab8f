#pragma once
/// All that simulations measure, in the order of all_observables.def.
#include <memory>
#include <vector>

#include "solvers/core/observable.h"

MERGANSER_BEGIN

struct ObservableEntry {
  const char* name;  ///< of its state in checkpoints
  std::unique_ptr<Observable> (*make)(const InitialState&);
};
const std::vector<ObservableEntry>& all_observables();

MERGANSER_END
