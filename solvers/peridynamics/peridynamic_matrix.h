#pragma once
/// The matrix of the implicit step, M + dt C + dt^2 K, and what goes with it. Local indices throughout.
#include "solvers/linear/reduced_unknowns.h"
#include "solvers/peridynamics/bond_terms.h"
#include "solvers/peridynamics/bonds.h"

MERGANSER_BEGIN

/// A u for conjugate gradients, all rows at once.
struct PeridynamicMatrix {
  PeridynamicBonds& bonds;
  float factor;               ///< [s^2] dt (dt + damping)
  View<const float> inertia;  ///< [kg], 0 = fixed row
  OwnMembersView own;
  void multiply(SolveProgress progress, View<const Vec3> u, View<Vec3> product) const {
    bonds.set_vector(u);
    bonds.sum(BondProduct{progress, factor, inertia, u, product});
  }
  /// P P^T: rows of one unknown are summed.
  void complete(View<Vec3> rows, const Reach& reach) const {
    launch(own.begin.count, SumGroupRows{.own = own, .reach = reach, .rows = rows});
  }
};

/// b_i = dt (f_i + m_i g) - dt (C + dt K) v, from (dt C + dt^2 K) v = A v - h v; zero on fixed rows. dt f
/// includes loads; m is the row's mass (members: scaled).
struct PeridynamicRightSide {
  static constexpr const char* name = "peridynamics right side";
  View<const Vec3> impulse;   ///< [N s] dt f
  View<const Vec3> braking;   ///< [N s] (dt C + dt^2 K) v
  View<const float> inertia;  ///< [kg] h, 0 = fixed row
  Vec3 gravitation;           ///< [m/s^2]
  float dt;                   ///< [s]
  View<Vec3> right_side;      ///< [N s], written
  MERGANSER_METHOD void operator()(int i) const {
    right_side[i] =
        inertia[i] > 0 ? impulse[i] + (dt * inertia[i]) * gravitation - braking[i] : Vec3{0, 0, 0};
  }
};

/// r = b - A u, A u in r before.
struct SubtractProduct {
  static constexpr const char* name = "peridynamics residual";
  View<const Vec3> right_side;
  View<Vec3> r;
  MERGANSER_METHOD void operator()(int i) const { r[i] = right_side[i] - r[i]; }
};

/// Inverses of the 3 x 3 diagonal blocks h_i I + factor K_ii; zero on fixed rows.
struct InvertRowDiagonal {
  static constexpr const char* name = "peridynamics invert diagonal";
  View<const float> inertia;
  View<const SymmetricMatrix3> stiffness;  ///< [N/m]
  float factor;                            ///< [s^2]
  View<SymmetricMatrix3> inverse_diagonal;
  View<float> unknown_inertia;  ///< [kg] of the row's unknown; of groups see InvertGroupRows
  MERGANSER_METHOD static SymmetricMatrix3 scaled(const SymmetricMatrix3& a, float s) {
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
  }
  MERGANSER_METHOD SymmetricMatrix3 block(int i) const {
    SymmetricMatrix3 sum = scaled(stiffness[i], factor);
    sum += scaled_identity(inertia[i]);
    return sum;
  }
  MERGANSER_METHOD void operator()(int i) const {
    unknown_inertia[i] = inertia[i];
    // Divided by the inertia first: the determinant of small masses is too small for float.
    const float h = inertia[i];
    inverse_diagonal[i] = h > 0 ? scaled(inverse(scaled(block(i), 1 / h)), 1 / h) : scaled_identity(0);
  }
};

/// The same for groups with several own members: the sum of the members' blocks. Bonds between them are
/// counted, which only makes the block larger.
struct InvertGroupRows {
  static constexpr const char* name = "peridynamics invert group diagonal";
  OwnMembersView own;
  InvertRowDiagonal rows;
  MERGANSER_METHOD void operator()(int g) const {
    if (own.count(g) < 2) return;
    SymmetricMatrix3 sum{};
    float h = 0;
    for (int m = own.begin[g]; m < own.end[g]; ++m) {
      sum += rows.block(own.local(m));
      h += rows.inertia[own.local(m)];
    }
    const SymmetricMatrix3 inverted =
        h > 0 ? InvertRowDiagonal::scaled(inverse(InvertRowDiagonal::scaled(sum, 1 / h)), 1 / h)
              : scaled_identity(0);
    for (int m = own.begin[g]; m < own.end[g]; ++m) {
      rows.inverse_diagonal[own.local(m)] = inverted;
      rows.unknown_inertia[own.local(m)] = h;
    }
  }
};

struct PeridynamicPreconditioner {
  View<const SymmetricMatrix3> inverse_diagonal;
  MERGANSER_METHOD Vec3 operator()(int i, const Vec3& r) const { return inverse_diagonal[i] * r; }
};

/// u + r/h: K takes no momentum from any fragment, so sum h u = sum b afterwards, whatever r was.
struct RestoreMomentum {
  static constexpr const char* name = "peridynamics restore momentum";
  View<const float> unknown_inertia;  ///< [kg], 0 = fixed row
  View<const Vec3> u, r;              ///< [m/s], [N s]
  View<Vec3> balanced;                ///< [m/s], written
  MERGANSER_METHOD void operator()(int i) const {
    balanced[i] = unknown_inertia[i] > 0 ? u[i] + r[i] / unknown_inertia[i] : u[i];
  }
};

MERGANSER_END
