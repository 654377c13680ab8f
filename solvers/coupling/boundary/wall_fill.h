#pragma once
/// Walls as fluid sees them: half spaces filled with more of the same fluid.
///
/// Instead of layers of wall particles, the part of the kernel that reaches behind a wall is integrated once
/// for a plane at distance d and tabulated (the idea of volume maps and semi-analytic walls: Kulasegaram,
/// Bonet, Lewis, Profit 2004; Bender, Kugelstadt, Weiler, Koschier 2019):
///   lambda(d)  = int_{behind} W dV        fraction of the kernel's mass behind the wall,
///   lambda'(d) = -2 pi int_|d|^2h W r dr  so that int_{behind} grad W dV = lambda' n, n the wall's normal.
/// Two more integrals follow from these. For a field that is linear in space, a sum over the fluid's side
/// alone finds only a part of its gradient: 1 - lambda of the components along the wall, and of the component
/// along n the part
///   1 - lambda + d lambda'.
/// Dividing by these parts makes the sums next to a wall exact for linear fields again. At edges and corners
/// the fractions are combined as if the walls were independent, 1 - lambda = prod_k (1 - lambda_k), which is
/// exact where neither reaches.
///
/// Curved walls and obstacles with edges have integrals of their own (wall_part.h), in whose terms lambda'
/// and n are the size and the direction of lambda's gradient. An obstacle that stands on a plane counts as if
/// it went on behind the plane, as independence wants it. One that lies behind a plane has no part in the
/// kernel of what is before both: the plane has it already.
#include "device/not_inlined.h"
#include "solvers/coupling/boundary/box_part.h"
#include "solvers/coupling/boundary/near_walls.h"
#include "solvers/coupling/boundary/round_part.h"
#include "solvers/coupling/boundary/sampled_walls.h"
#include "solvers/geometry/signed_distance/solid_share.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// lambda and h lambda' at one distance.
struct WallFillSample {
  float fraction, slope;
};

/// A particle on the surface has 1/2; the bound keeps one that got behind it from dividing by nearly nothing.
inline constexpr float wall_least_open = 0.4f;

struct WallFillView {
  View<const WallFillSample> sample;  ///< over |d|/h in [0, 2], equal spacing
  float inverse_h;                    ///< [1/m]
  BoxPartView box;
  View<const RoundSample> round;  ///< tables of round walls
  View<const int> first_round;  ///< where the table of a round wall begins, or which of the solids a mesh is;
                                ///< empty: all walls count as flat
  View<const SolidShareView> solid;          ///< tables of meshes
  float offset = 0;                          ///< [m] by which surfaces lie further back than walls say
  View<const SampledWallView> sampled = {};  ///< of each wall; empty: none is sampled
  NearWallsView near = {};                   ///< of this step

  /// lambda and lambda' [1/m] at signed distance d [m].
  MERGANSER_METHOD WallFillSample at(float d) const {
    const float s = fabsf(d) * inverse_h;
    const float cells = static_cast<float>(sample.count - 1);
    const float place = 0.5f * s * cells;
    if (!(place < cells)) return {d > 0 ? 0.0f : 1.0f, 0.0f};
    const int k = static_cast<int>(place);
    const float t = place - static_cast<float>(k);
    const WallFillSample a = sample.data[k], b = sample.data[k + 1];
    const float fraction = a.fraction + t * (b.fraction - a.fraction);
    return {d < 0 ? 1 - fraction : fraction, inverse_h * (a.slope + t * (b.slope - a.slope))};
  }
  MERGANSER_METHOD float support() const { return 2 / inverse_h; }

  /// What the k-th wall, which is where `at` says, takes of the kernel of a particle at x.
  template <class Shapes>
  MERGANSER_METHOD WallShare share(int k, const Shapes& walls, const Vec3& x, const WallDistance& at) const {
    const auto& wall = walls.data[k];
    if constexpr (std::is_same_v<Shapes, WallView>) {
      const bool of_samples = !sampled.empty() && !sampled[k].volume.empty();
      if (of_samples || (!first_round.empty() && wall.shape != WallShape::plane)) {
        const float seen = seen_before_planes(walls, wall, x, at);
        return part_of(
            of_samples ? share_of_samples(sampled[k], wall, x, at) : share_of_shape(k, walls, x, at), seen);
      }
    }
    return share_of_plane(wall, x, at);
  }
  /// Whether the k-th wall is a mesh with a table here.
  MERGANSER_METHOD bool is_tabulated_mesh(int k, const Wall& wall) const {
    return wall.shape == WallShape::mesh && !first_round.empty() &&
           (sampled.empty() || sampled[k].volume.empty());
  }
  /// The same as share() of such a wall where the cell of its field and the gradient there are known.
  MERGANSER_METHOD WallShare share_in_cell(int k, const WallView& walls, const Vec3& x,
                                           const WallDistance& at, const FieldCell& cell,
                                           const Vec3& field_gradient) const {
    return part_of(mesh_wall(solid[first_round[k]], walls.data[k], x, at, cell, field_gradient),
                   seen_before_planes(walls, walls.data[k], x, at));
  }

 private:
  template <class OneWall>
  MERGANSER_METHOD WallShare share_of_plane(const OneWall& wall, const Vec3& x,
                                            const WallDistance& at) const {
    const WallFillSample s = this->at(at.distance);
    return bounded(s.fraction, at.distance * s.slope, at.normal, wall.velocity_with(x - at.normal * offset),
                   at.distance, s.slope);
  }
  MERGANSER_METHOD MERGANSER_NOT_INLINED WallShare share_of_shape(int k, const WallView& walls, const Vec3& x,
                                                                  const WallDistance& at) const {
    const Wall& wall = walls.data[k];
    if (wall.shape == WallShape::mesh) return mesh_wall(solid[first_round[k]], wall, x, at);
    const Vec3 d = (wall.placed ? wall.place.to_body(x) : x) - wall.point;
    if (wall.shape != WallShape::box) return share_of(round_wall(k, walls, d), wall, x, at);
    Vec3 low = -wall.direction - d, high = wall.direction - d;
    extend_covered_faces(walls, wall, d, low, high);
    if (reaches_one_face(low, high)) return share_of_plane(wall, x, at);
    return share_of(box.at(low * inverse_h, high * inverse_h), wall, x, at);
  }
  /// Samples stand behind the surface where the wall says it is, not where the volume map begins.
  MERGANSER_METHOD MERGANSER_NOT_INLINED WallShare share_of_samples(const SampledWallView& samples,
                                                                    const Wall& wall, const Vec3& x,
                                                                    const WallDistance& at) const {
    const Vec3 place = x - at.normal * offset;
    const SampleSums sums = samples.at(wall.placed ? wall.place.to_body(place) : place);
    const float size = norm(sums.gradient);
    const Vec3 in_body = size * support() > 1e-6f ? sums.gradient * (-1 / size) : Vec3{0, 0, 0};
    const Vec3 normal =
        norm_squared(in_body) > 0 ? wall.placed ? wall.place.to_world(in_body) : in_body : at.normal;
    const float missing = dot(in_body, sums.tensor * in_body);
    return bounded(sums.fraction, sums.fraction - missing, normal, wall.velocity_with(x - at.normal * offset),
                   at.distance, -size);
  }
  MERGANSER_METHOD static WallShare bounded(float fraction, float moment, const Vec3& normal,
                                            const Vec3& velocity, float distance, float slope) {
    const float open = 1 - fraction, open_normal = open + moment;
    return {normal,   distance,
            velocity, open > wall_least_open ? open : wall_least_open,
            slope,    open_normal > wall_least_open ? open_normal : wall_least_open};
  }
  /// That of the tangent plane and what the table adds to it. The normal between nodes is not made a unit
  /// vector here: the table completes it as it is. Three faces may meet in a mesh's inner corner.
  MERGANSER_METHOD WallShare mesh_wall(const SolidShareView& table, const Wall& wall, const Vec3& x,
                                       const WallDistance& at) const {
    const DistanceFieldView& field = *wall.field;
    const FieldCell cell = field.cell_of(field.clamped(wall.placed ? wall.place.to_body(x) : x));
    if (!cell.near) return share_of_plane(wall, x, at);
    return mesh_wall(table, wall, x, at, cell, cell.interpolated(field.near, field.cell).gradient);
  }
  /// In this cell of the field, where its gradient is known.
  MERGANSER_METHOD WallShare mesh_wall(const SolidShareView& table, const Wall& wall, const Vec3& x,
                                       const WallDistance& at, const FieldCell& cell,
                                       const Vec3& field_gradient) const {
    const WallFillSample plane = this->at(at.distance);
    const SolidShareSample more = table.at(cell, wall.field->cell);
    const Vec3 in_body = field_gradient * plane.slope + more.share.gradient;
    const Vec3 gradient = wall.placed ? wall.place.to_world(in_body) : in_body;
    const float size = norm(gradient), fraction = plane.fraction + more.share.value;
    const Vec3 normal = size * support() > 1e-6f ? gradient * (-1 / size) : at.normal;
    WallShare share = bounded(fraction, at.distance * plane.slope + more.moment, normal,
                              wall.velocity_with(x - at.normal * offset), at.distance, -size);
    share.open = most_of(1 - fraction, wall_least_open * wall_least_open * wall_least_open);
    return share;
  }
  /// The part's gradient is that of the body frame.
  MERGANSER_METHOD WallShare share_of(const WallPart& part, const Wall& wall, const Vec3& x,
                                      const WallDistance& at) const {
    const float size = norm(part.gradient);
    const Vec3 velocity = wall.velocity_with(x - at.normal * offset);
    if (!(size > 1e-6f)) return bounded(part.fraction, part.moment, at.normal, velocity, at.distance, 0);
    const Vec3 normal = part.gradient * (-1 / size);
    return bounded(part.fraction, part.moment, wall.placed ? wall.place.to_world(normal) : normal, velocity,
                   at.distance, -size * inverse_h);
  }
  /// How much of its share a wall keeps for a particle at x before planes: all where the nearest point of its
  /// surface lies a quarter as far before them, nothing where it lies in or behind one.
  MERGANSER_METHOD MERGANSER_NOT_INLINED float seen_before_planes(const WallView& walls, const Wall& wall,
                                                                  const Vec3& x,
                                                                  const WallDistance& at) const {
    if (wall.shape == WallShape::plane || !(at.distance > 0)) return 1;
    const Vec3 nearest = x - at.normal * at.distance;
    const float on_plane = 1e-3f / inverse_h;
    float seen = 1;
    for (int k = 0; k < walls.count; ++k) {
      const Wall& plane = walls.data[k];
      if (plane.shape != WallShape::plane) continue;
      const float before = plane.at(x).distance;
      if (before > on_plane) seen = least_of(seen, 4 * plane.at(nearest).distance / before);
    }
    return most_of(seen, 0.0f);
  }
  /// All of it with the same bits.
  MERGANSER_METHOD static WallShare part_of(WallShare share, float part) {
    share.open += (1 - part) * (1 - share.open);
    share.open_normal += (1 - part) * (1 - share.open_normal);
    share.slope *= part;
    return share;
  }
  /// Whether a point of the wall's body frame, relative to its own point, is behind a plane: a tank's floor
  /// on which an obstacle stands.
  MERGANSER_METHOD bool covered(const WallView& walls, const Wall& wall, const Vec3& d) const {
    const Vec3 in_body = wall.point + d,
               y = wall.placed ? wall.place.origin + wall.place.to_world(in_body) : in_body;
    for (int k = 0; k < walls.count; ++k)
      if (walls.data[k].shape == WallShape::plane && walls.data[k].at(y).distance < 0) return true;
    return false;
  }
  /// Walls count as independent, so behind a plane an obstacle has to go on. Faces that a plane covers just
  /// outside the box, next to a particle at d, are put out of reach.
  MERGANSER_METHOD void extend_covered_faces(const WallView& walls, const Wall& wall, const Vec3& d,
                                             Vec3& low, Vec3& high) const {
    const float reach = support(), outside = 0.02f * reach;
    const Vec3 half = wall.direction;
    const Vec3 beside{clamped(d.x, half.x), clamped(d.y, half.y), clamped(d.z, half.z)};
    const auto look = [&](float& bound, float sign, const Vec3& over_face) {
      if (sign * bound > 0 && sign * bound < reach && covered(walls, wall, over_face))
        bound = sign * 2 * reach;
    };
    look(low.x, -1, {-half.x - outside, beside.y, beside.z});
    look(high.x, 1, {half.x + outside, beside.y, beside.z});
    look(low.y, -1, {beside.x, -half.y - outside, beside.z});
    look(high.y, 1, {beside.x, half.y + outside, beside.z});
    look(low.z, -1, {beside.x, beside.y, -half.z - outside});
    look(high.z, 1, {beside.x, beside.y, half.z + outside});
  }
  MERGANSER_METHOD static float clamped(float a, float most) { return least_of(most_of(a, -most), most); }
  /// True where a kernel in the middle of these bounds reaches one face alone, and no edge.
  MERGANSER_METHOD bool reaches_one_face(const Vec3& low, const Vec3& high) const {
    const float reach = support();
    const float bound[6] = {-low.x, high.x, -low.y, high.y, -low.z, high.z};
    int near = 0;
    for (const float b : bound) near += b < reach;
    return near == 1;
  }
  /// At d from a round wall's point.
  MERGANSER_METHOD WallPart round_wall(int k, const WallView& walls, const Vec3& d) const {
    const Wall& wall = walls.data[k];
    const RoundSample* table = round.data + first_round[k];
    const bool ball = wall.shape == WallShape::sphere;
    const float height = ball ? 0.0f : dot(d, wall.direction);
    const float over = fabsf(height) - wall.half_length;
    const bool cap = wall.shape == WallShape::capsule;
    const float back = cap ? least_of(most_of(height, -wall.half_length), wall.half_length) : height;
    const Vec3 across = ball ? d : d - wall.direction * back;
    const float length = norm(across), distance = (length - wall.radius) * inverse_h;
    RoundSample s = round_part(table, distance);
    Vec3 gradient = across * (length > 0 ? s.outward / length : 0.0f);
    if (cap) {  // the sphere of an end takes over from the cylinder within the support of the seam
      const float t = least_of(most_of(0.25f * over * inverse_h + 0.5f, 0.0f), 1.0f);
      s = blend(s, round_part(table + round_part_nodes, distance), t);
      gradient = across * (length > 0 ? s.outward / length : 0.0f);
    } else if (wall.shape == WallShape::short_cylinder) {  // both ends less the endless one
      const RoundSample* ends = table + round_part_nodes;
      const Vec3 beside = across * least_of(1.0f, wall.radius / most_of(length, 1e-20f));
      const RoundSample whole = s;
      const auto end_at = [&](float sign) {
        const float above = sign * height - wall.half_length;
        const Vec3 outside = wall.direction * (sign * (wall.half_length + 0.02f * support()));
        if (above < -support() || (above < 0 && covered(walls, wall, beside + outside))) return whole;
        return end_part(ends, distance, above * inverse_h);
      };
      const RoundSample up = end_at(1), down = end_at(-1);
      const float outward = up.outward + down.outward - whole.outward;
      gradient = across * (length > 0 ? outward / length : 0.0f) + wall.direction * (up.along - down.along);
      s.fraction = up.fraction + down.fraction - whole.fraction;
      s.moment = up.moment + down.moment - whole.moment;
    }
    if (wall.side < 0) return {s.fraction, gradient, s.moment};
    return {1 - s.fraction, -gradient, -s.moment};
  }
};

MERGANSER_END
