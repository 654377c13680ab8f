#include "solvers/geometry/signed_distance/distance_field.h"

#include <algorithm>
#include <cmath>

#include "device/launch.h"

MERGANSER_BEGIN

namespace {

constexpr int side = DistanceFieldView::side, along = DistanceFieldView::nodes_along;

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

/// 1 for bricks that reach to within `reach` of the surface.
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
    is_near[k] = std::abs(solid.at(middle).distance) <= reach + half_diagonal * brick ? 1 : 0;
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
  launch(far_.size(), DistanceAtBrickCorners{solid, origin_, brick, bricks_, far_.view()});
  slot_.resize(bricks_.x * bricks_.y * bricks_.z);
  launch(slot_.size(), FindNearBricks{solid, origin_, brick, p.reach, bricks_, slot_.view()});

  std::vector<int> slot = slot_.to_host();
  std::vector<Int3> brick_of_slot;
  for (size_t k = 0; k < slot.size(); ++k) {
    const bool is_near = slot[k] != 0;
    slot[k] = is_near ? static_cast<int>(brick_of_slot.size()) : -1;
    if (is_near) brick_of_slot.push_back(node_of(static_cast<int>(k), bricks_.x, bricks_.y));
  }
  constexpr size_t most = 0x7fffffff / DistanceFieldView::nodes_of_brick;
  if (brick_of_slot.size() > most)
    throw InputError(name + ": the grid around the mesh has " + std::to_string(brick_of_slot.size()) +
                     " bricks of cells, at most " + std::to_string(most) + " are possible; raise cellSize, " +
                     std::to_string(p.cell) + " m");
  slot_.assign(slot);
  brick_of_slot_.assign(brick_of_slot);
  near_.resize(brick_of_slot_.size() * DistanceFieldView::nodes_of_brick);
  launch(near_.size(), DistanceAtNodes{solid, origin_, cell, brick_of_slot_.const_view(), near_.view()});
  synchronize();  // the tree goes away
}

MERGANSER_END
