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

  /// Of nodes that are `width` apart. Axis by axis: the mean of two samples, whose value is raised by
  /// width t (1 - t)/2 times what the gradient along the axis loses from one to the other. This is the
  /// formula above.
  MERGANSER_METHOD FieldSample interpolated(const View<const FieldSample>& nodes, float width) const {
    const Vec3 raised{0.5f * width * place.x * (1 - place.x), 0.5f * width * place.y * (1 - place.y),
                      0.5f * width * place.z * (1 - place.z)};
    FieldSample at_z[2];
    for (int k = 0; k < 2; ++k) {
      FieldSample at_y[2];
      for (int j = 0; j < 2; ++j) {
        const int node = first + k * slab + j * row;
        const FieldSample a = nodes[node], b = nodes[node + 1];
        at_y[j] = mean(a, b, place.x);
        at_y[j].value += raised.x * (a.gradient.x - b.gradient.x);
      }
      at_z[k] = mean(at_y[0], at_y[1], place.y);
      at_z[k].value += raised.y * (at_y[0].gradient.y - at_y[1].gradient.y);
    }
    FieldSample found = mean(at_z[0], at_z[1], place.z);
    found.value += raised.z * (at_z[0].gradient.z - at_z[1].gradient.z);
    return found;
  }
  MERGANSER_METHOD float interpolated(const View<const float>& nodes) const {
    float at_z[2];
    for (int k = 0; k < 2; ++k) {
      float at_y[2];
      for (int j = 0; j < 2; ++j) {
        const int node = first + k * slab + j * row;
        at_y[j] = nodes[node] + place.x * (nodes[node + 1] - nodes[node]);
      }
      at_z[k] = at_y[0] + place.y * (at_y[1] - at_y[0]);
    }
    return at_z[0] + place.z * (at_z[1] - at_z[0]);
  }

 private:
  MERGANSER_METHOD static FieldSample mean(const FieldSample& a, const FieldSample& b, float t) {
    return {a.gradient + (b.gradient - a.gradient) * t, a.value + t * (b.value - a.value)};
  }
};

struct DistanceFieldView {
  static constexpr int side = 8, nodes_along = side + 1,
                       nodes_of_brick = nodes_along * nodes_along * nodes_along;
  Vec3 origin;           ///< [m] lowest corner of the grid
  float cell;            ///< [m]
  Int3 bricks;           ///< along each axis
  View<const int> slot;  ///< per brick, which nodes of `near` are its own, or one of these two
  static constexpr int free = -1, solid = -2;  ///< no nodes, for the surface is far
  View<const FieldSample> far;                 ///< at the corners of all bricks
  View<const FieldSample> near;                ///< nodes_of_brick a slot, x fastest
  View<const Int3> brick_of_slot;
  Vec3 high;                        ///< [m] highest corner of the grid
  float per_brick;                  ///< [1/m]
  Vec3 solid_low, solid_high;       ///< [m] around the solid and what is within a cell of it
  View<const unsigned char> least;  ///< of a slot's 8 x 8 x 8 cells, x fastest: the least distance within a
                                    ///< cell, in quarters of a cell, rounded down; 0 where it is negative

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
  static constexpr float steps_of_least = 4;  ///< [1/cell]
  /// True where `at` is more than `length` [m], at most the reach of the fine part of the grid; false where
  /// one look at the cell does not tell. Much cheaper than the distance.
  MERGANSER_METHOD bool is_far(const Vec3& x, float length) const {
    if (x.x < solid_low.x - length || x.x > solid_high.x + length || x.y < solid_low.y - length ||
        x.y > solid_high.y + length || x.z < solid_low.z - length || x.z > solid_high.z + length)
      return true;
    const Vec3 u = (clamped(x) - origin) * per_brick;
    const Int3 b{index(u.x, bricks.x), index(u.y, bricks.y), index(u.z, bricks.z)};
    const int own = slot[flat(b)];
    if (own < 0) return own == free;
    const Int3 c{index((u.x - float(b.x)) * float(side), side), index((u.y - float(b.y)) * float(side), side),
                 index((u.z - float(b.z)) * float(side), side)};
    const int code = least[own * (side * side * side) + (c.z * side + c.y) * side + c.x];
    return float(code) > length * (steps_of_least * float(side) * per_brick);
  }
  /// The gradient is no unit vector.
  MERGANSER_METHOD FieldSample between_nodes(const FieldCell& c) const {
    return c.near ? c.interpolated(near, cell) : c.interpolated(far, cell * float(side));
  }
  /// At x, from what is between nodes at the nearest point of the grid. Beyond the grid: the distance to the
  /// surface point that belongs to that.
  MERGANSER_METHOD FieldSample of_point(const Vec3& x, const Vec3& inside, FieldSample found) const {
    const float size = norm(found.gradient);
    found.gradient = size > 1e-6f ? found.gradient * (1 / size) : Vec3{0, 0, 1};
    if (inside == x) return found;
    const Vec3 way = x - (inside - found.gradient * found.value);
    const float length = norm(way), side_of = found.value < 0 ? -1.0f : 1.0f;
    if (!(length > 0)) return found;
    return {way * (side_of / length), side_of * length};
  }
  /// Anywhere. Not inlined: kernels that ask walls would grow by it.
  MERGANSER_METHOD MERGANSER_NOT_INLINED FieldSample at(const Vec3& x) const {
    const Vec3 inside = clamped(x);
    return of_point(x, inside, between_nodes(cell_of(inside)));
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

/// [cells, nodes] along an edge of a brick.
namespace bricks {
constexpr int side = DistanceFieldView::side, along = DistanceFieldView::nodes_along;
}

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
            solid_high_,
            least_.const_view()};
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
  Array<unsigned char> least_;
};

MERGANSER_END
