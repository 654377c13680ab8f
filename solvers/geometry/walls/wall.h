#pragma once
/// Walls on the device: signed distance and normal of their shapes, where they are and how they move.
#include <variant>

#include "device/array.h"
#include "device/vector_math.h"
#include "solvers/geometry/signed_distance/distance_field.h"
#include "solvers/geometry/walls/rigid_pose.h"
#include "solvers/geometry/walls/wall_parameters.h"

MERGANSER_BEGIN

/// Distance to a wall's surface [m], positive where particles may be, and the unit gradient of it.
struct WallDistance {
  float distance;
  Vec3 normal;
};

/// The body frame of a wall in the world, and its motion.
struct WallPlace {
  Vec3 axis_x, axis_y, axis_z;  ///< of the body frame, in the world
  Vec3 origin;                  ///< [m] of the body frame
  Vec3 velocity;                ///< [m/s] of the origin
  Vec3 spin;                    ///< [rad/s]

  MERGANSER_METHOD Vec3 to_body(const Vec3& x) const {
    const Vec3 d = x - origin;
    return {dot(axis_x, d), dot(axis_y, d), dot(axis_z, d)};
  }
  MERGANSER_METHOD Vec3 to_world(const Vec3& direction) const {
    return axis_x * direction.x + axis_y * direction.y + axis_z * direction.z;
  }
};

/// One wall as kernels read it. A tank (box with particles inside) has been split into its six planes, a
/// short cylinder with particles inside into a cylinder and two planes; `side` is +1 where particles live
/// inside a round wall, -1 where they live outside. Shapes are those of the body frame, which is the world
/// unless the wall is `placed`.
struct Wall {
  WallShape shape;
  float side;
  Vec3 point;      ///< [m] on the plane; centre of box, sphere, capsule; on the cylinder's axis
  Vec3 direction;  ///< plane: unit normal; cylinder, capsule: unit axis; box: half its edges [m]
  float radius;    ///< [m]
  Vec3 velocity;   ///< [m/s] of the surface in the body frame
  float friction, restitution;
  int no_slip;
  int sampled;        ///< BoundaryMethod::samples
  float half_length;  ///< [m] of a short cylinder; of a capsule, to the centres of its ends
  int owner;          ///< which of the scene's walls
  int placed;         ///< turned, or moving
  WallPlace place;
  const DistanceFieldView* field = nullptr;  ///< of a mesh

  MERGANSER_METHOD WallDistance at(const Vec3& x) const {
    WallDistance found = in_body_frame(placed ? place.to_body(x) : x);
    if (placed) found.normal = place.to_world(found.normal);
    return found;
  }
  /// The same of a mesh, with the cell of its field around x and the field there, which is no unit vector
  /// between nodes.
  MERGANSER_METHOD WallDistance in_cell(const Vec3& x, FieldCell& cell, FieldSample& raw) const {
    const Vec3 in_body = placed ? place.to_body(x) : x, inside = field->clamped(in_body);
    cell = field->cell_of(inside);
    raw = field->between_nodes(cell);
    const FieldSample found = field->of_point(in_body, inside, raw);
    return {found.value, placed ? place.to_world(found.gradient) : found.gradient};
  }
  /// True where x is before the wall and further off than `length` [m], of a kernel or a radius
  /// (WallParameters::reach_in_spacings); false where that is not known at once.
  MERGANSER_METHOD bool is_far(const Vec3& x, float length) const {
    if (shape != WallShape::mesh && shape != WallShape::box) return false;
    const Vec3 in_body = placed ? place.to_body(x) : x;
    if (shape == WallShape::mesh) return field->is_far(in_body, length);
    const Vec3 d = in_body - point;
    return fabsf(d.x) > direction.x + length || fabsf(d.y) > direction.y + length ||
           fabsf(d.z) > direction.z + length;
  }
  /// [m/s] of the surface next to x, which is where `at` says.
  MERGANSER_METHOD Vec3 velocity_at(const Vec3& x, const WallDistance& at) const {
    if (!placed) return velocity;
    const Vec3 arm = x - at.normal * at.distance - place.origin;
    return place.to_world(velocity) + place.velocity + cross(place.spin, arm);
  }
  /// [m/s] of what turns with the wall at x, beside the surface: fluid that does so is not sheared.
  MERGANSER_METHOD Vec3 velocity_with(const Vec3& x) const {
    if (!placed) return velocity;
    return place.to_world(velocity) + place.velocity + cross(place.spin, x - place.origin);
  }

  /// A body frame's point.
  MERGANSER_METHOD WallDistance in_body_frame(const Vec3& x) const {
    const Vec3 d = x - point;
    switch (shape) {
      case WallShape::plane:
        return {dot(d, direction), direction};
      case WallShape::box:
        return outside_box(d);
      case WallShape::sphere:
        return round_wall(d);
      case WallShape::cylinder:
        return round_wall(d - direction * dot(d, direction));
      case WallShape::capsule:
        return round_wall(d - direction * least_of(most_of(dot(d, direction), -half_length), half_length));
      case WallShape::short_cylinder:
        return outside_short_cylinder(d);
      case WallShape::mesh: {
        const FieldSample found = field->at(x);
        return {found.value, found.gradient};
      }
    }
    return {3e38f, {0, 0, 1}};
  }

 private:
  /// side (R - |d|); on the centre or axis, where the normal is undefined, one is chosen.
  MERGANSER_METHOD WallDistance round_wall(const Vec3& d) const {
    const float length = norm(d);
    const Vec3 outward = length > 0 ? d * (1 / length) : any_normal();
    return {side * (radius - length), outward * -side};
  }
  MERGANSER_METHOD Vec3 any_normal() const {
    if (shape == WallShape::sphere) return {0, 0, 1};
    const Vec3 other = fabsf(direction.x) < 0.6f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    return normalized_or_zero(cross(direction, other));
  }
  /// Exact distance to an obstacle: to faces, edges and corners outside; to the nearest face, negative,
  /// inside.
  MERGANSER_METHOD WallDistance outside_box(const Vec3& d) const {
    const Vec3 sign{d.x < 0 ? -1.0f : 1.0f, d.y < 0 ? -1.0f : 1.0f, d.z < 0 ? -1.0f : 1.0f};
    const Vec3 over{fabsf(d.x) - direction.x, fabsf(d.y) - direction.y, fabsf(d.z) - direction.z};
    const float most = most_of(over.x, most_of(over.y, over.z));
    if (most <= 0) {
      if (over.x == most) return {most, {sign.x, 0, 0}};
      if (over.y == most) return {most, {0, sign.y, 0}};
      return {most, {0, 0, sign.z}};
    }
    const Vec3 gap{most_of(over.x, 0.0f), most_of(over.y, 0.0f), most_of(over.z, 0.0f)};
    const float distance = norm(gap);
    const float scale = 1 / distance;
    return {distance, {sign.x * gap.x * scale, sign.y * gap.y * scale, sign.z * gap.z * scale}};
  }
  /// Likewise, to the mantle, the ends and the rims.
  MERGANSER_METHOD WallDistance outside_short_cylinder(const Vec3& d) const {
    const float along = dot(d, direction);
    const Vec3 across = d - direction * along;
    const float length = norm(across);
    const Vec3 outward = length > 0 ? across * (1 / length) : any_normal();
    const Vec3 towards_end = along < 0 ? -direction : direction;
    const float over_mantle = length - radius, over_end = fabsf(along) - half_length;
    if (over_mantle <= 0 && over_end <= 0)
      return over_mantle > over_end ? WallDistance{over_mantle, outward}
                                    : WallDistance{over_end, towards_end};
    const float a = most_of(over_mantle, 0.0f), b = most_of(over_end, 0.0f), distance = sqrtf(a * a + b * b);
    return {distance, (outward * a + towards_end * b) * (1 / distance)};
  }
};

/// A wall that is known to be a plane and to stay where it is.
struct PlaneWall : Wall {
  explicit PlaneWall(const Wall& wall) : Wall(wall) {}
  MERGANSER_METHOD WallDistance at(const Vec3& x) const { return {dot(x - point, direction), direction}; }
  MERGANSER_METHOD bool is_far(const Vec3&, float) const { return false; }
  MERGANSER_METHOD Vec3 velocity_at(const Vec3&, const WallDistance&) const { return velocity; }
  MERGANSER_METHOD Vec3 velocity_with(const Vec3&) const { return velocity; }
};

struct PlaneWallView : View<const PlaneWall> {};

struct WallView : View<const Wall> {
  PlaneWallView planes;  ///< the same walls where all are planes that stay and none is sampled; else empty
  bool are_planes() const { return planes.count == count; }
};

/// Kernels that look at walls at every particle or cell exist twice: made for planes alone, as most scenes
/// have them, they take a third less registers. Both give the same bits. For std::visit.
inline std::variant<PlaneWallView, WallView> by_shape(const WallView& walls) {
  if (walls.are_planes()) return walls.planes;
  return walls;
}

/// Device walls made from a scene's.
class Walls {
 public:
  Walls() = default;
  /// As they are at time 0. Throws InputError on a zero direction, a radius or length that is not positive,
  /// or box corners in the wrong order.
  explicit Walls(const std::vector<WallParameters>& walls);
  WallView view() const { return {walls_.const_view(), {planes_.const_view()}}; }
  int count() const { return walls_.size(); }
  /// The distance field of the k-th, a mesh; else nullptr.
  const std::shared_ptr<const DistanceField>& field(int k) const { return fields_[size_t(k)]; }
  const std::shared_ptr<const WallMesh>& mesh(int k) const { return meshes_[size_t(k)]; }
  bool is_sampled(int k) const { return sampled_[size_t(k)]; }
  /// Whether any of them moves.
  bool move() const { return !moving_.empty(); }
  /// Brings those that move to where they are at `now`, with the mean velocity of the time from `from` to
  /// `to` [s]. Does not wait for the device.
  void place(double now, double from, double to);

 private:
  /// A wall that moves, as it is before it has moved.
  struct Moving {
    int wall;
    WallMotion motion;
    Point3 origin;      ///< [m] of its body frame
    Rotation rotation;  ///< of its body frame
  };
  /// Says each mesh where its field is.
  void place_fields(std::vector<Wall>& walls);

  Array<Wall> walls_;
  Array<PlaneWall> planes_;  ///< likewise; empty unless all are
  std::vector<std::shared_ptr<const WallMesh>> meshes_;
  std::vector<bool> sampled_;
  std::vector<std::shared_ptr<const DistanceField>> fields_;
  Array<DistanceFieldView> field_views_;
  std::vector<Moving> moving_;
};

MERGANSER_END
