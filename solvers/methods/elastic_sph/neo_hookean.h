#pragma once
/// Stable Neo-Hookean solids (Smith, de Goes & Kim 2018, Stable Neo-Hookean flesh simulation, eq. 14): finite
/// energy for any deformation gradient F, flat and inverted ones included,
///   E(F) = mu (|F|^2 - 3)/2 + lambda (det F - alpha)^2/2 - mu log(|F|^2 + 1)/2,  alpha = 1 + 3 mu/(4 lambda)
/// with mu = 4/3 and lambda + 5/6 of the Lame parameters (sec. 3.4), so that small strains are Hooke's. All
/// of it here is times a particle's rest volume [J].
#include <cmath>

#include "device/matrix3.h"
#include "device/symmetric_eigen.h"

MERGANSER_BEGIN

/// A symmetric 9 x 9 matrix that maps deformation gradients, column by column, to stresses; entry (a, b) with
/// b <= a at [a (a + 1)/2 + b].
struct StressDerivative {
  static constexpr int size = 45;
  double entry[size];
};

/// F = U diag(s) V^T with rotations U and V: the least stretch of an inverted F is negative.
struct PrincipalStretches {
  Matrix3<double> u, v;
  double s[3];
  /// r: the proper rotation that maximises tr(r^T F), so that r^T F is symmetric.
  MERGANSER_METHOD static PrincipalStretches of(const Matrix3<double>& f, const Matrix3<double>& r) {
    const Vec3d x = transposed_times(r, f.x), y = transposed_times(r, f.y), z = transposed_times(r, f.z);
    const double xy = 0.5 * (x.y + y.x), xz = 0.5 * (x.z + z.x), yz = 0.5 * (y.z + z.y);
    double a[3][3] = {{x.x, xy, xz}, {xy, y.y, yz}, {xz, yz, z.z}};
    const SymmetricEigen<3> eigen = symmetric_eigen(a);
    PrincipalStretches made{};
    const auto column = [&](int k) {
      return Vec3d{eigen.vector[0][k], eigen.vector[1][k], eigen.vector[2][k]};
    };
    made.v = {column(0), column(1), column(2)};
    made.u = r * made.v;
    for (int k = 0; k < 3; ++k) made.s[k] = eigen.value[k];
    return made;
  }
};

struct NeoHookean {
  double mu, lambda, alpha;  ///< [J] times volume; 1

  /// Lame parameters times volume [J].
  MERGANSER_METHOD static NeoHookean of(double lame_mu, double lame_lambda) {
    const double mu = 4.0 / 3 * lame_mu, lambda = lame_lambda + 5.0 / 6 * lame_mu;
    return {mu, lambda, 1 + 0.75 * mu / lambda};
  }
  /// Of F = R + strain, zero at rest; of |F|^2 - 3 and det F - 1 as they follow from R^T strain, for line
  /// searches compare energies of strains whose squares are lost beside 1.
  MERGANSER_METHOD double energy(const Matrix3<double>& strain, const Matrix3<double>& r) const {
    const Vec3d x = transposed_times(r, strain.x), y = transposed_times(r, strain.y),
                z = transposed_times(r, strain.z);
    const double trace = x.x + y.y + z.z;
    const double squares = 2 * trace + contract(strain, strain);
    const double minors = (x.x * y.y - x.y * y.x) + (y.y * z.z - y.z * z.y) + (x.x * z.z - x.z * z.x);
    const double volume = trace + minors + dot(x, cross(y, z));
    return 0.5 * mu * squares + 0.5 * lambda * volume * (volume + 2 - 2 * alpha) -
           0.5 * mu * std::log1p(0.25 * squares);
  }
  /// dE/dF.
  MERGANSER_METHOD Matrix3<double> stress(const Matrix3<double>& f) const {
    const Matrix3<double> cofactors{cross(f.y, f.z), cross(f.z, f.x), cross(f.x, f.y)};
    return deviatoric(contract(f, f)) * f + (lambda * (determinant(f) - alpha)) * cofactors;
  }
  /// The second derivative of E with its negative eigenvalues taken for zero (sec. 4.5): of the six rotations
  /// and shears of two principal directions, and of the stretches.
  MERGANSER_METHOD StressDerivative derivative(const PrincipalStretches& at) const {
    const double *s = at.s, squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    const double c = deviatoric(squares), d = 2 * mu / ((squares + 1) * (squares + 1));
    const double p = lambda * (s[0] * s[1] * s[2] - alpha);
    StressDerivative sum{};
    double stretches[3][3];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      stretches[i][i] = c + d * s[i] * s[i] + lambda * (s[j] * s[k]) * (s[j] * s[k]);
      stretches[i][j] = stretches[j][i] = d * s[i] * s[j] + lambda * (s[j] * s[k]) * (s[k] * s[i]) + p * s[k];
      const double h = std::sqrt(0.5);
      double shear[3][3] = {}, rotation[3][3] = {};
      shear[i][j] = shear[j][i] = rotation[i][j] = h;
      rotation[j][i] = -h;
      add(c - p * s[k], at, shear, sum);
      add(c + p * s[k], at, rotation, sum);
    }
    const SymmetricEigen<3> eigen = symmetric_eigen(stretches);
    for (int k = 0; k < 3; ++k) {
      double stretch[3][3] = {};
      for (int i = 0; i < 3; ++i) stretch[i][i] = eigen.vector[i][k];
      add(eigen.value[k], at, stretch, sum);
    }
    return sum;
  }

 private:
  MERGANSER_METHOD double deviatoric(double squares) const { return mu * (1 - 1 / (squares + 1)); }
  /// sum += value m m^T where value is positive, m = U mode V^T.
  MERGANSER_METHOD static void add(double value, const PrincipalStretches& at, const double (&mode)[3][3],
                                   StressDerivative& sum) {
    if (!(value > 0)) return;
    const auto column = [&](int j) { return at.u * Vec3d{mode[0][j], mode[1][j], mode[2][j]}; };
    const Matrix3<double> m = Matrix3<double>{column(0), column(1), column(2)} * transposed(at.v);
    const double flat[9] = {m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z};
    for (int a = 0, e = 0; a < 9; ++a)
      for (int b = 0; b <= a; ++b, ++e) sum.entry[e] += value * flat[a] * flat[b];
  }
};

MERGANSER_END
