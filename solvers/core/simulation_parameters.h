#pragma once
/// Parameters of the run as a whole: resolution, time, domain, and how bodies and systems touch.
#include <cstdint>

#include "solvers/base/host_types.h"
#include "solvers/core/contact_parameters.h"
#include "solvers/core/merge_split_parameters.h"

namespace merganser {

/// [m] Of scenes; half the spacings that bodies and samples may have.
inline constexpr double least_particle_radius = 1e-9, greatest_particle_radius = 1e6;

struct SimulationParameters {
  /// Keys of scenes under "simulation" and what they are bound to.
  static const ParameterTable& table();
  double particle_radius = 0.01;  ///< [m] half the particle spacing at resolution 1
  Point3 gravity{0, 0, -9.81};    ///< [m/s^2]
  double end_time = 1;            ///< [s]
  double frame_rate = 50;         ///< [1/s] frames per simulated second
  double time_step = 0;           ///< [s] fixed step; 0 = adaptive
  double max_time_step = 1e-3;    ///< [s] upper bound of the adaptive step
  double cfl_factor = 1.0;        ///< share of the least particle radius that a particle may move in a step
  std::uint32_t seed = 1;         ///< of every random draw
  long long statistics_interval = 1;  ///< steps from one row of statistics to the next
  double resolution = 1;              ///< 1 = the spacing of the scene, 0.5 = twice the spacing
  Point3 periodic_origin{0, 0, 0};    ///< [m] lower corner of the periodic domain
  Point3 periodic_length{0, 0, 0};    ///< [m] period per axis, 0 = open
};

struct CouplingParameters {
  /// Keys of scenes under "coupling" and what they are bound to.
  static const ParameterTable& table();
  MergeSplitParameters coupling;
  /// Where coupling.method is penalty, sph_force or impulses.
  PairwiseContactParameters pairwise_contacts;
  bool report_overlap = false;  ///< measure the deepest overlap also where no method treats contacts
};

}  // namespace merganser
