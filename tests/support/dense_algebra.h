#pragma once
/// Dense algebra of references in double, compiled once for all tests.
#include <Eigen/Core>

namespace merganser::test {

/// a x.
Eigen::VectorXd product(const Eigen::MatrixXd& a, const Eigen::VectorXd& x);
/// a^-1 b of a symmetric positive definite matrix.
Eigen::VectorXd solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// p (p^T a p)^-1 p^T b, likewise: what solves in the space of p's columns.
Eigen::VectorXd solution_within(const Eigen::MatrixXd& p, const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);
/// Of a symmetric matrix.
double least_eigenvalue(const Eigen::MatrixXd& a);

}  // namespace merganser::test
