#pragma once
/// Probes: what a scene wants to be measured at its own places and rates, for probes.csv
/// (solvers/observables/probes/).
#include <array>
#include <string>
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct ParameterTable;

struct ProbeParameters {
  /// Keys of scenes and what they are bound to, one table a type: "probe.pressure", ...
  static const std::vector<ParameterTable>& tables();
  std::string type;  ///< the word after "probe."
  std::string name;
  double rate = 0;                          ///< [1/s] rows a second; 0 = every step
  Point3 point{0, 0, 0};                    ///< [m] where it measures
  Point3 start{0, 0, 0}, end{0, 0, 0};      ///< [m] of a line
  Point3 corner{0, 0, 0};                   ///< [m] of a parallelogram
  Point3 edge_u{0, 0, 0}, edge_v{0, 0, 0};  ///< [m]
  static constexpr std::array<Point3, 2> everywhere{{{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}}};
  std::array<Point3, 2> box = everywhere;         ///< [m] of held particles at the start
  std::string system = {}, body = {}, wall = {};  ///< names; empty where none is meant
  int system_index = -1, body_index = -1;         ///< of these; a body's system, too
};

}  // namespace merganser
