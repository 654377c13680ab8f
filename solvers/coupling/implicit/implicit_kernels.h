#pragma once
/// Kernels of the joint implicit solve. Rows are those of all parts, one a particle.
#include "solvers/coupling/implicit/reduced_unknowns.h"

MERGANSER_BEGIN

/// h += dt a m': air damping a [1/s] acts on a particle's own mass m'; fixed rows stay fixed.
struct AddAirDamping {
  static constexpr const char* name = "implicit air damping";
  float drag;  ///< dt a
  View<const float> own_mass;
  View<float> effective_mass;
  MERGANSER_METHOD void operator()(int i) const {
    if (effective_mass[i] > 0) effective_mass[i] += drag * own_mass[i];
  }
};

/// r = b - A u, A u in r before.
struct SubtractProduct {
  static constexpr const char* name = "implicit residual";
  View<const Vec3> right_side;
  View<Vec3> r;
  MERGANSER_METHOD void operator()(int i) const { r[i] = right_side[i] - r[i]; }
};

/// Inverses of the 3 x 3 diagonal blocks h_i I + D_i, D_i those of dt C + dt^2 K; zero on fixed rows.
struct InvertRowDiagonal {
  static constexpr const char* name = "implicit invert diagonal";
  View<const float> effective_mass;
  View<const SymmetricMatrix3> stiffness;  ///< [kg] D_i
  View<SymmetricMatrix3> inverse_diagonal;
  View<float> unknown_effective_mass;  ///< [kg] of the row's unknown; of groups see InvertGroupRows
  MERGANSER_METHOD static SymmetricMatrix3 scaled(const SymmetricMatrix3& a, float s) {
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
  }
  MERGANSER_METHOD SymmetricMatrix3 block(int i) const {
    SymmetricMatrix3 sum = stiffness[i];
    sum += scaled_identity(effective_mass[i]);
    return sum;
  }
  MERGANSER_METHOD void operator()(int i) const {
    unknown_effective_mass[i] = effective_mass[i];
    // Divided by the effective mass first: the determinant of small masses is too small for float.
    const float h = effective_mass[i];
    inverse_diagonal[i] = h > 0 ? scaled(inverse(scaled(block(i), 1 / h)), 1 / h) : scaled_identity(0);
  }
};

/// The same for groups with several own members: the sum of the members' blocks. Bonds between them are
/// counted, which only makes the block larger.
struct InvertGroupRows : SharedRows {
  static constexpr const char* name = "implicit invert group diagonal";
  struct Value {
    SymmetricMatrix3 block{};
    float effective_mass = 0;
  };
  InvertRowDiagonal rows;
  MERGANSER_METHOD void add(Value& sum, int, int m) const {
    sum.block += rows.block(own.local(m));
    sum.effective_mass += rows.effective_mass[own.local(m)];
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    Value sum = a;
    sum.block += b.block;
    sum.effective_mass += b.effective_mass;
    return sum;
  }
  /// The inverse and the effective mass.
  MERGANSER_METHOD Value share(int, const Value& sum) const {
    const float h = sum.effective_mass;
    return {h > 0 ? InvertRowDiagonal::scaled(inverse(InvertRowDiagonal::scaled(sum.block, 1 / h)), 1 / h)
                  : scaled_identity(0),
            h};
  }
  MERGANSER_METHOD void spread(int, int m, const Value& group) const {
    rows.inverse_diagonal[own.local(m)] = group.block;
    rows.unknown_effective_mass[own.local(m)] = group.effective_mass;
  }
};

/// z_i = D_i^-1 r_i.
struct ApplyBlocks {
  static constexpr const char* name = "implicit apply blocks";
  View<const SymmetricMatrix3> inverse_diagonal;
  View<const Vec3> r;
  View<Vec3> z;
  MERGANSER_METHOD void operator()(int i) const { z[i] = inverse_diagonal[i] * r[i]; }
};

/// A count of rows that is added to others' when it is known.
struct RowCount {
  using Value = int;
  View<int> total;  ///< [0] is updated
  MERGANSER_METHOD static int identity() { return 0; }
  MERGANSER_METHOD static int combine(int a, int b) { return a + b; }
  MERGANSER_METHOD void finish(int count) const { total[0] += count; }
};

/// Rows that share an unknown with others, or that a group holds.
struct CountSharedRows : RowCount {
  static constexpr const char* name = "implicit shared rows";
  View<const int> representative;
  View<const float> inverse_mass;  ///< [1/kg] of the particles
  MERGANSER_METHOD int operator()(int i) const {
    return inverse_mass[i] > 0 && representative[i] != i ? 1 : 0;
  }
};

struct FillShares {
  static constexpr const char* name = "implicit whole shares";
  View<float> share;
  MERGANSER_METHOD void operator()(int i) const { share[i] = 1; }
};

/// Shares of a group's rows in its unknown, by the traces of their diagonal blocks: with these weights the
/// parts' preconditioners give  z_g = sum_i s_i (B (s r))_i, symmetric positive definite, and the exact
/// inverse where B is that of a multiple of the identity per row. The rows' own inverses stay; the unknown's
/// effective mass is written.
struct ShareGroupRows : SharedRows {
  static constexpr const char* name = "implicit group shares";
  struct Value {
    float effective_mass = 0, size = 0;
  };
  InvertRowDiagonal rows;
  View<float> share_of;  ///< per row, written
  MERGANSER_METHOD float size(int i) const {
    const SymmetricMatrix3 d = rows.block(i);
    return d.xx + d.yy + d.zz;
  }
  MERGANSER_METHOD void add(Value& sum, int, int m) const {
    sum.size += size(own.local(m));
    sum.effective_mass += rows.effective_mass[own.local(m)];
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.effective_mass + b.effective_mass, a.size + b.size};
  }
  MERGANSER_METHOD Value share(int, const Value& sum) const { return sum; }
  MERGANSER_METHOD void spread(int, int m, const Value& group) const {
    share_of[own.local(m)] = group.effective_mass > 0 ? size(own.local(m)) / group.size : 0.0f;
    rows.unknown_effective_mass[own.local(m)] = group.effective_mass;
  }
};

/// to = share from.
struct ScaleRows {
  static constexpr const char* name = "implicit scale rows";
  View<const float> share;
  View<const Vec3> from;
  View<Vec3> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = share[i] * from[i]; }
};

/// Zero on fixed rows.
struct HoldRows {
  static constexpr const char* name = "implicit hold rows";
  View<const float> effective_mass;
  View<Vec3> rows;
  MERGANSER_METHOD void operator()(int i) const {
    if (!(effective_mass[i] > 0)) rows[i] = {0, 0, 0};
  }
};

/// u + r/h: K takes no momentum from any fragment, so sum h u = sum b afterwards, whatever r was.
struct RestoreMomentum {
  static constexpr const char* name = "implicit restore momentum";
  View<const float> unknown_effective_mass;  ///< [kg], 0 = fixed row
  View<const Vec3> u, r;                     ///< [m/s], [N s]
  View<Vec3> balanced;                       ///< [m/s], written
  MERGANSER_METHOD void operator()(int i) const {
    balanced[i] = unknown_effective_mass[i] > 0 ? u[i] + r[i] / unknown_effective_mass[i] : u[i];
  }
};

MERGANSER_END
