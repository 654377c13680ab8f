#pragma once
/// Sums over bonds: volumes once, forces and stiffness every step, products as often as the solver
/// asks. See README.md for the equations.
#include "solvers/linear/krylov/conjugate_gradient.h"
#include "solvers/methods/peridynamics/bond_sum.h"

MERGANSER_BEGIN

/// Share of a neighbor's volume at distance r [m] that counts.
template <class Real>
MERGANSER_FN Real volume_ramp(const BondMaterial& material, Real r) {
  const Real one = Real{} + 1.0f;
  const Real ramp = (material.ramp_end - r) * material.inverse_ramp;
  return ramp < one ? ramp : one;
}
/// c V_i V_j ramp surface [N/m^2 * m], the stiffness times the rest length r, with surface = 1/(w_i + w_j)
/// still to be divided by: what remains of 2 V0 / (W_i + W_j) with w = W / (2 V0).
template <class Real>
MERGANSER_FN Real bond_strength(const BondMaterial& material, const BondEnd<Real>& i, const BondEnd<Real>& j,
                                Real r) {
  // V_i V_j alone would be too small for float in a body of micrometres.
  return (material.micromodulus * i.volume) * j.volume * volume_ramp(material, r);
}
template <class Real>
MERGANSER_FN Real not_below(Real x, float least) {
  const Real bound = Real{} + least;
  return x > bound ? x : bound;
}

/// W_i / (2 V0): W_i = sum_j ramp V_j, half of the surface correction's denominator.
struct FamilyVolume {
  static constexpr const char* name = "peridynamics family volume";
  static constexpr bool reads_position = false, reads_vector = false, reads_family = false;
  static constexpr bool counts_broken = true;
  static constexpr int components = 1;
  View<float> family;  ///< written
  MERGANSER_METHOD bool skip() const { return false; }
  template <class Real>
  MERGANSER_METHOD BondValue<Real> pair(const BondMaterial& material, const BondEnd<Real>& i,
                                        const BondEnd<Real>& j) const {
    const Real r = square_root(norm_squared(j.reference - i.reference));
    BondValue<Real> value{};
    value.a.x = j.volume * volume_ramp(material, r);
    return value;
  }
  MERGANSER_METHOD void finish(int i, const BondMaterial& material, const BondValue<float>& sum) const {
    family[i] = 0.5f * sum.a.x / material.full_family;
  }
};

/// Sum of the stiffness k_ij [N/m] of a particle's bonds, broken ones included.
struct TotalStiffness {
  static constexpr const char* name = "peridynamics total stiffness";
  static constexpr bool reads_position = false, reads_vector = false, reads_family = true;
  static constexpr bool counts_broken = true;
  static constexpr int components = 1;
  View<float> stiffness;  ///< [N/m], written
  MERGANSER_METHOD bool skip() const { return false; }
  template <class Real>
  MERGANSER_METHOD BondValue<Real> pair(const BondMaterial& material, const BondEnd<Real>& i,
                                        const BondEnd<Real>& j) const {
    const Real r = square_root(norm_squared(j.reference - i.reference));
    BondValue<Real> value{};
    value.a.x = bond_strength(material, i, j, r) / (r * (i.family + j.family));
    return value;
  }
  MERGANSER_METHOD void finish(int i, const BondMaterial&, const BondValue<float>& sum) const {
    stiffness[i] = sum.a.x;
  }
};

/// dt f_i = dt sum_j k_ij e n. The elongation e = |y| - |xi| is taken from the difference of positions and
/// reference positions, (y - xi).(y + xi)/(|y| + |xi|), which is exact to rounding of the stretch itself.
struct BondForce {
  static constexpr const char* name = "peridynamics force";
  static constexpr bool reads_position = true, reads_vector = false, reads_family = true;
  static constexpr bool counts_broken = false;
  static constexpr int components = 3;
  float dt;            ///< [s]
  View<Vec3> impulse;  ///< [N s], written
  MERGANSER_METHOD bool skip() const { return false; }
  template <class Real>
  MERGANSER_METHOD BondValue<Real> pair(const BondMaterial& material, const BondEnd<Real>& i,
                                        const BondEnd<Real>& j) const {
    const Vector3<Real> y = j.position - i.position, xi = j.reference - i.reference;
    const Real length = not_below(square_root(norm_squared(y)), 1e-12f);
    const Real r = square_root(norm_squared(xi));
    const Real elongation = dot(y - xi, y + xi);  // times the two lengths' sum
    const Real over = ((length + r) * (i.family + j.family)) * (r * length);
    BondValue<Real> value{};
    value.a = y * (bond_strength(material, i, j, r) * elongation / over);
    return value;
  }
  MERGANSER_METHOD void finish(int i, const BondMaterial&, const BondValue<float>& sum) const {
    impulse[i] = dt * sum.a;
  }
};

/// Half of k e^2/2 of every bond, so that the particles' energies [J] add up to the body's.
struct BondEnergy {
  static constexpr const char* name = "peridynamics energy";
  static constexpr bool reads_position = true, reads_vector = false, reads_family = true;
  static constexpr bool counts_broken = false;
  static constexpr int components = 1;
  View<float> energy;  ///< [J], written
  MERGANSER_METHOD bool skip() const { return false; }
  template <class Real>
  MERGANSER_METHOD BondValue<Real> pair(const BondMaterial& material, const BondEnd<Real>& i,
                                        const BondEnd<Real>& j) const {
    const Vector3<Real> y = j.position - i.position, xi = j.reference - i.reference;
    const Real length = square_root(norm_squared(y)), r = square_root(norm_squared(xi));
    const Real elongation = dot(y - xi, y + xi) / (length + r);
    BondValue<Real> value{};
    value.a.x =
        0.25f * bond_strength(material, i, j, r) / (r * (i.family + j.family)) * elongation * elongation;
    return value;
  }
  MERGANSER_METHOD void finish(int i, const BondMaterial&, const BondValue<float>& sum) const {
    energy[i] = sum.a.x;
  }
};

/// k_ij / |y|^2 with y along the bond: the stiffness matrix of a bond is this times y y^T.
template <class Real>
MERGANSER_FN Real directed_stiffness(const BondMaterial& material, const BondEnd<Real>& i,
                                     const BondEnd<Real>& j, const Vector3<Real>& y) {
  const Real r = square_root(norm_squared(j.reference - i.reference));
  const Real length_squared = not_below(norm_squared(y), 1e-24f);
  return bond_strength(material, i, j, r) / (length_squared * (r * (i.family + j.family)));
}

/// A bond's k n n^T [N/m] from y and its directed stiffness: xx, xy, xz, then yy, yz, zz.
template <class Real>
MERGANSER_FN BondValue<Real> stiffness_block(const Vector3<Real>& y, const Real& directed) {
  const Vector3<Real> scaled = y * directed;
  return {{scaled.x * y.x, scaled.x * y.y, scaled.x * y.z}, {scaled.y * y.y, scaled.y * y.z, scaled.z * y.z}};
}

/// Diagonal blocks of K [N/m]: sum_j k_ij n n^T.
struct StiffnessDiagonal {
  static constexpr const char* name = "peridynamics diagonal";
  static constexpr bool reads_position = true, reads_vector = false, reads_family = true;
  static constexpr bool counts_broken = false;
  static constexpr int components = 6;
  View<SymmetricMatrix3> diagonal;  ///< [N/m], written
  MERGANSER_METHOD bool skip() const { return false; }
  template <class Real>
  MERGANSER_METHOD BondValue<Real> pair(const BondMaterial& material, const BondEnd<Real>& i,
                                        const BondEnd<Real>& j) const {
    const Vector3<Real> y = j.position - i.position;
    return stiffness_block(y, directed_stiffness(material, i, j, y));
  }
  MERGANSER_METHOD void finish(int i, const BondMaterial&, const BondValue<float>& s) const {
    diagonal[i] = {s.a.x, s.a.y, s.a.z, s.b.x, s.b.y, s.b.z};
  }
};

/// For relative velocities w = v_j - v_i over dt: sum_j k (n.w)^2 [N m/s^2], and sum_j k (e a - ((e + a +
/// s)^2 - e^2)/2) [J] with the elongations e before and e + a + s after it, a = dt n.w and s = |y + dt w| -
/// |y| - a; where asked, also sum_j k n (n.w).
struct BondQuadratics {
  static constexpr const char* name = "peridynamics quadratics";
  static constexpr bool reads_position = true, reads_vector = true, reads_family = true;
  static constexpr bool counts_broken = false;
  static constexpr int components = 6;
  float dt;               ///< [s]
  View<Vec3> quadratics;  ///< x: the first, y: the second, written
  View<Vec3> product;     ///< [N/s], written; or empty
  MERGANSER_METHOD bool skip() const { return false; }
  template <class Real>
  MERGANSER_METHOD BondValue<Real> pair(const BondMaterial& material, const BondEnd<Real>& i,
                                        const BondEnd<Real>& j) const {
    const Vector3<Real> y = j.position - i.position, w = j.vector - i.vector;
    const Vector3<Real> xi = j.reference - i.reference, moved = y + w * (Real{} + dt);
    const Real stiffness = directed_stiffness(material, i, j, y), along = dot(y, w);
    const Real length_squared = not_below(norm_squared(y), 1e-24f), length = square_root(length_squared);
    const Real elongation = dot(y - xi, y + xi) / (length + square_root(norm_squared(xi)));
    const Real a = along * dt / length;
    const Real across = norm_squared(w) * dt * dt - a * a;
    const Real turned = across / not_below(square_root(norm_squared(moved)) + length + a, 1e-12f);
    BondValue<Real> value{};
    value.a.x = stiffness * along * along;
    value.a.y = stiffness * length_squared * (-0.5f * a * a - (elongation + a + 0.5f * turned) * turned);
    value.b = y * (stiffness * along);
    return value;
  }
  MERGANSER_METHOD void finish(int i, const BondMaterial&, const BondValue<float>& sum) const {
    quadratics[i] = sum.a;
    if (!product.empty()) product[i] = sum.b;
  }
};

/// Rows h_i u_i + factor (K u)_i [N s] with (K u)_i = sum_j k_ij n n^T (u_i - u_j); zero on fixed rows.
/// Without effective mass: factor (K u)_i of all rows.
struct BondProduct {
  static constexpr const char* name = "peridynamics product";
  static constexpr bool reads_position = true, reads_vector = true, reads_family = true;
  static constexpr bool counts_broken = false;
  static constexpr int components = 3;
  SolveProgress progress;
  StepNumber factor;                 ///< [s^2] dt (dt + damping)
  View<const float> effective_mass;  ///< [kg] h, 0 = fixed row; or empty
  View<const Vec3> u;                ///< [m/s], as in the fields' vector
  View<Vec3> product;                ///< [N s], written
  MERGANSER_METHOD bool skip() const { return progress.stopped(); }
  template <class Real>
  MERGANSER_METHOD BondValue<Real> pair(const BondMaterial& material, const BondEnd<Real>& i,
                                        const BondEnd<Real>& j) const {
    const Vector3<Real> y = j.position - i.position;
    BondValue<Real> value{};
    value.a = y * (directed_stiffness(material, i, j, y) * dot(y, j.vector - i.vector));
    return value;
  }
  MERGANSER_METHOD void finish(int i, const BondMaterial&, const BondValue<float>& sum) const {
    write(i, sum.a);
  }
  /// The row whose sum_j k_ij n n^T (u_j - u_i) is given.
  MERGANSER_METHOD void write(int i, const Vec3& sum) const {
    if (effective_mass.empty()) {
      product[i] = -factor * sum;
    } else {
      const float h = effective_mass[i];
      product[i] = h > 0 ? h * u[i] - factor * sum : Vec3{0, 0, 0};
    }
  }
};

MERGANSER_END
