#pragma once
/// The operators of coarse grids, and the diagonals of all.
#include "solvers/linear/multigrid/multigrid.h"

MERGANSER_BEGIN

/// w_C = mean of the four fine faces, d_C = 1/2 sum of the children's d. For a plane theta fine cells behind
/// a layer of cells that makes 2/theta, where the coarse finite volumes have 2/(theta + 1/2): a little
/// stronger than these, which converges faster than the exact value on curved surfaces.
struct CoarsenCoefficients {
  static constexpr const char* name = "multigrid coarsen";
  RedBlackBox fine, coarse;
  View<const float> from_x, from_y, from_z, from_dirichlet;
  View<float> face_x, face_y, face_z, dirichlet;

  MERGANSER_METHOD float sum_of_face(View<const float> from, int flat, int u, int v) const {
    return from[fine.slot(flat)] + from[fine.slot(flat + u)] + from[fine.slot(flat + v)] +
           from[fine.slot(flat + u + v)];
  }
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int corner = fine.flat(2 * x - 1, 2 * y - 1, 2 * z - 1), to = coarse.slot(x, y, z);
    const int dy = fine.stride_y(), dz = fine.stride_z();
    face_x[to] = 0.25f * sum_of_face(from_x, corner, dy, dz);
    face_y[to] = 0.25f * sum_of_face(from_y, corner, 1, dz);
    face_z[to] = 0.25f * sum_of_face(from_z, corner, 1, dy);
    float sum = 0;
    for (int child = 0; child < 8; ++child) {
      const int at = corner + (child & 1) + (child >> 1 & 1) * dy + (child >> 2) * dz;
      sum += from_dirichlet[fine.slot(at)];
    }
    dirichlet[to] = 0.5f * sum;
  }
};

struct Diagonal {
  static constexpr const char* name = "multigrid diagonal";
  ColorOperator matrix;
  const float* dirichlet;
  float *diagonal, *inverse;
  MERGANSER_METHOD void operator()(int k) const {
    float sum = dirichlet[k];
    for (int axis = 0; axis < 3; ++axis)
      sum += matrix.own[axis][k] + matrix.beyond[axis][k + matrix.at.upper[axis]];
    diagonal[k] = sum;
    inverse[k] = sum > 0 ? 1 / sum : 0.0f;
  }
};

MERGANSER_END
