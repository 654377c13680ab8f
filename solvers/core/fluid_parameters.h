#pragma once
/// Parameters common to all fluids, whichever their method: particles and emitters.
#include "solvers/base/host_types.h"
#include "solvers/base/parameter_table.h"

namespace merganser {

struct FluidParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  double density0 = 1000;         ///< [kg/m^3] rest density
  double particle_radius = 0.01;  ///< [m] half the particle spacing
  Regions kill_box;               ///< particles that are in none of the boxes are removed; none: all stay
};

/// A disc that emits fluid along its direction.
struct EmitterParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  Point3 position{0, 0, 0};                ///< [m] centre of the disc
  Point3 direction{0, 0, -1};              ///< unit vector
  double radius = 0.1;                     ///< [m]
  double velocity = 1;                     ///< [m/s]
  double start_time = 0, end_time = 1e30;  ///< [s]
  int max_particles = 1000000;             ///< stops while so many are there
  int body = 0;                            ///< body index of the emitted particles
};

}  // namespace merganser
