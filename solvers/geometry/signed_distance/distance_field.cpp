#include "solvers/geometry/signed_distance/distance_field.h"

#include <algorithm>
#include <cmath>

#include "device/launch_in_parts.h"

MERGANSER_BEGIN

namespace {

using namespace bricks;

/// Node `index` of a grid of so many nodes along x and y.
MERGANSER_FN Int3 node_of(int index, int x, int y) { return {index % x, index / x % y, index / (x * y)}; }

MERGANSER_FN Vec3d on_grid(const Vec3& origin, double cell, const Vec3d& node) {
  return to_double(origin) + node * cell;
}

MERGANSER_FN FieldSample rounded(const SurfacePlace& place) {
  return {to_float(place.normal), static_cast<float>(place.distance)};
}

struct DistanceAtBrickCorners {
  static constexpr const char* name = "distance at brick corners";
  SolidOfMesh solid;
  Vec3 origin;
  double brick;  ///< [m]
  Int3 bricks;
  View<FieldSample> far;
  MERGANSER_METHOD void operator()(int k) const {
    const Int3 n = node_of(k, bricks.x + 1, bricks.y + 1);
    far[k] = rounded(solid.at(on_grid(origin, brick, {double(n.x), double(n.y), double(n.z)})));
  }
};

/// 1 for bricks that reach to within `reach` of the surface; of others, which side of it they are on.
struct FindNearBricks {
  static constexpr const char* name = "find bricks near surface";
  SolidOfMesh solid;
  Vec3 origin;
  double brick, reach;  ///< [m]
  Int3 bricks;
  View<int> is_near;
  MERGANSER_METHOD void operator()(int k) const {
    const Int3 b = node_of(k, bricks.x, bricks.y);
    const Vec3d middle = on_grid(origin, brick, {b.x + 0.5, b.y + 0.5, b.z + 0.5});
    constexpr double half_diagonal = 0.8660254037844386;
    const double distance = solid.at(middle).distance;
    is_near[k] = std::abs(distance) <= reach + half_diagonal * brick ? 1
                 : distance > 0                                      ? DistanceFieldView::free
                                                                     : DistanceFieldView::solid;
  }
};

struct DistanceAtNodes {
  static constexpr const char* name = "distance at nodes";
  SolidOfMesh solid;
  Vec3 origin;
  double cell;  ///< [m]
  View<const Int3> brick_of_slot;
  View<FieldSample> near;
  MERGANSER_METHOD void operator()(int k) const {
    const Int3 b = brick_of_slot[k / DistanceFieldView::nodes_of_brick];
    const Int3 n = node_of(k % DistanceFieldView::nodes_of_brick, along, along);
    near[k] = rounded(solid.at(on_grid(
        origin, cell, {double(side * b.x + n.x), double(side * b.y + n.y), double(side * b.z + n.z)})));
  }
};

/// DistanceFieldView::least. Along each axis, what is between two nodes is a mean that is lowered by at most
/// an eighth of what the gradient gains from one to the other (FieldCell::interpolated).
struct LeastInCells {
  static constexpr const char* name = "least distance in cells";
  View<const FieldSample> near;
  float cell;  ///< [m]
  View<unsigned char> least;
  MERGANSER_METHOD void operator()(int k) const {
    constexpr int cells = side * side * side, slab = along * along;
    const Int3 c = node_of(k % cells, side, side);
    const FieldSample* node =
        near.data + (k / cells * DistanceFieldView::nodes_of_brick + c.z * slab + c.y * along + c.x);
    float lowest = node[0].value;
    Vec3 gain{0, 0, 0};
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) {
        const float x = node[j * slab + i * along + 1].gradient.x - node[j * slab + i * along].gradient.x,
                    y = node[j * slab + along + i].gradient.y - node[j * slab + i].gradient.y,
                    z = node[slab + j * along + i].gradient.z - node[j * along + i].gradient.z;
        gain = {x > gain.x ? x : gain.x, y > gain.y ? y : gain.y, z > gain.z ? z : gain.z};
        for (int corner = 0; corner < 2; ++corner) {
          const float other = node[j * slab + i * along + corner].value;
          if (other < lowest) lowest = other;
        }
      }
    constexpr float most = 255, rounding = 1e-3f;
    const float steps =
        DistanceFieldView::steps_of_least * (lowest / cell - 0.125f * (gain.x + gain.y + gain.z) - rounding);
    least[k] = static_cast<unsigned char>(steps < 0 ? 0.0f : steps > most ? most : steps);
  }
};

}  // namespace

void DistanceField::place(const MeshTree& mesh, const FieldParameters& p, const std::string& name) {
  const TreeNode& box = mesh.nodes[0];
  const double pad = p.reach + 0.5 * p.thickness + p.cell, brick = side * p.cell;
  double low[3];
  long long count[3];
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = box.low[axis] - pad;
    count[axis] = std::max(1LL, std::llround(std::ceil((box.high[axis] + pad - low[axis]) / brick)));
  }
  constexpr double most = 3e7;  // bricks, half a gigabyte of corners
  if (double(count[0]) * double(count[1]) * double(count[2]) > most)
    throw InputError(name + ": the mesh is " +
                     std::to_string(std::max({count[0], count[1], count[2]}) * side) +
                     " cells long, which makes too large a grid; raise cellSize, " + std::to_string(p.cell) +
                     " m, or take another scale");
  const auto margin =
      static_cast<float>(p.inside ? 1e30 : 0.5 * p.thickness + p.cell);  // inside: solid all around
  solid_low_ = {box.low[0] - margin, box.low[1] - margin, box.low[2] - margin};
  solid_high_ = {box.high[0] + margin, box.high[1] + margin, box.high[2] + margin};
  origin_ = {float(low[0]), float(low[1]), float(low[2])};
  cell_ = float(p.cell);
  reach_ = float(p.reach);
  name_ = name;
  bricks_ = {int(count[0]), int(count[1]), int(count[2])};
}

DistanceField::DistanceField(const MeshTree& mesh, const FieldParameters& p, const std::string& name) {
  place(mesh, p, name);
  sheet_ = p.thickness > 0;
  const Array<TreeNode> nodes(mesh.nodes);
  const Array<TreeTriangle> triangles(mesh.triangles);
  const SolidOfMesh solid{{nodes.const_view(), triangles.const_view()}, p.thickness, p.inside};
  const double cell = cell_, brick = side * cell;
  far_.resize((bricks_.x + 1) * (bricks_.y + 1) * (bricks_.z + 1));
  launch_in_parts(far_.size(), DistanceAtBrickCorners{solid, origin_, brick, bricks_, far_.view()});
  slot_.resize(bricks_.x * bricks_.y * bricks_.z);
  launch_in_parts(slot_.size(), FindNearBricks{solid, origin_, brick, p.reach, bricks_, slot_.view()});

  std::vector<int> slot = slot_.to_host();
  std::vector<Int3> brick_of_slot;
  for (size_t k = 0; k < slot.size(); ++k) {
    if (slot[k] < 0) continue;
    slot[k] = static_cast<int>(brick_of_slot.size());
    brick_of_slot.push_back(node_of(static_cast<int>(k), bricks_.x, bricks_.y));
  }
  constexpr size_t most = 0x7fffffff / DistanceFieldView::nodes_of_brick;
  if (brick_of_slot.size() > most)
    throw InputError(name + ": the grid around the mesh has " + std::to_string(brick_of_slot.size()) +
                     " bricks of cells, at most " + std::to_string(most) + " are possible; raise cellSize, " +
                     std::to_string(p.cell) + " m");
  slot_.assign(slot);
  brick_of_slot_.assign(brick_of_slot);
  near_.resize(brick_of_slot_.size() * DistanceFieldView::nodes_of_brick);
  launch_in_parts(near_.size(),
                  DistanceAtNodes{solid, origin_, cell, brick_of_slot_.const_view(), near_.view()});
  least_.resize(brick_of_slot_.size() * (side * side * side));
  launch(least_.size(), LeastInCells{near_.const_view(), cell_, least_.view()});
  synchronize();  // the tree goes away
}

MERGANSER_END
