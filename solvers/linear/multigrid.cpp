#include "solvers/linear/multigrid.h"

#include <algorithm>

#include "device/launch.h"

MERGANSER_BEGIN

ColorOperator::ColorOperator(const RedBlackBox& box, View<const float> face_x, View<const float> face_y,
                             View<const float> face_z, View<const float> all_diagonals, int color)
    : diagonal(all_diagonals.data + color * box.half()), at(box, color) {
  const float* face[3] = {face_x.data, face_y.data, face_z.data};
  for (int axis = 0; axis < 3; ++axis) {
    own[axis] = face[axis] + color * box.half();
    beyond[axis] = face[axis] + (1 - color) * box.half();
  }
}

namespace {
constexpr int finest_sweeps = 1;    ///< red-black sweeps before and after the coarse correction
constexpr int coarse_sweeps = 2;    ///< on coarser grids, where they cost little
constexpr int coarsest_cells = 4;   ///< along the longest axis
constexpr int coarsest_sweeps = 6;  ///< there, in each order

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

struct SumDirichlet {
  static constexpr const char* name = "multigrid singular";
  using Value = double;
  View<const float> dirichlet;
  MERGANSER_METHOD double operator()(int i) const { return dirichlet[i]; }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(double a, double b) { return a + b; }
};

/// x = b / diagonal: a sweep that starts from zero.
struct FirstSweep {
  static constexpr const char* name = "multigrid first sweep";
  const float *b, *inverse;
  float* x;
  MERGANSER_METHOD void operator()(int k) const { x[k] = b[k] * inverse[k]; }
};

/// Gauss-Seidel on one color: x = (b + sum w x_neighbor) / diagonal.
struct Sweep {
  static constexpr const char* name = "multigrid sweep";
  ColorOperator matrix;
  const float *b, *inverse, *other;
  float* x;
  MERGANSER_METHOD void operator()(int k) const { x[k] = (b[k] + matrix.neighbors(k, other)) * inverse[k]; }
};

/// b - A x on red cells; after a sweep over the black ones it vanishes there.
struct RedResidual {
  static constexpr const char* name = "multigrid residual";
  ColorOperator matrix;
  const float *b, *black, *red;
  float* residual;
  MERGANSER_METHOD void operator()(int k) const {
    residual[k] = b[k] + matrix.neighbors(k, black) - matrix.diagonal[k] * red[k];
  }
};

/// How a coarse cell and its 2 x 2 x 2 children meet. The red ones are those where an odd number of axes take
/// the upper child: (1,0,0), (0,1,0), (0,0,1) and (1,1,1).
struct CoarseToFine {
  RedBlackBox fine, coarse;
  View<const float> face[3];  ///< of the coarse grid

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
  const float* residual;  ///< red half
  View<float> right_side;

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
  View<const float> correction, inverse;  ///< coarse; fine
  View<float> x;

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

}  // namespace

ColorOperator Multigrid::Level::color_operator(int color) const {
  return {box,  face[0].const_view(), face[1].const_view(), face[2].const_view(), diagonal.const_view(),
          color};
}

void Multigrid::resize(Int3 cells) {
  size_t depth = 0;
  for (;; ++depth) {
    if (depth == levels_.size()) levels_.push_back(std::make_unique<Level>());
    Level& level = *levels_[depth];
    level.cells = cells;
    level.box = RedBlackBox(cells);
    const int count = level.box.count();
    for (Array<float>* a : {&level.face[0], &level.face[1], &level.face[2], &level.dirichlet, &level.diagonal,
                            &level.inverse_diagonal, &level.residual}) {
      a->resize(a == &level.residual ? level.box.half() : count);
      a->zero();
    }
    if (depth > 0)
      for (Array<float>* a : {&level.solution, &level.right_side}) {
        a->resize(count);
        a->zero();
      }
    if (std::max({cells.x, cells.y, cells.z}) <= coarsest_cells) break;
    cells = {(cells.x + 1) / 2, (cells.y + 1) / 2, (cells.z + 1) / 2};
  }
  levels_.resize(depth + 1);
}

GridCoefficients Multigrid::coefficients() {
  Level& finest = *levels_.front();
  return {finest.box,
          {finest.face[0].view(), finest.face[1].view(), finest.face[2].view()},
          finest.dirichlet.view()};
}

void Multigrid::build() {
  for (size_t depth = 0; depth < levels_.size(); ++depth) {
    Level& level = *levels_[depth];
    if (depth > 0) {
      const Level& finer = *levels_[depth - 1];
      launch_cells(level.cells, CoarsenCoefficients{.fine = finer.box,
                                                    .coarse = level.box,
                                                    .from_x = finer.face[0].const_view(),
                                                    .from_y = finer.face[1].const_view(),
                                                    .from_z = finer.face[2].const_view(),
                                                    .from_dirichlet = finer.dirichlet.const_view(),
                                                    .face_x = level.face[0].view(),
                                                    .face_y = level.face[1].view(),
                                                    .face_z = level.face[2].view(),
                                                    .dirichlet = level.dirichlet.view()});
    }
    for (int color = 0; color < 2; ++color) {
      const int offset = color * level.box.half();
      const int first = level.box.first_inside(color);
      launch_runs(level.box.count_inside(color),
                  Diagonal{.matrix = level.color_operator(color).from(first),
                           .dirichlet = level.dirichlet.data() + offset + first,
                           .diagonal = level.diagonal.data() + offset + first,
                           .inverse = level.inverse_diagonal.data() + offset + first});
    }
  }
  const Level& finest = *levels_.front();
  dirichlet_.run(finest.box.count(), SumDirichlet{finest.dirichlet.const_view()});
}

void Multigrid::smooth(Level& level, View<const float> b, View<float> x, int color) {
  const int first = level.box.first_inside(color), half = level.box.half(), own = color * half + first;
  launch_runs(level.box.count_inside(color), Sweep{.matrix = level.color_operator(color).from(first),
                                                   .b = b.data + own,
                                                   .inverse = level.inverse_diagonal.data() + own,
                                                   .other = x.data + (1 - color) * half + first,
                                                   .x = x.data + own});
}

void Multigrid::cycle(size_t depth, View<const float> b, View<float> x) {
  Level& level = *levels_[depth];
  const bool coarsest = depth + 1 == levels_.size();
  const int half = level.box.half(), before = coarsest     ? coarsest_sweeps
                                              : depth == 0 ? finest_sweeps
                                                           : coarse_sweeps;
  launch_runs(half, FirstSweep{b.data, level.inverse_diagonal.data(), x.data});
  smooth(level, b, x, 1);
  for (int sweep = 1; sweep < before; ++sweep)
    for (int color : {0, 1}) smooth(level, b, x, color);
  if (!coarsest) {
    Level& coarse = *levels_[depth + 1];
    const int first = level.box.first_inside(0);
    launch_runs(level.box.count_inside(0), RedResidual{.matrix = level.color_operator(0).from(first),
                                                       .b = b.data + first,
                                                       .black = x.data + half + first,
                                                       .red = x.data + first,
                                                       .residual = level.residual.data() + first});
    const CoarseToFine transfer{
        .fine = level.box,
        .coarse = coarse.box,
        .face = {coarse.face[0].const_view(), coarse.face[1].const_view(), coarse.face[2].const_view()}};
    launch_cells(coarse.cells, RestrictResidual{transfer, level.residual.data(), coarse.right_side.view()});
    cycle(depth + 1, coarse.right_side.const_view(), coarse.solution.view());
    launch_cells(coarse.cells, ProlongCorrection{transfer, coarse.solution.const_view(),
                                                 level.inverse_diagonal.const_view(), x});
  }
  for (int sweep = 0; sweep < before; ++sweep)
    for (int color : {1, 0}) smooth(level, b, x, color);
}

void Multigrid::precondition(View<const float> r, View<float> z) { cycle(0, r, z); }

MERGANSER_END
