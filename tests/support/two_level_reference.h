#pragma once
/// The two-level preconditioner as dense matrices in double.
#include <Eigen/Core>
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser::test {

/// sum_p R_p^T A_p^-1 R_p + P (P^T A P)^+ P^T with the functions 1, x, y, z of each part as they are; only
/// the space that they span counts, and the pseudoinverse takes those of a part in a plane as one less.
Eigen::MatrixXd two_level_inverse(const Eigen::MatrixXd& a, const std::vector<Point3>& positions,
                                  const std::vector<int>& first);
/// Greatest over least eigenvalue of b a, both symmetric (b but for rounding) and positive definite.
double condition_of_product(const Eigen::MatrixXd& b, const Eigen::MatrixXd& a);

}  // namespace merganser::test
