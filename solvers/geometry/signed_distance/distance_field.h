#pragma once
/// The signed distance of a solid, sampled on a sparse grid: nodes a cell apart in bricks of 8 x 8 x 8 cells
/// near the surface, and the corners of bricks everywhere else.
///
/// Between nodes the normal n is interpolated linearly along each axis with weights w, and the distance as
///   d(x) = sum_k w_k (d_k + n_k.(x - x_k)/2),
/// which is exact for quadratic functions. In front of a plane both are exact; beside a surface of radius R
/// the error of the distance falls like cell^3/R^2 and that of the normal like cell^2/R^2; across a crease (a
/// point as far from one face as from another) the distance is wrong by up to 0.43 cell.
#include "device/array.h"
#include "device/not_inlined.h"
#include "device/vector_math.h"
#include "solvers/geometry/signed_distance/nearest_triangle.h"

MERGANSER_BEGIN

/// A field and its gradient, at a node or between nodes: here the signed distance [m], negative within the
/// solid, and its unit gradient, the normal.
struct FieldSample {
  Vec3 gradient;
  float value;
};

/// Eight nodes around a point and the point's place among them.
struct FieldCell {
  int first;      ///< node at the lowest corner
  int row, slab;  ///< nodes to the next one along y and z
  Vec3 place;     ///< in cells, from 0 to 1
  bool near;      ///< nodes of a brick, not corners of bricks

  /// Of nodes that are `width` apart.
  MERGANSER_METHOD FieldSample interpolated(const View<const FieldSample>& nodes, float width) const {
    FieldSample sum{{0, 0, 0}, 0};
    for (int k = 0; k < 8; ++k) {
      const FieldSample& node = nodes[corner(k)];
      const float weight = weight_of(k);
      sum.gradient += node.gradient * weight;
      sum.value += weight * (node.value + 0.5f * width * dot(node.gradient, from(k)));
    }
    return sum;
  }
  /// The value alone of what the first of these gives, axis by axis.
  MERGANSER_METHOD float value(const View<const FieldSample>& nodes, float width) const {
    float slab_value[2], slab_slope[2];
    for (int k = 0; k < 2; ++k) {
      float row_value[2], row_y[2], row_z[2];
      for (int j = 0; j < 2; ++j) {
        const FieldSample a = nodes[first + k * slab + j * row], b = nodes[first + k * slab + j * row + 1];
        const float va = a.value + 0.5f * width * place.x * a.gradient.x,
                    vb = b.value + 0.5f * width * (place.x - 1) * b.gradient.x;
        row_value[j] = va + place.x * (vb - va);
        row_y[j] = a.gradient.y + place.x * (b.gradient.y - a.gradient.y);
        row_z[j] = a.gradient.z + place.x * (b.gradient.z - a.gradient.z);
      }
      const float va = row_value[0] + 0.5f * width * place.y * row_y[0],
                  vb = row_value[1] + 0.5f * width * (place.y - 1) * row_y[1];
      slab_value[k] = va + place.y * (vb - va);
      slab_slope[k] = row_z[0] + place.y * (row_z[1] - row_z[0]);
    }
    const float va = slab_value[0] + 0.5f * width * place.z * slab_slope[0],
                vb = slab_value[1] + 0.5f * width * (place.z - 1) * slab_slope[1];
    return va + place.z * (vb - va);
  }
  MERGANSER_METHOD float interpolated(const View<const float>& nodes) const {
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += weight_of(k) * nodes[corner(k)];
    return sum;
  }

 private:
  MERGANSER_METHOD int corner(int k) const {
    return first + (k & 1) + (k & 2 ? row : 0) + (k & 4 ? slab : 0);
  }
  MERGANSER_METHOD Vec3 from(int k) const {
    return {k & 1 ? place.x - 1 : place.x, k & 2 ? place.y - 1 : place.y, k & 4 ? place.z - 1 : place.z};
  }
  MERGANSER_METHOD float weight_of(int k) const {
    const Vec3 d = from(k);
    return (1 - fabsf(d.x)) * (1 - fabsf(d.y)) * (1 - fabsf(d.z));
  }
};

struct DistanceFieldView {
  static constexpr int side = 8, nodes_along = side + 1,
                       nodes_of_brick = nodes_along * nodes_along * nodes_along;
  Vec3 origin;                   ///< [m] lowest corner of the grid
  float cell;                    ///< [m]
  Int3 bricks;                   ///< along each axis
  View<const int> slot;          ///< per brick, which nodes of `near` are its own; -1 where none are
  View<const FieldSample> far;   ///< at the corners of all bricks
  View<const FieldSample> near;  ///< nodes_of_brick a slot, x fastest
  View<const Int3> brick_of_slot;
  Vec3 high;                   ///< [m] highest corner of the grid
  float per_brick;             ///< [1/m]
  Vec3 solid_low, solid_high;  ///< [m] around the solid and what is within a cell of it

  MERGANSER_METHOD int flat(const Int3& b) const { return (b.z * bricks.y + b.y) * bricks.x + b.x; }
  MERGANSER_METHOD int corner(const Int3& b) const {
    return (b.z * (bricks.y + 1) + b.y) * (bricks.x + 1) + b.x;
  }
  /// The nearest point of the grid. No fminf, fmaxf: the CPU's compiler calls the library for them.
  MERGANSER_METHOD Vec3 clamped(const Vec3& x) const {
    return {between(x.x, origin.x, high.x), between(x.y, origin.y, high.y), between(x.z, origin.z, high.z)};
  }
  /// Of a point of the grid.
  MERGANSER_METHOD FieldCell cell_of(const Vec3& x) const {
    const Vec3 u = (x - origin) * per_brick;
    const Int3 b{index(u.x, bricks.x), index(u.y, bricks.y), index(u.z, bricks.z)};
    const Vec3 within{u.x - float(b.x), u.y - float(b.y), u.z - float(b.z)};
    const int own = slot[flat(b)];
    if (own < 0) return {corner(b), bricks.x + 1, (bricks.x + 1) * (bricks.y + 1), within, false};
    const Vec3 v = within * float(side);
    const Int3 c{index(v.x, side), index(v.y, side), index(v.z, side)};
    return {own * nodes_of_brick + (c.z * nodes_along + c.y) * nodes_along + c.x,
            nodes_along,
            nodes_along * nodes_along,
            {v.x - float(c.x), v.y - float(c.y), v.z - float(c.z)},
            true};
  }
  /// True where x lies outside the solid and further than `length` [m], at most the reach of the fine part of
  /// the grid, from its surface; false where one node does not tell. Much cheaper than the distance, which
  /// changes by no more than the way to the node.
  MERGANSER_METHOD bool is_far(const Vec3& x, float length) const {
    if (x.x < solid_low.x - length || x.x > solid_high.x + length || x.y < solid_low.y - length ||
        x.y > solid_high.y + length || x.z < solid_low.z - length || x.z > solid_high.z + length)
      return true;
    const FieldCell c = cell_of(clamped(x));
    if (!c.near) return far[c.first].value > 0;
    constexpr float diagonal = 1.7321f;
    return near[c.first].value > length + diagonal * cell;
  }
  MERGANSER_METHOD FieldSample sample(const FieldCell& c) const {
    FieldSample sum = c.near ? c.interpolated(near, cell) : c.interpolated(far, cell * float(side));
    const float length = norm(sum.gradient);
    sum.gradient = length > 1e-6f ? sum.gradient * (1 / length) : Vec3{0, 0, 1};
    return sum;
  }
  /// Anywhere. Not inlined: kernels that ask walls would grow by it. Beyond the grid: the distance to the
  /// surface point that belongs to the nearest point of the grid.
  MERGANSER_METHOD MERGANSER_NOT_INLINED FieldSample at(const Vec3& x) const {
    const Vec3 inside = clamped(x);
    FieldSample found = sample(cell_of(inside));
    if (inside == x) return found;
    const Vec3 way = x - (inside - found.gradient * found.value);
    const float length = norm(way), side_of = found.value < 0 ? -1.0f : 1.0f;
    if (!(length > 0)) return found;
    return {way * (side_of / length), side_of * length};
  }

 private:
  MERGANSER_METHOD static float between(float x, float low, float high) {
    const float from_low = x > low ? x : low;
    return from_low < high ? from_low : high;
  }
  MERGANSER_METHOD static int index(float u, int count) {
    const int i = static_cast<int>(u);
    return i < 0 ? 0 : i < count ? i : count - 1;
  }
};

/// Owns the grid. Blocking.
class DistanceField {
 public:
  DistanceField() = default;
  /// Throws InputError, beginning with `name`, where the grid is too large.
  DistanceField(const MeshTree& mesh, const FieldParameters& parameters, const std::string& name);
  DistanceFieldView view() const {
    return {origin_,
            cell_,
            bricks_,
            slot_.const_view(),
            far_.const_view(),
            near_.const_view(),
            brick_of_slot_.const_view(),
            origin_ + Vec3{float(bricks_.x), float(bricks_.y), float(bricks_.z)} *
                          (cell_ * float(DistanceFieldView::side)),
            1 / (cell_ * float(DistanceFieldView::side)),
            solid_low_,
            solid_high_};
  }
  /// [m] Around the surface, where the grid is fine.
  float reach() const { return reach_; }
  const std::string& name() const { return name_; }
  /// Of a surface with a thickness.
  bool is_sheet() const { return sheet_; }

 private:
  void place(const MeshTree& mesh, const FieldParameters& parameters, const std::string& name);

  Vec3 origin_{0, 0, 0}, solid_low_{0, 0, 0}, solid_high_{0, 0, 0};
  float cell_ = 0, reach_ = 0;
  bool sheet_ = false;
  std::string name_;
  Int3 bricks_{0, 0, 0};
  Array<int> slot_;
  Array<FieldSample> far_, near_;
  Array<Int3> brick_of_slot_;
};

MERGANSER_END
