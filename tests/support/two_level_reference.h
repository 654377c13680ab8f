#pragma once
/// The two-level preconditioner as dense matrices in double.
#include <cmath>
#include <vector>

#define EIGEN_NO_CUDA  // Eigen serves the host alone here
#include <Eigen/Eigenvalues>

#include "solvers/linear/cholesky/cholesky.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

inline Eigen::MatrixXd dense(const HostSparseMatrix& matrix) {
  Eigen::MatrixXd made = Eigen::MatrixXd::Zero(matrix.rows(), matrix.rows());
  for (int i = 0; i < matrix.rows(); ++i)
    for (auto e = matrix.first[size_t(i)]; e < matrix.first[size_t(i) + 1]; ++e) {
      const int j = matrix.column[size_t(e)];
      made(i, j) = made(j, i) = matrix.value[size_t(e)];
    }
  return made;
}

/// sum_p R_p^T A_p^-1 R_p + P (P^T A P)^+ P^T with the functions 1, x, y, z of each part as they are; only
/// the space that they span counts, and the pseudoinverse takes those of a part in a plane as one less.
inline Eigen::MatrixXd two_level_inverse(const Eigen::MatrixXd& a, const std::vector<Point3>& positions,
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

}  // namespace test
MERGANSER_END
