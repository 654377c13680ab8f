#pragma once
/// The parameters of a system's method, whichever it is.
#include <any>
#include <string>

#include "device/errors.h"

namespace merganser {

/// Holds the struct of parameters of one method; a copy holds a copy of it.
class MethodParameters {
 public:
  MethodParameters() = default;
  template <class Parameters>
  explicit MethodParameters(Parameters parameters)
      : held_(std::move(parameters)),
        address_([](std::any& held) -> void* { return std::any_cast<Parameters>(&held); }) {}

  /// The struct. Throws InputError where another is held, or none.
  template <class Parameters>
  Parameters& of() {
    if (auto* found = std::any_cast<Parameters>(&held_)) return *found;
    throw InputError("a system has no parameters of the method that reads them, or those of another");
  }
  template <class Parameters>
  const Parameters& of() const {
    return const_cast<MethodParameters*>(this)->of<Parameters>();
  }
  /// The struct, or nullptr where another is held, or none.
  template <class Parameters>
  const Parameters* find() const {
    return std::any_cast<Parameters>(&held_);
  }
  /// What a table of its keys is bound to; nullptr where nothing is held.
  void* address() { return address_ ? address_(held_) : nullptr; }

 private:
  std::any held_;
  void* (*address_)(std::any&) = nullptr;
};

}  // namespace merganser
