#pragma once
/// How much of a particle's kernel a solid of any shape takes: the volume map of a mesh (Bender, Kugelstadt,
/// Weiler, Koschier 2020, sec. 3: V_B = the kernel's extension integrated over the solid, tabulated once in
/// the frame of the shape).
///
/// The closed form for a half space, lambda_plane(d), holds for the tangent plane of the nearest point.
/// Tabulated is what edges, corners, curvature and thin parts add to it,
///   delta lambda = int W (H(x') - H_plane(x')) dV,   H = 1 within the solid, H_plane: behind the tangent
///   plane,
/// so that planes stay exact and errors of the quadrature cancel next to surfaces that are nearly flat. The
/// sum runs over the nodes of the distance field within the support; a node's H falls from 1 to 0 over a
/// cell. With cells of 0.42 h lambda is good to 0.015, and to 0.035 where the nearest face changes within a
/// cell.
///
/// A sheet, a surface with a thickness, is thinner than a kernel but keeps two sides apart: what it hides
/// from the particle counts as solid, H = 1 where the way from x to x' goes through it. Else a cup of a thin
/// sheet would lack a part of every kernel at its walls, and water in it would rest at a pressure that is far
/// off. (Where fluid rests on both sides, what is there counts twice: that pushes it off the sheet by as
/// little as the kernel weighs there.)
#include <cmath>

#include "device/array.h"
#include "device/launch.h"
#include "solvers/geometry/signed_distance/distance_field.h"

MERGANSER_BEGIN

/// The third table is of the moment of the surface along n, the direction against lambda's gradient,
///   delta m = n.T n - n_plane.T_plane n_plane,   T = int W (y - x) (x) n_S dS = int (W 1 + grad' W (x) (y -
///   x)) dV,
/// where surface points y and the last integral run over the solid, by the divergence theorem: what the share
/// of a linear field's gradient along n lacks beyond lambda.
struct SolidShareSample {
  FieldSample share;  ///< delta lambda and its gradient [1/m]
  float moment;       ///< delta m
};

struct SolidShareView {
  View<const FieldSample> share;  ///< as the field's near nodes
  View<const float> moment;

  /// Interpolated like the distance, the moment linearly. The cell has nodes of its own (`near`).
  MERGANSER_METHOD SolidShareSample at(const FieldCell& cell, float width) const {
    return {cell.interpolated(share, width), cell.interpolated(moment)};
  }
};

/// W cell^3 of a node as seen from another (all of them sum to 1), and its gradient [1/m] there.
struct ShareWeight {
  Vec3 gradient;
  float value;
};

/// Sums over the nodes of a solid.
struct ShareSums {
  float value = 0;
  Vec3 gradient{0, 0, 0};
  SymmetricMatrix3 tensor{};
  MERGANSER_METHOD void add(const ShareWeight& w, const Vec3& offset, float filled) {
    value += w.value * filled;
    gradient += w.gradient * filled;
    const Vec3 g = w.gradient * -filled;
    tensor += scaled_identity(w.value * filled);
    tensor +=
        {g.x * offset.x, g.x * offset.y, g.x * offset.z, g.y * offset.y, g.y * offset.z, g.z * offset.z};
  }
  MERGANSER_METHOD float moment() const {
    const Vec3 n = normalized_or_zero(gradient);
    return dot(n, tensor * n);
  }
};

/// The tables at every node. Launch over field.near.count.
struct TabulateSolidShare {
  static constexpr const char* name = "tabulate share of solid";
  DistanceFieldView field;
  int reach;                       ///< nodes of the support to each side
  float support;                   ///< [m]
  bool sheet;                      ///< what the solid hides counts as solid
  View<const ShareWeight> weight;  ///< of the offsets in [-reach, reach]^3, x fastest
  View<FieldSample> share;         ///< written
  View<float> moment;              ///< written

  MERGANSER_METHOD void operator()(int k) const {
    const FieldSample here = field.near[k];
    SolidShareSample found{{{0, 0, 0}, 0}, 0};
    if (fabsf(here.value) < support) found = added(k, here);
    share[k] = found.share;
    moment[k] = found.moment;
  }
  MERGANSER_METHOD SolidShareSample added(int k, const FieldSample& here) const {
    constexpr int side = DistanceFieldView::side, along = DistanceFieldView::nodes_along;
    const Int3 b = field.brick_of_slot[k / DistanceFieldView::nodes_of_brick];
    const int local = k % DistanceFieldView::nodes_of_brick;
    const Int3 node{side * b.x + local % along, side * b.y + local / along % along,
                    side * b.z + local / (along * along)};
    const float inverse_cell = 1 / field.cell;
    ShareSums solid, plane;
    int w = 0;
    for (int z = -reach; z <= reach; ++z)
      for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x, ++w) {
          if (!(weight[w].value > 0)) continue;
          const Vec3 offset{float(x), float(y), float(z)};
          const float of_plane = filled(here.value * inverse_cell + dot(here.gradient, offset));
          float of_solid = filled(distance_at({node.x + x, node.y + y, node.z + z}) * inverse_cell);
          if (sheet && of_solid < 1 && hidden(node, here, offset)) of_solid = 1;
          if (of_plane > 0) plane.add(weight[w], offset * field.cell, of_plane);
          if (of_solid > 0) solid.add(weight[w], offset * field.cell, of_solid);
        }
    return {{solid.gradient - plane.gradient, solid.value - plane.value}, solid.moment() - plane.moment()};
  }
  /// Whether the way to a node at this offset, in cells, goes through the solid, at least half a cell deep.
  /// It begins at the surface for a node within, and goes on by the distance to the surface each time.
  MERGANSER_METHOD bool hidden(const Int3& node, const FieldSample& here, const Vec3& offset) const {
    const Vec3 start = here.gradient * fmaxf(-here.value / field.cell, 0.0f);
    const Vec3 way = offset - start;
    const float length = norm(way);
    const Vec3 from = Vec3{float(node.x), float(node.y), float(node.z)} + start;
    for (float along = fmaxf(here.value / field.cell, 0.5f); along < length;) {
      const Vec3 x = field.origin + (from + way * (along / length)) * field.cell;
      const FieldCell cell = field.cell_of(field.clamped(x));
      const float distance =
          (cell.near ? cell.interpolated(field.near, field.cell)
                     : cell.interpolated(field.far, field.cell * float(DistanceFieldView::side)))
              .value /
          field.cell;
      if (distance < -0.5f) return true;
      along += fmaxf(distance, 0.5f);
    }
    return false;
  }
  MERGANSER_METHOD static float filled(float cells) { return fminf(fmaxf(0.5f - cells, 0.0f), 1.0f); }
  /// At a node of the whole grid, or beyond it. Far from the surface only the sign counts.
  MERGANSER_METHOD float distance_at(const Int3& node) const {
    constexpr int side = DistanceFieldView::side, along = DistanceFieldView::nodes_along;
    const Int3 n{limited(node.x, field.bricks.x), limited(node.y, field.bricks.y),
                 limited(node.z, field.bricks.z)};
    const Int3 b{brick_of(n.x, field.bricks.x), brick_of(n.y, field.bricks.y), brick_of(n.z, field.bricks.z)};
    const int own = field.slot[field.flat(b)];
    if (own < 0) return field.far[field.corner(b)].value;
    const Int3 l{n.x - side * b.x, n.y - side * b.y, n.z - side * b.z};
    return field.near[own * DistanceFieldView::nodes_of_brick + (l.z * along + l.y) * along + l.x].value;
  }
  MERGANSER_METHOD static int limited(int node, int bricks) {
    const int last = DistanceFieldView::side * bricks;
    return node < 0 ? 0 : node > last ? last : node;
  }
  MERGANSER_METHOD static int brick_of(int node, int bricks) {
    const int b = node / DistanceFieldView::side;
    return b < bricks ? b : bricks - 1;
  }
};

/// Owns the table of one field for one kernel, given as a kernel of double with h = 1.
class SolidShare {
 public:
  SolidShare() = default;
  template <class Kernel>
  SolidShare(const DistanceFieldView& field, const Kernel& kernel, float h, bool sheet = false) {
    const int reach = static_cast<int>(std::ceil(2 * h / field.cell));
    std::vector<ShareWeight> weights;
    double sum = 0;
    for (int z = -reach; z <= reach; ++z)
      for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
          const Vec3 offset = Vec3{float(x), float(y), float(z)} * field.cell;
          const double q = double(norm(offset)) / h;
          const bool within = q < 2;
          weights.push_back({offset * (within ? float(-kernel.gradient_factor(q) / (h * h)) : 0.0f),
                             within ? float(kernel.value(q)) : 0.0f});
          sum += weights.back().value;
        }
    for (ShareWeight& w : weights) w = {w.gradient * float(1 / sum), float(w.value / sum)};
    const Array<ShareWeight> weight(weights);
    share_.resize(field.near.count);
    moment_.resize(field.near.count);
    launch(share_.size(), TabulateSolidShare{field, reach, 2 * h, sheet, weight.const_view(), share_.view(),
                                             moment_.view()});
    synchronize();  // the weights go away
  }
  SolidShareView view() const { return {share_.const_view(), moment_.const_view()}; }

 private:
  Array<FieldSample> share_;
  Array<float> moment_;
};

MERGANSER_END
