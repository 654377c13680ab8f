#pragma once
/// The constant matrix of stretching and zero-energy control ([ES] eq. 29), the same for x, y and z.
#include "solvers/linear/cholesky/cholesky.h"
#include "solvers/methods/elastic_sph/rest_shape.h"

MERGANSER_BEGIN

/// Data of one body's matrix.
struct ConstantMatrixInput {
  const RestShape& shape;
  const std::vector<int>& particles;  ///< local indices of the rows: the body's free particles, in any order
  const std::vector<float>& mass;     ///< [kg] of all particles of the system
  double dt;                          ///< [s]
  bool control;                       ///< with the implicit zero-energy control
};

/// M + dt^2 (2 D^T K D + H^T K~ H) [kg] of the body's free particles, lower triangle, in double; on the host,
/// rows shared out between its cores. The other particles' rows and columns are left out.
HostSparseMatrix constant_matrix(const ConstantMatrixInput& input);

/// Equal pattern, and values within `tolerance` of the diagonals' geometric mean.
bool nearly_equal(const HostSparseMatrix& a, const HostSparseMatrix& b, double tolerance);

MERGANSER_END
