#pragma once
/// A symmetric V-cycle of geometric multigrid for seven-point operators on a box of cells.
///
/// The operator is that of finite volumes on cubic cells with partly open faces,
///   (A p)_c = sum_faces w_f (p_c - p_neighbor) + d_c p_c,
/// w_f in [0, 1] the open share of a face between two unknowns, d_c the sum of the coefficients of faces
/// towards known values (1/theta where a free surface lies theta cells away). Cells with w = d = 0 are no
/// unknowns.
///
/// Coarse cells are blocks of 2 x 2 x 2. A coarse face is as open as its four fine faces on average: the
/// finite volumes of the coarse grid. Corrections are interpolated linearly from a coarse cell and its three
/// nearest face neighbors, p = p_C + 1/4 sum w (p_N - p_C), exact for linear functions and blind across
/// closed faces (Mohr & Wienands, Cell-centred multigrid revisited, 2004); residuals are restricted by the
/// transpose. Smoother: red-black Gauss-Seidel, in reverse order after the correction, so the cycle is
/// symmetric and positive definite whatever the coarse operators are.
#include <memory>
#include <vector>

#include "device/array.h"
#include "device/launch_graph.h"
#include "device/reduce.h"
#include "solvers/linear/multigrid/red_black_box.h"

MERGANSER_BEGIN

/// Coefficients by slot. Face coefficients belong to the face below a cell along the axis.
struct GridCoefficients {
  RedBlackBox box;
  View<float> face[3];    ///< w
  View<float> dirichlet;  ///< d
};

/// The operator as kernels read it: pointers to one color's half and to the other's.
struct ColorOperator {
  ColorOperator() = default;
  ColorOperator(const RedBlackBox& box, View<const float> face_x, View<const float> face_y,
                View<const float> face_z, View<const float> diagonal, int color);
  /// sum_faces w_f p_neighbor of cell k of the color, with the other color's p.
  template <class Real>
  MERGANSER_METHOD Real neighbors(int k, const Real* other) const {
    const Real below = own[0][k] * other[k + at.lower[0]] + own[1][k] * other[k + at.lower[1]] +
                       own[2][k] * other[k + at.lower[2]];
    return below + (beyond[0][k + at.upper[0]] * other[k + at.upper[0]] +
                    beyond[1][k + at.upper[1]] * other[k + at.upper[1]] +
                    beyond[2][k + at.upper[2]] * other[k + at.upper[2]]);
  }
  /// The same with k counted from `first`.
  ColorOperator from(int first) const {
    ColorOperator moved = *this;
    for (int axis = 0; axis < 3; ++axis) moved.own[axis] += first, moved.beyond[axis] += first;
    moved.diagonal += first;
    return moved;
  }
  const float *own[3]{}, *beyond[3]{};
  const float* diagonal = nullptr;
  ColorOffsets at;
};

struct FirstSweep;
struct Sweep;
struct RedResidual;
struct CoarseToFine;

class Multigrid {
 public:
  /// Room for a box of cells; coefficients are zero.
  void resize(Int3 cells);
  const RedBlackBox& box() const { return levels_.front()->box; }
  /// To be filled by the caller before build().
  GridCoefficients coefficients();
  /// Diagonals and coarse grids.
  void build();
  /// True where no unknown is tied to a known value: constants are in the operator's kernel. (blocking)
  bool singular() const { return dirichlet_.read() == 0; }
  /// The sum that singular() looks at, on the device.
  View<const double> dirichlet_sum() const { return dirichlet_.result(); }
  /// z = V(r): one cycle from zero. On the GPU levels of at most 16^3 cells are worked on by one block in one
  /// launch, with the same bits, and nothing is done where *active is zero (nullptr: always done).
  void precondition(View<const float> r, View<float> z, const int* active = nullptr);
  /// The same with launches for every level.
  void precondition_by_levels(View<const float> r, View<float> z);
  /// Adds all that precondition() depends on but its arguments.
  void add_to_key(LaunchKey& key) const;
  ColorOperator color_operator(int color) const { return levels_.front()->color_operator(color); }
  View<const float> diagonal() const { return levels_.front()->diagonal.const_view(); }

 private:
  struct Level {
    RedBlackBox box;
    Int3 cells{0, 0, 0};
    Array<float> face[3], dirichlet, diagonal, inverse_diagonal;
    Array<float> solution, right_side, residual;  ///< the first two are the caller's on the finest level
    ColorOperator color_operator(int color) const;
  };
  /// The way of a cycle down: with launches of its own for levels before `in_block`, while *active.
  struct Way {
    size_t in_block;
    const int* active;
  };
  void build_levels();
  int sweeps(size_t depth) const;
  FirstSweep first_sweep(const Level& level, View<const float> b, View<float> x) const;
  Sweep sweep(const Level& level, View<const float> b, View<float> x, int color) const;
  RedResidual red_residual(Level& level, View<const float> b, View<const float> x) const;
  CoarseToFine transfer(size_t depth) const;
  void smooth(const Level& level, View<const float> b, View<float> x, int color, const int* active) const;
  void cycle(size_t depth, View<const float> b, View<float> x, const Way& way);
  void cycle_in_block(size_t depth, View<const float> b, View<float> x, const int* active);

  std::vector<std::unique_ptr<Level>> levels_;
  Reduction<double> dirichlet_;
  LaunchGraph build_;
};

MERGANSER_END
