#pragma once
/// Stable Neo-Hookean solids by brute force in double: the energy density as Smith et al. 2018 write it (eq.
/// 14, Lame parameters as in sec. 3.4), its derivatives by differences, and the energy of whole bodies in the
/// discretisation of [ES].
#include "tests/support/elastic_reference.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

struct NeoHookeanReference {
  using Matrix = Eigen::Matrix3d;
  using Hessian = Eigen::Matrix<double, 9, 9>;
  double mu, lambda;  ///< [Pa] Lame

  /// [J/m^3], zero at rest.
  double energy(const Matrix& f) const { return density(f) - density(Matrix::Identity()); }
  Matrix stress(const Matrix& f, double step = 1e-6) const {
    Matrix result;
    for (int k = 0; k < 9; ++k) {
      Matrix plus = f, minus = f;
      plus(k) += step, minus(k) -= step;
      result(k) = (density(plus) - density(minus)) / (2 * step);
    }
    return result;
  }
  /// By columns of F. Central differences of the energy twice: exact to about 1e-5 of the moduli.
  Hessian hessian(const Matrix& f) const {
    Hessian result;
    for (int k = 0; k < 9; ++k) {
      Matrix plus = f, minus = f;
      plus(k) += 1e-4, minus(k) -= 1e-4;
      const Matrix change = (stress(plus, 1e-4) - stress(minus, 1e-4)) / 2e-4;
      for (int l = 0; l < 9; ++l) result(l, k) = change(l);
    }
    return 0.5 * (result + result.transpose());
  }
  static Hessian projected(const Hessian& a) {
    const Eigen::SelfAdjointEigenSolver<Hessian> eigen(a);
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
           eigen.eigenvectors().transpose();
  }

 private:
  double density(const Matrix& f) const {
    const double m = 4.0 / 3 * mu, l = lambda + 5.0 / 6 * mu, alpha = 1 + m / l - m / (4 * l);
    const double i = (f.transpose() * f).trace(), j = f.determinant();
    return m / 2 * (i - 3) + l / 2 * (j - alpha) * (j - alpha) - m / 2 * std::log(i + 1);
  }
};

/// [J] of a body at positions x: the density of every particle's F and the zero-energy term.
inline double neo_hookean_energy(const ElasticReference& body, const ElasticReference::Positions& x) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const Eigen::Matrix3d f = body.deformation(i, x);
    sum += body.volume[i] * NeoHookeanReference{body.mu[i], body.lambda[i]}.energy(f);
    sum += body.energy(i, x, oracle_rotation(f)) - body.volume[i] * [&] {
      const Eigen::Matrix3d r = oracle_rotation(f);
      const double trace = (r.transpose() * f).trace() - 3;
      return body.mu[i] * (f - r).squaredNorm() + 0.5 * body.lambda[i] * trace * trace;
    }();
  }
  return sum;
}

}  // namespace test
MERGANSER_END
