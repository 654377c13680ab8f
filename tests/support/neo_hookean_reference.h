#pragma once
/// Stable Neo-Hookean solids by brute force in double: the energy density as Smith et al. 2018 write it (eq.
/// 14, Lame parameters as in sec. 3.4), its derivatives by differences, and the energy of whole bodies in the
/// discretisation of [ES].
#include "tests/support/elastic_reference.h"

namespace merganser::test {

struct NeoHookeanReference {
  using Matrix = Eigen::Matrix3d;
  using Hessian = Eigen::Matrix<double, 9, 9>;
  double mu, lambda;  ///< [Pa] Lame

  /// [J/m^3], zero at rest.
  double energy(const Matrix& f) const { return density(f) - density(Matrix::Identity()); }
  Matrix stress(const Matrix& f, double step = 1e-6) const;
  /// By columns of F. Central differences of the energy twice: exact to about 1e-5 of the moduli.
  Hessian hessian(const Matrix& f) const;
  static Hessian projected(const Hessian& a);

 private:
  double density(const Matrix& f) const;
};

/// [J] of a body at positions x: the density of every particle's F and the zero-energy term.
double neo_hookean_energy(const ElasticReference& body, const ElasticReference::Positions& x);

}  // namespace merganser::test
