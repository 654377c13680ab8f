#pragma once
/// Forces between particles of a fluid besides its pressure, for every method that packs its particles like
/// SPH. All are off by default.

namespace merganser {

struct ParameterTable;

struct FluidForcesParameters {
  /// Keys of scenes and what they are bound to; a method includes them in its own.
  static const ParameterTable& table();
  /// The keys that switch forces on, for messages.
  static const char* switches();
  bool any() const;

  double implicit_viscosity = 0;      ///< [Pa s] dynamic viscosity mu
  double wall_viscosity = 0;          ///< [Pa s] mu between the fluid and walls without slip
  double viscosity_tolerance = 1e-3;  ///< |residual| over |right side| at which the solve ends
  int viscosity_iterations = 200;     ///< the solve's most iterations
  double surface_tension = 0;         ///< [N/m] sigma
  double adhesion = 0;                ///< [N/m] half the work of adhesion to walls, per area
};

}  // namespace merganser
