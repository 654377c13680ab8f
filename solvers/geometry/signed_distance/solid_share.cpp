#include "solvers/geometry/signed_distance/solid_share.h"

#include <map>
#include <typeindex>

#include "device/launch_in_parts.h"

MERGANSER_BEGIN

namespace {

using namespace bricks;

constexpr int nodes_of_brick = DistanceFieldView::nodes_of_brick;

/// The distances [cells] at nodes and between them. Beyond the grid: those of its border. Of bricks without
/// nodes of their own, which are further from the surface than a kernel reaches, only the side is told.
struct NodeDistances {
  DistanceFieldView field;
  float support;   ///< [cells]
  float per_cell;  ///< [1/m]

  /// Place of the k-th near node on the whole grid.
  MERGANSER_METHOD Int3 place_of(int k) const {
    const Int3 b = field.brick_of_slot[k / nodes_of_brick];
    const int local = k % nodes_of_brick;
    return {side * b.x + local % along, side * b.y + local / along % along,
            side * b.z + local / (along * along)};
  }
  /// Bricks share the nodes of their common faces. This is the one of all that are equal to the k-th, which
  /// stands at n, that the table is made for: that of the highest brick along z, then along y, then along x.
  MERGANSER_METHOD int first_of_equal(int k, const Int3& n) const {
    const Int3 own = field.brick_of_slot[k / nodes_of_brick];
    const Int3 high{highest(n.x, own.x, field.bricks.x), highest(n.y, own.y, field.bricks.y),
                    highest(n.z, own.z, field.bricks.z)};
    const Int3 low{lowest(n.x, own.x), lowest(n.y, own.y), lowest(n.z, own.z)};
    for (int z = high.z; z >= low.z; --z)
      for (int y = high.y; y >= low.y; --y)
        for (int x = high.x; x >= low.x; --x)
          if (const int slot = field.slot[field.flat({x, y, z})]; slot >= 0)
            return node_in(slot, {x, y, z}, n);
    return k;
  }
  MERGANSER_METHOD float at(const Int3& node) const {
    const Int3 n{limited(node.x, field.bricks.x), limited(node.y, field.bricks.y),
                 limited(node.z, field.bricks.z)};
    const Int3 b{brick_of(n.x, field.bricks.x), brick_of(n.y, field.bricks.y), brick_of(n.z, field.bricks.z)};
    const int slot = field.slot[field.flat(b)];
    return slot < 0 ? far(b) : field.near[node_in(slot, b, n)].value * per_cell;
  }
  /// `x` [cells] from the origin of the grid.
  MERGANSER_METHOD float between(const Vec3& x) const {
    const Int3 n{cell_of(x.x, field.bricks.x), cell_of(x.y, field.bricks.y), cell_of(x.z, field.bricks.z)};
    const Int3 b{n.x / side, n.y / side, n.z / side};
    const int slot = field.slot[field.flat(b)];
    if (slot < 0) return far(b);
    const Vec3 place{part(x.x, n.x), part(x.y, n.y), part(x.z, n.z)};
    const FieldCell cell{node_in(slot, b, n), along, along * along, place, true};
    return cell.interpolated(field.near, field.cell).value * per_cell;
  }

 private:
  MERGANSER_METHOD static int node_in(int slot, const Int3& b, const Int3& n) {
    return slot * nodes_of_brick + ((n.z - side * b.z) * along + n.y - side * b.y) * along + n.x - side * b.x;
  }
  MERGANSER_METHOD float far(const Int3& b) const {
    return field.slot[field.flat(b)] == DistanceFieldView::solid ? -support : support;
  }
  MERGANSER_METHOD static int highest(int n, int own, int bricks) {
    return n == side * (own + 1) && own + 1 < bricks ? own + 1 : own;
  }
  MERGANSER_METHOD static int lowest(int n, int own) { return n == side * own && own > 0 ? own - 1 : own; }
  MERGANSER_METHOD static int limited(int node, int bricks) {
    const int last = side * bricks;
    return node < 0 ? 0 : node > last ? last : node;
  }
  MERGANSER_METHOD static int brick_of(int node, int bricks) {
    const int b = node / side;
    return b < bricks ? b : bricks - 1;
  }
  MERGANSER_METHOD static int cell_of(float x, int bricks) {
    const int n = static_cast<int>(x), last = side * bricks - 1;
    return n < 0 ? 0 : n > last ? last : n;
  }
  MERGANSER_METHOD static float part(float x, int n) {
    const float t = x - static_cast<float>(n);
    return t < 0 ? 0.0f : t > 1 ? 1.0f : t;
  }
};

/// Sums over the nodes of a solid.
struct ShareSums {
  float value = 0;            ///< lambda
  Vec3 gradient{0, 0, 0};     ///< of lambda [1/m]
  SymmetricMatrix3 tensor{};  ///< (lambda 1 - T)/cell [1/m]
  MERGANSER_METHOD void add(const ShareWeight& w, const Vec3& offset, float filled) {
    value += w.value * filled;
    const Vec3 g = offset * (w.slope * filled);
    gradient += g;
    tensor +=
        {g.x * offset.x, g.x * offset.y, g.x * offset.z, g.y * offset.y, g.y * offset.z, g.z * offset.z};
  }
  MERGANSER_METHOD float moment(float cell) const {
    const Vec3 n = normalized_or_zero(gradient);
    return norm_squared(n) * value - cell * dot(n, tensor * n);
  }
};

/// The tables at every node that is the first of its equals. Launch over field.near.count.
struct TabulateSolidShare {
  static constexpr const char* name = "tabulate share of solid";
  NodeDistances distance;
  bool sheet;                      ///< what the solid hides counts as solid
  View<const ShareWeight> weight;  ///< of the nodes within the support
  View<FieldSample> share;         ///< written
  View<float> moment;              ///< written

  MERGANSER_METHOD void operator()(int k) const {
    const FieldSample here = distance.field.near[k];
    const Int3 node = distance.place_of(k);
    SolidShareSample found{{{0, 0, 0}, 0}, 0};
    const FieldSample in_cells{here.gradient, here.value / distance.field.cell};
    if (fabsf(in_cells.value) < distance.support && distance.first_of_equal(k, node) == k)
      found = added(node, in_cells);
    share[k] = found.share;
    moment[k] = found.moment;
  }
  /// At a node at this distance [cells].
  MERGANSER_METHOD SolidShareSample added(const Int3& node, const FieldSample& here) const {
    ShareSums solid, plane;
    for (int k = 0; k < weight.count; ++k) {
      const ShareWeight w = weight[k];
      const Vec3 offset{float(w.offset.x), float(w.offset.y), float(w.offset.z)};
      const float of_plane = filled(here.value + dot(here.gradient, offset));
      const float there = distance.at({node.x + w.offset.x, node.y + w.offset.y, node.z + w.offset.z});
      float of_solid = filled(there);
      if (sheet && of_solid < 1 && hidden(node, here, offset, there)) of_solid = 1;
      if (of_plane > 0) plane.add(w, offset, of_plane);
      if (of_solid > 0) solid.add(w, offset, of_solid);
    }
    const float cell = distance.field.cell;
    return {{solid.gradient - plane.gradient, solid.value - plane.value},
            solid.moment(cell) - plane.moment(cell)};
  }
  /// True where the way to a node at this offset [cells] is half a cell deep in the solid or deeper. It
  /// begins at the surface for a node within, and goes on by the distance to the surface each time. Distances
  /// change by no more than the way between two points, so where both ends of what is left of it are far
  /// enough from the surface, all of it is free. (Between nodes they may be off, but tests find no node that
  /// this decides.) `there` is the distance at the offset.
  MERGANSER_METHOD bool hidden(const Int3& node, const FieldSample& here, const Vec3& offset,
                               float there) const {
    constexpr float deep = -0.5f, free = 2 * deep;  // [cells] free: sum of the distances at both ends
    const bool outside = here.value > 0;
    const Vec3 start = here.gradient * (outside ? 0.0f : -here.value);
    const Vec3 way = offset - start;
    const float length = norm(way);
    if (outside && here.value + there - length >= free) return false;
    const Vec3 from = Vec3{float(node.x), float(node.y), float(node.z)} + start, step = way * (1 / length);
    for (float along = here.value > 0.5f ? here.value : 0.5f; along < length;) {
      const float found = distance.between(from + step * along);
      if (found < deep) return true;
      if (found + there - (length - along) >= free) return false;
      along += found > 0.5f ? found : 0.5f;
    }
    return false;
  }
  /// The part of a node's cell that lies within the solid, of its distance [cells].
  MERGANSER_METHOD static float filled(float d) { return d < -0.5f ? 1.0f : d > 0.5f ? 0.0f : 0.5f - d; }
};

/// Brings what the first of equal nodes has to the others.
struct SpreadSolidShare {
  static constexpr const char* name = "spread share of solid";
  NodeDistances distance;
  View<FieldSample> share;  ///< written
  View<float> moment;       ///< written
  MERGANSER_METHOD void operator()(int k) const {
    const int first = distance.first_of_equal(k, distance.place_of(k));
    if (first == k) return;
    share[k] = share[first];
    moment[k] = moment[first];
  }
};

}  // namespace

SolidShare::SolidShare(const DistanceFieldView& field, const std::vector<ShareWeight>& weights, float support,
                       bool sheet) {
  const Array<ShareWeight> weight(weights);
  const NodeDistances distance{field, support / field.cell, 1 / field.cell};
  share_.resize(field.near.count);
  moment_.resize(field.near.count);
  launch_in_parts(share_.size(),
                  TabulateSolidShare{distance, sheet, weight.const_view(), share_.view(), moment_.view()});
  launch(share_.size(), SpreadSolidShare{distance, share_.view(), moment_.view()});
  synchronize();  // the weights go away
}

std::shared_ptr<const SolidShare> shared_solid_share(const std::shared_ptr<const DistanceField>& field,
                                                     const std::type_info& kernel, float h,
                                                     const std::function<SolidShare()>& make) {
  using OfField = std::map<std::pair<std::type_index, float>, std::weak_ptr<const SolidShare>>;
  static std::map<std::weak_ptr<const DistanceField>, OfField, std::owner_less<>> known;
  std::erase_if(known, [](const auto& entry) { return entry.first.expired(); });
  std::weak_ptr<const SolidShare>& of_kernel = known[field][{kernel, h}];
  if (auto found = of_kernel.lock()) return found;
  auto made = std::make_shared<const SolidShare>(make());
  of_kernel = made;
  return made;
}

MERGANSER_END
