#include "tests/support/two_level_reference.h"

#include <cmath>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace merganser::test {

Eigen::MatrixXd two_level_inverse(const Eigen::MatrixXd& a, const std::vector<Point3>& positions,
                                  const std::vector<int>& first) {
  const Eigen::Index n = a.rows(), parts = Eigen::Index(first.size());
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n, n), p = Eigen::MatrixXd::Zero(n, 4 * parts);
  for (Eigen::Index k = 0; k < parts; ++k) {
    const Eigen::Index begin = first[size_t(k)], end = k + 1 < parts ? first[size_t(k) + 1] : n,
                       size = end - begin;
    const Eigen::LLT<Eigen::MatrixXd> factor(a.block(begin, begin, size, size));
    b.block(begin, begin, size, size) = factor.solve(Eigen::MatrixXd::Identity(size, size));
    Eigen::MatrixXd values(size, 4);
    for (Eigen::Index i = 0; i < size; ++i) {
      const Point3& x = positions[size_t(begin + i)];
      values.row(i) << 1, x[0], x[1], x[2];
    }
    const Eigen::RowVectorXd mean = values.colwise().mean();
    values.rightCols(3).rowwise() -= mean.tail(3);
    p.block(begin, 4 * k, size, 4) = values;
  }
  if (parts == 1) return b;
  const Eigen::MatrixXd energies = a * p;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> coarse(p.transpose() * energies);
  p *= coarse.eigenvectors();
  for (Eigen::Index i = 0; i < p.cols(); ++i) {
    const double value = coarse.eigenvalues()[i];
    p.col(i) *= value > 1e-9 * coarse.eigenvalues()[p.cols() - 1] ? 1 / std::sqrt(value) : 0;
  }
  return b + p * p.transpose();
}

double condition_of_product(const Eigen::MatrixXd& b, const Eigen::MatrixXd& a) {
  const Eigen::MatrixXd l = a.llt().matrixL();
  const Eigen::MatrixXd c = l.transpose() * (0.5 * (b + b.transpose())) * l;
  const auto values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(c).eigenvalues();
  return values[values.size() - 1] / values[0];
}

}  // namespace merganser::test
