#pragma once
/// Stiffness and strength of bonds, from their material.
#include <vector>

#include "device/backend.h"
#include "device/errors.h"
#include "solvers/core/initial_state.h"

MERGANSER_BEGIN

/// Constants of one material in kernels. The factors are dimensionless or small enough for float at any size
/// of body.
struct BondMaterial {
  float micromodulus;      ///< [N/m^6] c of the continuum over the lattice's stiffness
  float density;           ///< [kg/m^3]
  float horizon;           ///< [m]
  float ramp_end;          ///< [m] horizon + spacing/2, where the partial volume would vanish
  float inverse_ramp;      ///< [1/m] 1/spacing
  float full_family;       ///< [m^3] V0, volume of a family inside a lattice
  float critical_stretch;  ///< s0, infinite = unbreakable
  float stretch_scatter;   ///< relative half-width of s0
  MERGANSER_METHOD bool breakable() const { return critical_stretch < 1e30f; }
};

/// c = 18 K / (pi delta^4) [N/m^6], K [Pa], delta [m] (Silling & Askari 2005, eq. 24).
double micromodulus(double bulk_modulus, double horizon);
/// Share of a neighbor's volume that lies within the horizon, as a function of its distance [m].
double partial_volume(double distance, double horizon, double spacing);
/// A family inside a cubic lattice, partial volumes counted.
struct LatticeFamily {
  double volume = 0;     ///< [m^3] V0 = sum of V_j
  double stiffness = 0;  ///< bulk modulus of the lattice over K with the c of the continuum
};
LatticeFamily lattice_family(double horizon, double spacing);

/// Materials by body index; bodies of other systems get none (density 0). Throws InputError where parameters
/// do not fit each other or the particles.
std::vector<BondMaterial> bond_materials(const SystemState& state);

MERGANSER_END
