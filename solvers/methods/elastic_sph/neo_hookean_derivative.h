#pragma once
/// The second derivative of a stable Neo-Hookean density with its negative eigenvalues taken for zero (Smith
/// et al. 2018, sec. 4.5). With I = |F|^2, G the cofactors, c = mu (1 - 1/(I + 1)), p = lambda (det F -
/// alpha) and F = R S with a symmetric S, whose eigenvalues are s_k,
///   D = c 1 + 2 mu/(I + 1)^2 F F^T + lambda G G^T + p dG/dF
/// has as eigenvectors three turnings R [v_k]x/sqrt(2) with c + p s_k, three shears with c - p s_k, and three
/// stretches. Turnings leave it indefinite as soon as something is pressed: they are mended by
///   sum_ab N_ab b_a b_b^T,   N = sum_k max(0, -c - p s_k)/2 v_k v_k^T,   b_a = R [e_a]x,
/// without branches. Shears and stretches do so where p > 0, or where F is far from a rotation: particle by
/// particle.
#include "device/symmetric_eigen.h"
#include "solvers/methods/elastic_sph/elastic_shape.h"
#include "solvers/methods/elastic_sph/neo_hookean.h"

MERGANSER_BEGIN

/// A symmetric 9 x 9 matrix that maps deformation gradients, column by column, to stresses; entry (a, b) with
/// b <= a at [a (a + 1)/2 + b].
inline constexpr int derivative_entries = 45;

/// Eigenvalues e_k and eigenvectors v_k of a symmetric 3 x 3 matrix.
template <class Real>
struct EigenOf3 {
  Real value[3];
  Vector3<Real> vector[3];
};

MERGANSER_FN float root_of(float x) { return sqrtf(x); }
MERGANSER_FN double root_of(double x) { return sqrt(x); }
#if !MERGANSER_GPU_HALF
inline Lanes root_of(const Lanes& x) { return square_root(x); }
#endif
template <class Real>
MERGANSER_FN Real lesser(const Real& a, const Real& b) {
  return a < b ? a : b;
}

/// By so many sweeps of Jacobi rotations for any matrix (Golub & Van Loan, Matrix Computations, alg. 8.5.1).
template <class Real>
MERGANSER_FN EigenOf3<Real> eigen_of(Real xx, Real xy, Real xz, Real yy, Real yz, Real zz) {
  const Real zero = lanes_of<Real>(0), one = lanes_of<Real>(1);
  Real a[3][3] = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
  EigenOf3<Real> made{{}, {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
  constexpr int sweeps = sizeof(lane_value(Real{}, 0)) == sizeof(float) ? 4 : 6;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int k = 2; k >= 0; --k) {
      const int p = k == 0 ? 1 : 0, q = k == 2 ? 1 : 2;  // and k the third
      const Real twice = 2 * a[p][q], gap = a[q][q] - a[p][p];
      const Real root = root_of(Real(gap * gap + twice * twice));
      const Real below = gap < zero ? Real(gap - root) : Real(gap + root);
      const Real t = below == zero ? zero : Real(twice / (below == zero ? one : below));
      const Real c = 1 / root_of(Real(1 + t * t)), s = t * c;
      const Real shift = t * a[p][q], kp = a[k][p], kq = a[k][q];
      a[p][p] -= shift;
      a[q][q] += shift;
      a[p][q] = a[q][p] = zero;
      a[k][p] = a[p][k] = c * kp - s * kq;
      a[k][q] = a[q][k] = s * kp + c * kq;
      const Vector3<Real> vp = made.vector[p], vq = made.vector[q];
      made.vector[p] = vp * c - vq * s;
      made.vector[q] = vp * s + vq * c;
    }
  for (int k = 0; k < 3; ++k) made.value[k] = a[k][k];
  return made;
}

template <class Real>
MERGANSER_FN void write_columns(const Matrix3<Real>& a, Real (&flat)[9]) {
  const Real numbers[9] = {a.x.x, a.x.y, a.x.z, a.y.x, a.y.y, a.y.z, a.z.x, a.z.y, a.z.z};
  for (int k = 0; k < 9; ++k) flat[k] = numbers[k];
}

/// The derivative's constants at F, and its eigenvalues but for the stretches.
template <class Real>
struct NeoHookeanModes {
  Real c, d, p;        ///< [J] d = 2 mu/(I + 1)^2
  Real turning_floor;  ///< [J] c + p, exact where both nearly cancel
  /// F = r + strain.
  MERGANSER_METHOD static NeoHookeanModes at(const NeoHookeanOf<Real>& material, const Matrix3<Real>& strain,
                                             const Matrix3<Real>& r) {
    const Real squares = material.excess_of_squares(strain, r), volume = material.excess_of_volume(strain, r);
    const Real share = 1 / (squares + 4);  // 1/(I + 1)
    NeoHookeanModes made;
    made.c = material.mu * (1 - share);
    made.d = 2 * material.mu * share * share;
    made.p = material.pressure(volume);
    made.turning_floor = lanes_of<Real>(0.25) * material.mu * squares * share + material.lambda * volume;
    return made;
  }
  /// Of principal stretches 1 + e[k] the matrix of the stretches.
  MERGANSER_METHOD void stretches(Real lambda, const Real (&e)[3], Real (&a)[3][3]) const {
    const Real s[3] = {1 + e[0], 1 + e[1], 1 + e[2]};
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      a[i][i] = c + d * s[i] * s[i] + lambda * (s[j] * s[k]) * (s[j] * s[k]);
      a[i][j] = a[j][i] = d * s[i] * s[j] + lambda * (s[j] * s[k]) * (s[k] * s[i]) + p * s[k];
    }
  }
};

/// entry += N_ab b_a b_b^T, see above; n = xx, xy, xz, yy, yz, zz.
template <class Real>
MERGANSER_FN void add_turnings(const Real (&n)[6], const Matrix3<Real>& r,
                               Real (&entry)[derivative_entries]) {
  const Vector3<Real> zero{};
  Real b[3][9];
  write_columns(Matrix3<Real>{zero, r.z, zero - r.y}, b[0]);
  write_columns(Matrix3<Real>{zero - r.z, zero, r.x}, b[1]);
  write_columns(Matrix3<Real>{r.y, zero - r.x, zero}, b[2]);
  for (int i = 0, e = 0; i < 9; ++i) {
    const Real x = n[0] * b[0][i] + n[1] * b[1][i] + n[2] * b[2][i];
    const Real y = n[1] * b[0][i] + n[3] * b[1][i] + n[4] * b[2][i];
    const Real z = n[2] * b[0][i] + n[4] * b[1][i] + n[5] * b[2][i];
    for (int j = 0; j <= i; ++j, ++e) entry[e] += x * b[0][j] + y * b[1][j] + z * b[2][j];
  }
}

/// D with its turnings mended. Returns a number that is negative where shears or stretches leave it
/// indefinite.
template <class Real>
MERGANSER_FN Real derivative_with_turnings(const NeoHookeanOf<Real>& material, const Matrix3<Real>& strain,
                                           const Matrix3<Real>& r, Real (&entry)[derivative_entries]) {
  const auto modes = NeoHookeanModes<Real>::at(material, strain, r);
  const Matrix3<Real> f = strain + r;
  Real flat[9], cofactor[9];
  write_columns(f, flat);
  write_columns(material.cofactors(f), cofactor);
  for (int a = 0, e = 0; a < 9; ++a)
    for (int b = 0; b <= a; ++b, ++e) {
      entry[e] = modes.d * flat[a] * flat[b] + material.lambda * cofactor[a] * cofactor[b];
      if (a == b) entry[e] += modes.c;
    }
  // dG/dF: the cross products with the columns of F, in the blocks (y, x), (z, x) and (z, y).
  const auto add_cross = [&](int row, int column, const Vector3<Real>& v, Real factor) {
    const auto add = [&](int i, int j, Real value) {
      const int a = 3 * row + i, b = 3 * column + j;
      entry[a * (a + 1) / 2 + b] += factor * value;
    };
    add(0, 1, -v.z), add(0, 2, v.y), add(1, 0, v.z), add(1, 2, -v.x), add(2, 0, -v.y), add(2, 1, v.x);
  };
  add_cross(1, 0, f.z, modes.p);
  add_cross(2, 0, f.y, -modes.p);
  add_cross(2, 1, f.x, modes.p);

  const auto x = transposed_times(r, strain.x), y = transposed_times(r, strain.y),
             z = transposed_times(r, strain.z);
  const Real half = lanes_of<Real>(0.5), zero = lanes_of<Real>(0);
  const EigenOf3<Real> eigen =
      eigen_of<Real>(x.x, half * (x.y + y.x), half * (x.z + z.x), y.y, half * (y.z + z.y), z.z);
  Real n[6] = {};
  Real least = modes.c;
  for (int k = 0; k < 3; ++k) {
    const Vector3<Real>& v = eigen.vector[k];
    const Real turning = modes.turning_floor + modes.p * eigen.value[k];
    const Real w = turning < zero ? Real(-half * turning) : zero;
    n[0] += w * v.x * v.x, n[1] += w * v.x * v.y, n[2] += w * v.x * v.z;
    n[3] += w * v.y * v.y, n[4] += w * v.y * v.z, n[5] += w * v.z * v.z;
    least = lesser(least, Real(modes.c - modes.p * (1 + eigen.value[k])));
  }
  add_turnings(n, r, entry);
  Real a[3][3];
  modes.stretches(material.lambda, eigen.value, a);
  const Real minor = a[0][0] * a[1][1] - a[0][1] * a[0][1];
  const Real whole = a[2][2] * minor - a[0][2] * (a[0][2] * a[1][1] - a[0][1] * a[1][2]) -
                     a[1][2] * (a[0][0] * a[1][2] - a[0][1] * a[0][2]);
  return lesser(least, lesser(a[0][0], lesser(minor, whole)));
}

/// The part missing of a positive D where derivative_with_turnings() is negative, into `missing`.
MERGANSER_FN void missing_modes(const NeoHookean& material, const Matrix3<double>& strain,
                                const Matrix3<double>& r, double (&missing)[derivative_entries]) {
  const auto modes = NeoHookeanModes<double>::at(material, strain, r);
  const auto x = transposed_times(r, strain.x), y = transposed_times(r, strain.y),
             z = transposed_times(r, strain.z);
  const EigenOf3<double> eigen =
      eigen_of<double>(x.x, 0.5 * (x.y + y.x), 0.5 * (x.z + z.x), y.y, 0.5 * (y.z + z.y), z.z);
  for (double& entry : missing) entry = 0;
  // m = R sum_ij mode_ij v_i v_j^T
  const auto add = [&](double value, const double(&mode)[3][3]) {
    if (!(value < 0)) return;
    Matrix3<double> s{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const Vec3d to = mode[i][j] * eigen.vector[i], from = eigen.vector[j];
        s += Matrix3<double>{from.x * to, from.y * to, from.z * to};
      }
    double flat[9];
    write_columns(r * s, flat);
    for (int a = 0, e = 0; a < 9; ++a)
      for (int b = 0; b <= a; ++b, ++e) missing[e] -= value * flat[a] * flat[b];
  };
  for (int k = 0; k < 3; ++k) {
    double shear[3][3] = {};
    shear[(k + 1) % 3][(k + 2) % 3] = shear[(k + 2) % 3][(k + 1) % 3] = sqrt(0.5);
    add(modes.c - modes.p * (1 + eigen.value[k]), shear);
  }
  double a[3][3];
  modes.stretches(material.lambda, eigen.value, a);
  const SymmetricEigen<3> stretches = symmetric_eigen(a);
  for (int k = 0; k < 3; ++k) {
    double stretch[3][3] = {};
    for (int i = 0; i < 3; ++i) stretch[i][i] = stretches.vector[i][k];
    add(stretches.value[k], stretch);
  }
}

MERGANSER_END
