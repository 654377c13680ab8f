#pragma once
/// Forces between particles of a fluid besides its pressure, for every method that packs its particles like
/// SPH. All are off by default.
#include "solvers/base/host_types.h"

namespace merganser {

struct ParameterTable;

struct FluidForcesParameters {
  /// Keys of scenes and what they are bound to; a method includes them in its own.
  static const ParameterTable& table();
  /// The keys that switch forces on, for messages.
  static const char* switches();
  bool any() const;
  /// Longest stable step [s] of those that are explicit, 1e30 where none is: capillary waves of the shortest
  /// length travel at most h in a step (Brackbill, Kothe, Zemach 1992, eq. 61); Micropolar. `h`: smoothing
  /// length [m].
  double longest_step(double density0, double h) const;
  /// Memory that the forces take.
  int bytes_per_particle() const;

  double implicit_viscosity = 0;      ///< [Pa s] dynamic viscosity mu
  double wall_viscosity = 0;          ///< [Pa s] mu between the fluid and walls without slip
  double viscosity_tolerance = 1e-3;  ///< |residual| over |right side| at which the solve ends
  int viscosity_iterations = 200;     ///< the solve's most iterations
  double surface_tension = 0;         ///< [N/m] sigma
  double adhesion = 0;                ///< [N/m] half the work of adhesion to walls, per area
  double vorticity = 0;               ///< [m^2/s] transfer coefficient nu_t of the micropolar model
  double vorticity_inertia = 2;       ///< [m^2] Theta
  double vorticity_diffusion = 0;     ///< [m^2/s] D
  double air_drag = 0;                ///< factor of the drag by air
  double air_density = 1.2041;        ///< [kg/m^3] at 20 degrees Celsius
  double air_viscosity = 1.845e-5;    ///< [Pa s]
  Point3 air_velocity{0, 0, 0};       ///< [m/s] wind
};

}  // namespace merganser
