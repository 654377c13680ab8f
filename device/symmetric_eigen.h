#pragma once
/// Eigenvalues and eigenvectors of small symmetric matrices by cyclic Jacobi rotations (Golub & Van Loan,
/// Matrix Computations, alg. 8.5.2): slow, and right for any finite matrix.
#include <cmath>

#include "device/backend.h"

MERGANSER_BEGIN

/// a = v diag(value) v^T: column k of v, v[.][k], belongs to value[k]; in no order.
template <int size>
struct SymmetricEigen {
  double value[size];
  double vector[size][size];
};

template <int size>
MERGANSER_FN SymmetricEigen<size> symmetric_eigen(double (&a)[size][size]) {
  SymmetricEigen<size> result;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) result.vector[i][j] = i == j ? 1 : 0;
  constexpr int most_sweeps = 12;  // convergence is quadratic: 5 or 6 do
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double outside = 0, all = 0;
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        all += a[i][j] * a[i][j];
        if (i != j) outside += a[i][j] * a[i][j];
      }
    if (!(outside > 1e-32 * all)) break;
    for (int p = 0; p < size; ++p)
      for (int q = p + 1; q < size; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
        const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta));
        const double c = 1 / sqrt(1 + t * t), s = t * c;
        for (int k = 0; k < size; ++k) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
        for (int k = 0; k < size; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
          const double vp = result.vector[k][p], vq = result.vector[k][q];
          result.vector[k][p] = c * vp - s * vq;
          result.vector[k][q] = s * vp + c * vq;
        }
      }
  }
  for (int k = 0; k < size; ++k) result.value[k] = a[k][k];
  return result;
}

MERGANSER_END
