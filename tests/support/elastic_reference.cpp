#include "tests/support/elastic_reference.h"

#include <cmath>
#include <Eigen/LU>
#include <Eigen/SVD>

#include "device/errors.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

namespace merganser::test {
namespace {

/// Cubic spline of support 2h.
double kernel(double r, double h) {
  const double q = r / h, scale = 1 / (M_PI * h * h * h);
  return q < 1 ? scale * (1 - 1.5 * q * q + 0.75 * q * q * q) : q < 2 ? scale * 0.25 * std::pow(2 - q, 3) : 0;
}
double derivative(double r, double h) {
  const double q = r / h, scale = 1 / (M_PI * h * h * h * h);
  return q < 1 ? scale * (-3 * q + 2.25 * q * q) : q < 2 ? -0.75 * scale * (2 - q) * (2 - q) : 0;
}

}  // namespace

Eigen::Matrix3d oracle_rotation(const Eigen::Matrix3d& f) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Vector3d sign(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1);
  return svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
}
Eigen::Vector3d signed_singular_values(const Eigen::Matrix3d& f) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Vector3d& s = svd.singularValues();
  const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  return {s[0], s[1], sign * s[2]};
}

ElasticReference::ElasticReference(const SystemState& state) {
  const ElasticSphParameters& p = state.parameters.of<ElasticSphParameters>();
  const size_t n = state.position.size();
  for (const Float3& x : state.position) rest.emplace_back(x[0], x[1], x[2]);
  auto material = [&](size_t i) -> const ElasticMaterial& {
    for (const ElasticMaterial& m : p.materials)
      if (m.body == state.body[i]) return m;
    throw InputError("no material");
  };
  neighbors.resize(n), weight.resize(n), gradient.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const double h = p.smoothing_length_factor * material(i).spacing;
    double sum = kernel(0, h);
    for (size_t j = 0; j < n; ++j)
      if (i != j && state.body[i] == state.body[j] && (rest[j] - rest[i]).norm() < 2 * h)
        sum += kernel((rest[j] - rest[i]).norm(), h);
    volume.push_back(p.volumes == ElasticVolumes::summation ? 1 / sum : std::pow(material(i).spacing, 3));
    const double e = material(i).youngs_modulus, nu = material(i).poisson_ratio;
    mu.push_back(e / (2 * (1 + nu)));
    lambda.push_back(e * nu / ((1 + nu) * (1 - 2 * nu)));
    alpha.push_back(material(i).alpha);
  }
  for (size_t i = 0; i < n; ++i) {
    const double h = p.smoothing_length_factor * material(i).spacing;
    Matrix moment = Matrix::Zero();
    std::vector<Vector> plain;
    for (size_t j = 0; j < n; ++j) {
      const Vector x = rest[j] - rest[i];
      if (i == j || state.body[i] != state.body[j] || !(x.norm() < 2 * h)) continue;
      neighbors[i].push_back(j);
      weight[i].push_back(kernel(x.norm(), h));
      plain.push_back(-derivative(x.norm(), h) / x.norm() * x);  // with respect to X_i
      moment += volume[j] * plain.back() * x.transpose();
    }
    const Matrix correction = moment.inverse();
    for (size_t k = 0; k < plain.size(); ++k)
      gradient[i].push_back(volume[neighbors[i][k]] * correction * plain[k]);
  }
}
Eigen::Matrix3d ElasticReference::deformation(size_t i, const Positions& x) const {
  Matrix f = Matrix::Zero();
  for (size_t k = 0; k < neighbors[i].size(); ++k)
    f += (x[neighbors[i][k]] - x[i]) * gradient[i][k].transpose();
  return f;
}
std::vector<Eigen::Matrix3d> ElasticReference::rotations(const Positions& x) const {
  std::vector<Matrix> r;
  for (size_t i = 0; i < x.size(); ++i) r.push_back(oracle_rotation(deformation(i, x)));
  return r;
}
double ElasticReference::energy(size_t i, const Positions& x, const Matrix& r) const {
  const Matrix f = deformation(i, x);
  double errors = 0;
  for (size_t k = 0; k < neighbors[i].size(); ++k) {
    const size_t j = neighbors[i][k];
    const Vector X = rest[i] - rest[j], error = f * X - (x[i] - x[j]);
    errors += volume[j] * error.squaredNorm() / X.squaredNorm() * weight[i][k];
  }
  const double trace = (r.transpose() * f).trace() - 3;
  return volume[i] *
         (mu[i] * (f - r).squaredNorm() + 0.5 * lambda[i] * trace * trace + 0.5 * alpha[i] * mu[i] * errors);
}
double ElasticReference::energy(const Positions& x, const std::vector<Matrix>& r) const {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += energy(i, x, r[i]);
  return sum;
}
ElasticReference::Positions ElasticReference::forces(const Positions& x, double step) const {
  Positions force(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      Positions plus = x, minus = x;
      plus[i][c] += step, minus[i][c] -= step;
      double change = 0;
      std::vector<size_t> near = neighbors[i];
      near.push_back(i);
      for (size_t j : near)
        change += energy(j, plus, oracle_rotation(deformation(j, plus))) -
                  energy(j, minus, oracle_rotation(deformation(j, minus)));
      force[i][c] = -change / (2 * step);
    }
  return force;
}
Eigen::MatrixXd ElasticReference::stiffness(const std::vector<Matrix>& r) const {
  const size_t n = rest.size();
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(Eigen::Index(3 * n), Eigen::Index(3 * n));
  for (size_t i = 0; i < n; ++i) {
    std::vector<size_t> near = neighbors[i];
    near.push_back(i);
    const Eigen::Index m = Eigen::Index(3 * near.size());
    // Rows of square-root energies, linear in x: sqrt(2 w) times F, tr(R^T F) and the errors.
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(10 + 3 * Eigen::Index(neighbors[i].size()), m);
    for (size_t a = 0; a < near.size(); ++a)
      for (int c = 0; c < 3; ++c) {
        Vector g = Vector::Zero();
        for (size_t b = 0; b < neighbors[i].size(); ++b)
          if (near[a] == i)
            g -= gradient[i][b];
          else if (neighbors[i][b] == near[a])
            g += gradient[i][b];
        const Eigen::Index column = Eigen::Index(3 * a) + c;
        Matrix f = Matrix::Zero();
        f.row(c) = g.transpose();
        for (int p = 0; p < 3; ++p)
          for (int q = 0; q < 3; ++q) rows(3 * p + q, column) = std::sqrt(2 * mu[i] * volume[i]) * f(p, q);
        rows(9, column) = std::sqrt(lambda[i] * volume[i]) * (r[i].transpose() * f).trace();
        for (size_t b = 0; b < neighbors[i].size(); ++b) {
          const size_t j = neighbors[i][b];
          const Vector X = rest[i] - rest[j];
          const double scale =
              std::sqrt(alpha[i] * mu[i] * volume[i] * volume[j] * weight[i][b] / X.squaredNorm());
          Vector error = f * X;
          error[c] -= (near[a] == i ? 1 : 0) - (near[a] == j ? 1 : 0);
          for (int p = 0; p < 3; ++p) rows(10 + 3 * Eigen::Index(b) + p, column) = scale * error[p];
        }
      }
    const Eigen::MatrixXd local = rows.transpose() * rows;
    for (size_t a = 0; a < near.size(); ++a)
      for (size_t b = 0; b < near.size(); ++b)
        k.block<3, 3>(Eigen::Index(3 * near[a]), Eigen::Index(3 * near[b])) +=
            local.block<3, 3>(Eigen::Index(3 * a), Eigen::Index(3 * b));
  }
  return k;
}

}  // namespace merganser::test
