#pragma once
/// Walls in a preconditioner that does not know of them. With B about A^-1 and the walls' stiff terms W
/// (implicit_walls.h), one 3 x 3 block a row, CG on A + W takes
///   P B P + P (1 - P) D^-1,   P = (1 + W/D)^-1
/// with D a multiple of the identity on every row, about the inverse of what the row gives way under an
/// impulse of its own. For W = 0 this is B; where B is D^-1 it is (D + W)^-1; and for great W it solves by B
/// what walls leave free and by W what they hold. Symmetric positive definite, for P and 1 - P commute.
#include "solvers/coupling/implicit/implicit_walls.h"

MERGANSER_BEGIN

/// P and Q = P (1 - P) D^-1 of every row; 1 and 0 where there is no wall.
struct FindWallYield {
  static constexpr const char* name = "implicit wall yield";
  /// D over the mean of the row's diagonal without W. The row's neighbors give way with it, so it is as stiff
  /// as a part of its diagonal; between 0.2 and 1 iterations hardly differ.
  static constexpr float stiffness_share = 0.5f;
  View<const float> effective_mass;             ///< [kg] h, 0 = fixed row
  View<const SymmetricMatrix3> diagonal;        ///< [kg] with W, without h
  View<const SymmetricMatrix3> wall_stiffness;  ///< [kg] W
  View<SymmetricMatrix3> yield;                 ///< P, written
  View<SymmetricMatrix3> held;                  ///< [1/kg] Q, written
  MERGANSER_METHOD void operator()(int i) const {
    const SymmetricMatrix3 w = wall_stiffness[i], all = diagonal[i];
    const float of_walls = w.xx + w.yy + w.zz, h = effective_mass[i];
    yield[i] = scaled_identity(1);
    held[i] = scaled_identity(0);
    if (!(of_walls > 0) || !(h > 0)) return;
    const float d = stiffness_share * (h + (all.xx + all.yy + all.zz - of_walls) * (1.0f / 3));
    SymmetricMatrix3 sum = InvertRowDiagonal::scaled(w, 1 / d);
    sum += scaled_identity(1);
    const SymmetricMatrix3 p = inverse(sum);
    yield[i] = p;
    held[i] = InvertRowDiagonal::scaled(less_square(p), 1 / d);
  }
  /// p - p p.
  MERGANSER_METHOD static SymmetricMatrix3 less_square(const SymmetricMatrix3& p) {
    const Vec3 a = p * Vec3{p.xx, p.xy, p.xz}, b = p * Vec3{p.xy, p.yy, p.yz}, c = p * Vec3{p.xz, p.yz, p.zz};
    return {p.xx - a.x, p.xy - a.y, p.xz - a.z, p.yy - b.y, p.yz - b.z, p.zz - c.z};
  }
};

/// P = 1 and Q = 0, on rows whose own preconditioner knows of walls.
struct NoWallYield {
  static constexpr const char* name = "implicit no wall yield";
  View<SymmetricMatrix3> yield, held;
  MERGANSER_METHOD void operator()(int i) const {
    yield[i] = scaled_identity(1);
    held[i] = scaled_identity(0);
  }
};

/// to = P (share r): what the preconditioner sees.
struct YieldToWalls {
  static constexpr const char* name = "implicit rows before walls";
  View<const SymmetricMatrix3> yield;
  View<const float> share;
  View<const Vec3> r;
  View<Vec3> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = yield[i] * (share[i] * r[i]); }
};

/// z = P z + Q (share r).
struct HoldByWalls {
  static constexpr const char* name = "implicit rows at walls";
  View<const SymmetricMatrix3> yield, held;
  View<const float> share;
  View<const Vec3> r;
  View<Vec3> z;
  MERGANSER_METHOD void operator()(int i) const { z[i] = yield[i] * z[i] + held[i] * (share[i] * r[i]); }
};

MERGANSER_END
