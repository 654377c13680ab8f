#pragma once
/// The list of all methods.
#include <deque>
#include <string>

#include "solvers/core/method.h"

namespace merganser {

/// Those of all_methods.def, in its order.
const std::deque<Method>& all_methods();
/// That with the word, or nullptr.
const Method* find_method(const std::string& word);
/// A system of the method with the word; InputError where there is none.
SystemState new_system(const std::string& word);

}  // namespace merganser
