#pragma once
/// Matrix terms of bonds for the implicit step, beyond their sums. Local indices throughout.
#include "solvers/coupling/implicit/reduced_unknowns.h"
#include "solvers/methods/peridynamics/bond_terms.h"
#include "solvers/methods/peridynamics/bonds.h"

MERGANSER_BEGIN

/// b_i = dt (f_i + m_i g) - dt (C + dt K) v, from (dt C + dt^2 K) v = A v - h v; zero on fixed rows. dt f
/// includes loads; m is the row's mass (members: scaled).
struct PeridynamicRightSide {
  static constexpr const char* name = "peridynamics right side";
  View<const Vec3> impulse;          ///< [N s] dt f
  View<const Vec3> braking;          ///< [N s] (dt C + dt^2 K) v
  View<const float> effective_mass;  ///< [kg] h, 0 = fixed row
  Vec3 gravity;                      ///< [m/s^2]
  float dt;                          ///< [s]
  View<Vec3> right_side;             ///< [N s], written
  MERGANSER_METHOD void operator()(int i) const {
    right_side[i] =
        effective_mass[i] > 0 ? impulse[i] + (dt * effective_mass[i]) * gravity - braking[i] : Vec3{0, 0, 0};
  }
};

/// (dt C + dt^2 K)_ii = factor K_ii [kg].
struct ScaleDiagonal {
  static constexpr const char* name = "peridynamics diagonal";
  float factor;                            ///< [s^2] dt (dt + damping)
  View<const SymmetricMatrix3> stiffness;  ///< [N/m]
  View<SymmetricMatrix3> diagonal;
  MERGANSER_METHOD void operator()(int i) const {
    const SymmetricMatrix3& a = stiffness[i];
    diagonal[i] = {factor * a.xx, factor * a.xy, factor * a.xz, factor * a.yy, factor * a.yz, factor * a.zz};
  }
};

MERGANSER_END
