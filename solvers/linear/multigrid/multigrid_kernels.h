#pragma once
/// The phases of a multigrid cycle between two levels, see multigrid.h. Each works on the cells of one color
/// or on coarse cells and writes its own alone.
#include "solvers/linear/multigrid/multigrid.h"

MERGANSER_BEGIN

/// A phase that does nothing where *active is zero; without `active` it does its work.
template <class Phase>
struct WhileActive {
  static constexpr const char* name = Phase::name;
  Phase phase;
  const int* active;
  template <class... Index>
  MERGANSER_METHOD void operator()(Index... index) const {
    if (!active || *active) phase(index...);
  }
};

/// x = b / diagonal: a sweep that starts from zero.
struct FirstSweep {
  static constexpr const char* name = "multigrid first sweep";
  const float *b = nullptr, *inverse = nullptr;
  float* x = nullptr;
  MERGANSER_METHOD void operator()(int k) const { x[k] = b[k] * inverse[k]; }
};

/// Gauss-Seidel on one color: x = (b + sum w x_neighbor) / diagonal.
struct Sweep {
  static constexpr const char* name = "multigrid sweep";
  ColorOperator matrix;
  const float *b = nullptr, *inverse = nullptr, *other = nullptr;
  float* x = nullptr;
  MERGANSER_METHOD void operator()(int k) const { x[k] = (b[k] + matrix.neighbors(k, other)) * inverse[k]; }
};

/// b - A x on red cells; after a sweep over the black ones it vanishes there.
struct RedResidual {
  static constexpr const char* name = "multigrid residual";
  ColorOperator matrix;
  const float *b = nullptr, *black = nullptr, *red = nullptr;
  float* residual = nullptr;
  MERGANSER_METHOD void operator()(int k) const {
    residual[k] = b[k] + matrix.neighbors(k, black) - matrix.diagonal[k] * red[k];
  }
};

/// A coarse cell with its 2 x 2 x 2 children. The red ones are those where an odd number of axes take
/// the upper child: (1,0,0), (0,1,0), (0,0,1) and (1,1,1).
struct CoarseToFine {
  RedBlackBox fine, coarse;
  const float* face[3]{};  ///< of the coarse grid

  MERGANSER_METHOD int corner(int x, int y, int z) const {
    return fine.flat(2 * x - 1, 2 * y - 1, 2 * z - 1);
  }
  MERGANSER_METHOD int fine_stride(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? fine.stride_y() : fine.stride_z();
  }
  MERGANSER_METHOD int coarse_stride(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? coarse.stride_y() : coarse.stride_z();
  }
};

/// r_C = 1/2 (sum of the children's r + 1/4 sum_sides w (sum of the neighbor's r facing C - of C's facing
/// it)). 1/2: the cells' equations are scaled by their edge.
struct RestrictResidual : CoarseToFine {
  static constexpr const char* name = "multigrid restrict";
  const float* residual = nullptr;  ///< red half
  float* right_side = nullptr;

  MERGANSER_METHOD float at(int flat) const { return residual[flat >> 1]; }
  /// Sum over the red children of the block at `corner` on its lower or upper side along the axis.
  MERGANSER_METHOD float side(int corner, int axis, int upper) const {
    const int n = fine_stride(axis), u = fine_stride((axis + 1) % 3), v = fine_stride((axis + 2) % 3);
    return upper ? at(corner + n) + at(corner + n + u + v) : at(corner + u) + at(corner + v);
  }
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int own = corner(x, y, z), flat = coarse.flat(x, y, z);
    float across = 0, inside = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int step = 2 * fine_stride(axis);
      const float lower = face[axis][coarse.slot(flat)];
      const float upper = face[axis][coarse.slot(flat + coarse_stride(axis))];
      const float own_lower = side(own, axis, 0), own_upper = side(own, axis, 1);
      if (lower > 0) across += lower * (side(own - step, axis, 1) - own_lower);
      if (upper > 0) across += upper * (side(own + step, axis, 0) - own_upper);
      if (axis == 0) inside = own_lower + own_upper;
    }
    right_side[coarse.slot(flat)] = 0.5f * (inside + 0.25f * across);
  }
};

/// Adds the coarse correction to red children; black ones follow from them in the next sweep.
struct ProlongCorrection : CoarseToFine {
  static constexpr const char* name = "multigrid prolong";
  const float *correction = nullptr, *inverse = nullptr;  ///< coarse; fine
  float* x = nullptr;

  MERGANSER_METHOD void add(int flat, float value) const {
    const int k = flat >> 1;
    if (inverse[k] > 0) x[k] += value;
  }
  MERGANSER_METHOD void operator()(int px, int py, int pz) const {
    const int flat = coarse.flat(px, py, pz);
    const float middle = correction[coarse.slot(flat)];
    float slope[3][2];
    for (int axis = 0; axis < 3; ++axis) {
      const int step = coarse_stride(axis), above = coarse.slot(flat + step);
      slope[axis][0] =
          0.25f * face[axis][coarse.slot(flat)] * (correction[coarse.slot(flat - step)] - middle);
      slope[axis][1] = 0.25f * face[axis][above] * (correction[above] - middle);
    }
    const int corner_cell = corner(px, py, pz), dy = fine.stride_y(), dz = fine.stride_z();
    add(corner_cell + 1, middle + slope[0][1] + slope[1][0] + slope[2][0]);
    add(corner_cell + dy, middle + slope[0][0] + slope[1][1] + slope[2][0]);
    add(corner_cell + dz, middle + slope[0][0] + slope[1][0] + slope[2][1]);
    add(corner_cell + 1 + dy + dz, middle + slope[0][1] + slope[1][1] + slope[2][1]);
  }
};

MERGANSER_END
