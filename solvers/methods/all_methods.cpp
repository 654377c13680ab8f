#include "solvers/methods/all_methods.h"

#include "device/errors.h"

namespace merganser {

#define MERGANSER_ENTRY(name) Method name##_method();
#include "solvers/methods/all_methods.def"
#undef MERGANSER_ENTRY

namespace {
std::deque<Method>& list() {
  static std::deque<Method> methods = {
#define MERGANSER_ENTRY(name) name##_method(),
#include "solvers/methods/all_methods.def"
#undef MERGANSER_ENTRY
  };
  return methods;
}
}  // namespace

const std::deque<Method>& all_methods() { return list(); }
const Method& add_method(Method method) { return list().emplace_back(std::move(method)); }

const Method* find_method(const std::string& word) {
  for (const Method& method : all_methods())
    if (method.word == word) return &method;
  return nullptr;
}

SystemState new_system(const std::string& word) {
  const Method* method = find_method(word);
  if (!method) throw InputError("there is no method '" + word + "'");
  SystemState made;
  made.use(*method);
  return made;
}

}  // namespace merganser
