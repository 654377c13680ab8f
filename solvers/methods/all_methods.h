#pragma once
/// The list of all methods.
#include <deque>
#include <string>

#include "solvers/core/method.h"

namespace merganser {

/// Those of all_methods.def, in its order, and then those that were added.
const std::deque<Method>& all_methods();
/// Adds a method that all_methods.def does not name, for a program that links its own; before the first scene
/// is read. Systems of it are made by what add_factory() names (solvers/methods/make_system.h).
const Method& add_method(Method method);
/// That with the word, or nullptr.
const Method* find_method(const std::string& word);
/// A system of the method with the word; InputError where there is none.
SystemState new_system(const std::string& word);

}  // namespace merganser
