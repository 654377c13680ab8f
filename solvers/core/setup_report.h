#pragma once
/// Report of a system's set-up, where that is more than to copy particles.
#include <string>
#include <utility>
#include <vector>

#include "device/backend.h"

MERGANSER_BEGIN

class SetupReport {
 public:
  virtual ~SetupReport() = default;
  /// What the user should know once the system is made, such as sizes.
  virtual std::vector<std::string> notes() const = 0;
  /// What is amiss with it.
  virtual std::vector<std::string> warnings() const = 0;
  /// What the set-up cost, by name with unit, for benchmarks.
  virtual std::vector<std::pair<std::string, double>> setup_metrics() const = 0;
};

MERGANSER_END
