#include "tests/support/dense_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace merganser::test {

using Eigen::MatrixXd, Eigen::VectorXd;

VectorXd product(const MatrixXd& a, const VectorXd& x) { return a * x; }
VectorXd solution(const MatrixXd& a, const VectorXd& b) { return a.ldlt().solve(b); }
VectorXd solution_within(const MatrixXd& p, const MatrixXd& a, const VectorXd& b) {
  return p * (p.transpose() * a * p).ldlt().solve(p.transpose() * b);
}
MatrixXd inverse(const MatrixXd& a) { return a.inverse(); }
double least_eigenvalue(const MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

}  // namespace merganser::test
