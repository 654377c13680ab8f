#include "tests/support/neo_hookean_reference.h"

#include <cmath>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace merganser::test {

Eigen::Matrix3d NeoHookeanReference::stress(const Matrix& f, double step) const {
  Matrix result;
  for (int k = 0; k < 9; ++k) {
    Matrix plus = f, minus = f;
    plus(k) += step, minus(k) -= step;
    result(k) = (density(plus) - density(minus)) / (2 * step);
  }
  return result;
}
NeoHookeanReference::Hessian NeoHookeanReference::hessian(const Matrix& f) const {
  Hessian result;
  for (int k = 0; k < 9; ++k) {
    Matrix plus = f, minus = f;
    plus(k) += 1e-4, minus(k) -= 1e-4;
    const Matrix change = (stress(plus, 1e-4) - stress(minus, 1e-4)) / 2e-4;
    for (int l = 0; l < 9; ++l) result(l, k) = change(l);
  }
  return 0.5 * (result + result.transpose());
}
NeoHookeanReference::Hessian NeoHookeanReference::projected(const Hessian& a) {
  const Eigen::SelfAdjointEigenSolver<Hessian> eigen(a);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}
double NeoHookeanReference::density(const Matrix& f) const {
  const double m = 4.0 / 3 * mu, l = lambda + 5.0 / 6 * mu, alpha = 1 + m / l - m / (4 * l);
  const double i = (f.transpose() * f).trace(), j = f.determinant();
  return m / 2 * (i - 3) + l / 2 * (j - alpha) * (j - alpha) - m / 2 * std::log(i + 1);
}

double neo_hookean_energy(const ElasticReference& body, const ElasticReference::Positions& x) {
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

}  // namespace merganser::test
