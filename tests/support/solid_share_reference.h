#pragma once
/// The table of solid_share.h by plain sums in double precision: every node within the support and, for
/// sheets, every way to one of them, sample by sample to its end.
#include <algorithm>
#include <cmath>

#include "solvers/geometry/signed_distance/distance_field.h"

MERGANSER_BEGIN

struct PlainShare {
  double value = 0, moment = 0;
  Vec3d gradient{0, 0, 0};  ///< [1/m]
  bool undecided = false;   ///< rounding decides whether one of the nodes is hidden
};

/// A distance field on the host. Lengths are in cells, places from the origin of the grid.
class PlainField {
 public:
  explicit PlainField(const DistanceFieldView& field)
      : bricks_(field.bricks),
        cell_(field.cell),
        slot_(to_host(field.slot)),
        far_(to_host(field.far)),
        near_(to_host(field.near)),
        brick_of_slot_(to_host(field.brick_of_slot)) {}

  int count() const { return static_cast<int>(near_.size()); }

  /// At the k-th near node; `kernel` is one of double with h [m].
  template <class Kernel>
  PlainShare share(int k, const Kernel& kernel, double h, bool sheet) const {
    const FieldSample& here = near_[size_t(k)];
    PlainShare made;
    if (std::abs(here.value) >= float(2 * h)) return made;
    const Int3 b = brick_of_slot_[size_t(k / DistanceFieldView::nodes_of_brick)];
    const int local = k % DistanceFieldView::nodes_of_brick;
    const Vec3d node{double(side * b.x + local % along), double(side * b.y + local / along % along),
                     double(side * b.z + local / (along * along))};
    const Vec3d normal = to_double(here.gradient);
    const int reach = static_cast<int>(std::ceil(2 * h / cell_));
    Sums solid, plane;
    double weights = 0;
    for (int z = -reach; z <= reach; ++z)
      for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
          const Vec3d offset{double(x), double(y), double(z)};
          const double r = norm(offset) * cell_, weight = r < 2 * h ? kernel.value(r) : 0;
          const Vec3d gradient = offset * (weight > 0 ? -kernel.gradient_factor(r) * cell_ : 0);
          weights += weight;
          double of_solid = filled(between(node + offset));
          if (sheet && weight > 0 && of_solid < 1 &&
              hidden(node, here.value / cell_, normal, offset, made.undecided))
            of_solid = 1;
          plane.add(weight, gradient, offset * cell_, filled(here.value / cell_ + dot(normal, offset)));
          solid.add(weight, gradient, offset * cell_, of_solid);
        }
    made.value = (solid.value - plane.value) / weights;
    made.gradient = (solid.gradient - plane.gradient) * (1 / weights);
    made.moment = (solid.moment() - plane.moment()) / weights;
    return made;
  }

 private:
  static constexpr int side = DistanceFieldView::side, along = DistanceFieldView::nodes_along;

  struct Sums {
    double value = 0, tensor[3][3] = {};
    Vec3d gradient{0, 0, 0};
    void add(double weight, const Vec3d& slope, const Vec3d& offset, double filled) {
      value += weight * filled;
      gradient += slope * filled;
      const double g[3] = {slope.x, slope.y, slope.z}, o[3] = {offset.x, offset.y, offset.z};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) tensor[i][j] += filled * ((i == j ? weight : 0) - g[i] * o[j]);
    }
    double moment() const {
      const Vec3d unit = normalized_or_zero(gradient);
      const double n[3] = {unit.x, unit.y, unit.z};
      double sum = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += n[i] * tensor[i][j] * n[j];
      return sum;
    }
  };

  static double filled(double d) { return std::clamp(0.5 - d, 0.0, 1.0); }

  /// Whether one of the samples of the way to a node lies half a cell deep in the solid.
  bool hidden(const Vec3d& node, double distance, const Vec3d& normal, const Vec3d& offset,
              bool& undecided) const {
    constexpr double rounding = 1e-4;
    const Vec3d start = normal * std::max(-distance, 0.0), way = offset - start;
    const double length = norm(way);
    for (double done = std::max(distance, 0.5); done < length;) {
      const double found = between(node + start + way * (done / length));
      if (std::abs(found + 0.5) < rounding) undecided = true;
      if (found < -0.5) return true;
      done += std::max(found, 0.5);
      if (std::abs(done - length) < rounding) undecided = true;
    }
    return false;
  }

  /// The distance anywhere; beyond the grid, that of its border.
  double between(const Vec3d& x) const {
    const double last[3] = {double(side * bricks_.x), double(side * bricks_.y), double(side * bricks_.z)};
    const double at[3] = {std::clamp(x.x, 0.0, last[0]), std::clamp(x.y, 0.0, last[1]),
                          std::clamp(x.z, 0.0, last[2])};
    const Int3 b{std::min(int(at[0] / side), bricks_.x - 1), std::min(int(at[1] / side), bricks_.y - 1),
                 std::min(int(at[2] / side), bricks_.z - 1)};
    const int slot = slot_[size_t((b.z * bricks_.y + b.y) * bricks_.x + b.x)];
    const Vec3d within{at[0] - side * b.x, at[1] - side * b.y, at[2] - side * b.z};
    if (slot < 0)
      return interpolated(far_, (b.z * (bricks_.y + 1) + b.y) * (bricks_.x + 1) + b.x, bricks_.x + 1,
                          (bricks_.x + 1) * (bricks_.y + 1), within * (1.0 / side), side);
    const Int3 c{std::min(int(within.x), side - 1), std::min(int(within.y), side - 1),
                 std::min(int(within.z), side - 1)};
    return interpolated(near_, slot * DistanceFieldView::nodes_of_brick + (c.z * along + c.y) * along + c.x,
                        along, along * along, within - Vec3d{double(c.x), double(c.y), double(c.z)}, 1);
  }

  /// The formula of distance_field.h, of eight nodes that are `width` cells apart.
  double interpolated(const std::vector<FieldSample>& nodes, int first, int row, int slab, const Vec3d& place,
                      double width) const {
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      const FieldSample& node = nodes[size_t(first + (k & 1) + (k & 2 ? row : 0) + (k & 4 ? slab : 0))];
      const Vec3d from{k & 1 ? place.x - 1 : place.x, k & 2 ? place.y - 1 : place.y,
                       k & 4 ? place.z - 1 : place.z};
      sum += (1 - std::abs(from.x)) * (1 - std::abs(from.y)) * (1 - std::abs(from.z)) *
             (node.value / cell_ + 0.5 * width * dot(to_double(node.gradient), from));
    }
    return sum;
  }

  Int3 bricks_;
  double cell_;
  std::vector<int> slot_;
  std::vector<FieldSample> far_, near_;
  std::vector<Int3> brick_of_slot_;
};

MERGANSER_END
