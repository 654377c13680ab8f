#pragma once
/// Exceptions of the whole project; each class is one exit code of the command line (host/README.md, "Exit
/// codes").
#include <stdexcept>
#include <string>

namespace merganser {

/// Base class: what() names the value at fault and the remedy.
class Error : public std::runtime_error {
 public:
  Error(int exit_code, const std::string& message) : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// A wrong command line or scene (exit code 2).
struct InputError : Error {
  explicit InputError(const std::string& message) : Error(2, message) {}
};
/// No such device, or it has not enough memory (exit code 3).
struct DeviceError : Error {
  explicit DeviceError(const std::string& message) : Error(3, message) {}
};
/// The simulation diverged: NaN, escape, overflow (exit code 4).
struct DivergenceError : Error {
  explicit DivergenceError(const std::string& message) : Error(4, message) {}
};
/// A file could not be written or read back (exit code 5).
struct FileError : Error {
  explicit FileError(const std::string& message) : Error(5, message) {}
};

}  // namespace merganser
