#include "solvers/geometry/walls/wall.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "device/launch.h"
#include "solvers/base/to_vec3.h"
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/geometry/walls/wall_sides.h"

MERGANSER_BEGIN

using namespace point_arithmetic;

namespace {

Vec3 unit(const Point3& p, const std::string& wall) {
  const double size = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  if (!(size > 0)) throw InputError(wall + ": direction must not be the zero vector");
  return {static_cast<float>(p[0] / size), static_cast<float>(p[1] / size), static_cast<float>(p[2] / size)};
}

/// A device wall in the making.
struct Part {
  Wall wall;
  Point3 point;  ///< Wall::point in double
};

Part plane_of(Wall wall, const Point3& point, const Vec3& normal) {
  wall.shape = WallShape::plane;
  wall.point = to_vec3(point);
  wall.direction = normal;
  return {wall, point};
}

/// The six planes of a tank, normals inward.
std::vector<Part> tank(const Wall& wall, const WallParameters& box) {
  std::vector<Part> planes;
  for (int axis = 0; axis < 3; ++axis)
    for (int upper = 0; upper < 2; ++upper) {
      float normal[3] = {0, 0, 0};
      normal[axis] = upper ? -1.0f : 1.0f;
      planes.push_back(plane_of(wall, upper ? box.high : box.low, {normal[0], normal[1], normal[2]}));
    }
  return planes;
}

std::vector<Part> parts_of_box(Wall wall, const WallParameters& box, const std::string& name) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (!(box.low[axis] < box.high[axis]))
      throw InputError(name + ": every coordinate of low must be below that of high");
  if (box.inside) return tank(wall, box);
  const Vec3 low = to_vec3(box.low), high = to_vec3(box.high);
  wall.point = 0.5f * (low + high);
  wall.direction = 0.5f * (high - low);
  return {{wall, 0.5 * (box.low + box.high)}};
}

/// All walls of one mesh share its field as long as one of them lives.
std::shared_ptr<const DistanceField> field_of(const std::shared_ptr<const WallMesh>& mesh) {
  static std::map<std::weak_ptr<const WallMesh>, std::weak_ptr<const DistanceField>, std::owner_less<>> known;
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  if (const auto found = known.find(mesh); found != known.end()) return found->second.lock();
  auto made = std::make_shared<const DistanceField>(mesh->tree, mesh->field, mesh->name);
  known[mesh] = made;
  return made;
}

/// Of a wall that stays as the scene says.
std::vector<Part> parts_of(Wall wall, const WallParameters& from, const std::string& name) {
  if (from.shape == WallShape::mesh) return {{wall, {0, 0, 0}}};
  if (from.shape == WallShape::box) return parts_of_box(wall, from, name);
  if (from.shape != WallShape::sphere) wall.direction = unit(from.direction, name);
  if (from.shape != WallShape::plane && !(from.radius > 0))
    throw InputError(name + ": radius must be positive, but is " + std::to_string(from.radius));
  if (from.shape == WallShape::capsule && !(from.length > 0))
    throw InputError(name + ": length must be positive, but is " + std::to_string(from.length));
  wall.half_length = static_cast<float>(0.5 * from.length);
  if (from.shape != WallShape::cylinder || !(from.length > 0)) return {{wall, from.point}};
  if (!from.inside) {
    wall.shape = WallShape::short_cylinder;
    return {{wall, from.point}};
  }
  const Point3 to_end = (0.5 * from.length / length(from.direction)) * from.direction;
  return {{wall, from.point},
          plane_of(wall, from.point - to_end, wall.direction),
          plane_of(wall, from.point + to_end, -wall.direction)};
}

/// Bodies' frames of a few walls, as launch arguments.
struct PlaceWalls {
  static constexpr const char* name = "place walls";
  static constexpr int most = 16;
  View<Wall> walls;
  int wall[most];
  WallPlace place[most];
  MERGANSER_METHOD void operator()(int k) const { walls[wall[k]].place = place[k]; }
};

WallPlace place_of(const Rotation& rotation, const Point3& origin) {
  return {.axis_x = to_vec3(rotation({1, 0, 0})),
          .axis_y = to_vec3(rotation({0, 1, 0})),
          .axis_z = to_vec3(rotation({0, 0, 1})),
          .origin = to_vec3(origin),
          .velocity = {0, 0, 0},
          .spin = {0, 0, 0}};
}

}  // namespace

Walls::Walls(const std::vector<WallParameters>& walls) {
  std::vector<Wall> all;
  for (size_t k = 0; k < walls.size(); ++k) {
    const WallParameters& from = walls[k];
    const Wall wall{.shape = from.shape,
                    .side = from.inside ? 1.0f : -1.0f,
                    .point = to_vec3(from.point),
                    .direction = {0, 0, 0},
                    .radius = static_cast<float>(from.radius),
                    .velocity = to_vec3(from.velocity),
                    .friction = static_cast<float>(from.friction),
                    .restitution = static_cast<float>(from.restitution),
                    .no_slip = from.no_slip,
                    .sampled = from.boundary == BoundaryMethod::samples,
                    .half_length = 0,
                    .owner = static_cast<int>(k),
                    .placed = 0,
                    .place = place_of({}, {0, 0, 0})};
    const RigidPose turned = own_rotation(from);
    const bool moves = from.motion.moves();
    for (auto [part, point] : parts_of(wall, from, "walls[" + std::to_string(k) + "]")) {
      if (moves || !turned.rotation.none()) {
        part.placed = 1;
        part.point = {0, 0, 0};
        part.place = place_of(turned.rotation, turned(point));
        if (moves)
          moving_.push_back({static_cast<int>(all.size()), from.motion, turned(point), turned.rotation});
      }
      all.push_back(part);
      meshes_.push_back(from.mesh);
      sampled_.push_back(part.sampled);
      fields_.push_back(from.mesh ? field_of(from.mesh) : nullptr);
    }
  }
  place_fields(all);
  walls_.assign(all);
  const auto stays_plane = [](const Wall& wall) {
    return wall.shape == WallShape::plane && !wall.placed && !wall.sampled;
  };
  if (std::all_of(all.begin(), all.end(), stays_plane))
    planes_.assign(std::vector<PlaneWall>(all.begin(), all.end()));
  constexpr double moment = 1e-6;  // [s]
  place(0, 0, moment);
}

void Walls::place_fields(std::vector<Wall>& walls) {
  std::vector<DistanceFieldView> views;
  for (const auto& field : fields_) views.push_back(field ? field->view() : DistanceFieldView{});
  if (std::none_of(fields_.begin(), fields_.end(), [](const auto& field) { return field; })) return;
  field_views_.assign(views);
  for (size_t k = 0; k < walls.size(); ++k)
    if (fields_[k]) walls[k].field = field_views_.data() + k;
}

void Walls::place(double now, double from, double to) {
  PlaceWalls places{.walls = walls_.view(), .wall = {}, .place = {}};
  int held = 0;
  for (size_t m = 0; m < moving_.size(); ++m) {
    const Moving& moving = moving_[m];
    const RigidPose pose = moving.motion.at(now), first = moving.motion.at(from), last = moving.motion.at(to);
    WallPlace place = place_of(pose.rotation * moving.rotation, pose(moving.origin));
    const double rate = 1 / (to - from);
    place.velocity = to_vec3(rate * (last(moving.origin) - first(moving.origin)));
    place.spin = to_vec3(rate * (last.rotation * first.rotation.inverse()).turn());
    places.wall[held] = moving.wall;
    places.place[held] = place;
    if (++held < PlaceWalls::most && m + 1 < moving_.size()) continue;
    launch(held, places);
    held = 0;
  }
}

MERGANSER_END
