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
/// and n are the size and the direction of lambda's gradient.
#include <vector>

#include "solvers/coupling/boundary/box_part.h"
#include "solvers/coupling/boundary/round_part.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// lambda and h lambda' at one distance.
struct WallFillSample {
  float fraction, slope;
};

/// How one wall cuts a particle's kernel.
struct WallShare {
  Vec3 normal;        ///< against the gradient of lambda
  float distance;     ///< [m]
  Vec3 velocity;      ///< [m/s] of the surface
  float open;         ///< 1 - lambda, not below wall_least_open
  float slope;        ///< lambda' [1/m]
  float open_normal;  ///< 1 - lambda + d lambda', not below wall_least_open
};

/// A particle on the surface has 1/2; the bound keeps one that got behind it from dividing by nearly nothing.
inline constexpr float wall_least_open = 0.4f;

struct WallFillView {
  View<const WallFillSample> sample;  ///< over |d|/h in [0, 2], equal spacing
  float inverse_h;                    ///< [1/m]
  BoxPartView box;
  View<const RoundSample> round;  ///< tables of round walls
  View<const int> first_round;    ///< where the table of a round wall begins; empty: all walls count as flat

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
  MERGANSER_METHOD WallShare share(int k, const Wall& wall, const Vec3& x, const WallDistance& at) const {
    const Vec3 velocity = wall.velocity_at(x, at);
    if (!first_round.empty() && wall.shape != WallShape::plane) {
      const Vec3 d = (wall.placed ? wall.place.to_body(x) : x) - wall.point;
      if (wall.shape != WallShape::box) return share_of(round_wall(k, wall, d), wall, at, velocity);
      if (has_edge_near(wall, d))
        return share_of(box.at((-wall.direction - d) * inverse_h, (wall.direction - d) * inverse_h), wall, at,
                        velocity);
    }
    const WallFillSample s = this->at(at.distance);
    return bounded(s.fraction, at.distance * s.slope, at.normal, velocity, at.distance, s.slope);
  }

 private:
  MERGANSER_METHOD static WallShare bounded(float fraction, float moment, const Vec3& normal,
                                            const Vec3& velocity, float distance, float slope) {
    const float open = 1 - fraction, open_normal = open + moment;
    return {normal,   distance,
            velocity, open > wall_least_open ? open : wall_least_open,
            slope,    open_normal > wall_least_open ? open_normal : wall_least_open};
  }
  /// The part's gradient is that of the body frame.
  MERGANSER_METHOD WallShare share_of(const WallPart& part, const Wall& wall, const WallDistance& at,
                                      const Vec3& velocity) const {
    const float size = norm(part.gradient);
    if (!(size > 1e-6f)) return bounded(part.fraction, part.moment, at.normal, velocity, at.distance, 0);
    const Vec3 normal = part.gradient * (-1 / size);
    return bounded(part.fraction, part.moment, wall.placed ? wall.place.to_world(normal) : normal, velocity,
                   at.distance, -size * inverse_h);
  }
  /// False where the kernel at d from a box's middle reaches one face of it alone, and no edge.
  MERGANSER_METHOD bool has_edge_near(const Wall& wall, const Vec3& d) const {
    const float reach = support();
    const float over[3] = {fabsf(d.x) - wall.direction.x, fabsf(d.y) - wall.direction.y,
                           fabsf(d.z) - wall.direction.z};
    const float across[3] = {2 * wall.direction.x, 2 * wall.direction.y, 2 * wall.direction.z};
    int near = 0;
    bool thin = false;
    for (int axis = 0; axis < 3; ++axis) {
      near += over[axis] > -reach;
      thin = thin || across[axis] + over[axis] < reach;
    }
    return near > 1 || thin;
  }
  /// At d from a round wall's point.
  MERGANSER_METHOD WallPart round_wall(int k, const Wall& wall, const Vec3& d) const {
    const RoundSample* table = round.data + first_round[k];
    const bool ball = wall.shape == WallShape::sphere;
    const float height = ball ? 0.0f : dot(d, wall.direction);
    const float over = fabsf(height) - wall.half_length;
    const bool cap = wall.shape == WallShape::capsule;
    const float back = cap ? fminf(fmaxf(height, -wall.half_length), wall.half_length) : height;
    const Vec3 across = ball ? d : d - wall.direction * back;
    const float length = norm(across), distance = (length - wall.radius) * inverse_h;
    RoundSample s = round_part(table, distance);
    Vec3 gradient = across * (length > 0 ? s.outward / length : 0.0f);
    if (cap) {  // the sphere of an end takes over from the cylinder within the support of the seam
      const float t = fminf(fmaxf(0.25f * over * inverse_h + 0.5f, 0.0f), 1.0f);
      s = blend(s, round_part(table + round_part_nodes, distance), t);
      gradient = across * (length > 0 ? s.outward / length : 0.0f);
    } else if (wall.shape == WallShape::short_cylinder) {  // both ends less the endless one
      const RoundSample* ends = table + round_part_nodes;
      const RoundSample up = end_part(ends, distance, (height - wall.half_length) * inverse_h),
                        down = end_part(ends, distance, (-height - wall.half_length) * inverse_h);
      const float outward = up.outward + down.outward - s.outward;
      gradient = across * (length > 0 ? outward / length : 0.0f) + wall.direction * (up.along - down.along);
      s.fraction = up.fraction + down.fraction - s.fraction;
      s.moment = up.moment + down.moment - s.moment;
    }
    if (wall.side < 0) return {s.fraction, gradient, s.moment};
    return {1 - s.fraction, -gradient, -s.moment};
  }
};

/// Calls visit(wall, share) for every wall whose surface lies within the kernel's support of x.
template <class Visit>
MERGANSER_FN void for_each_near_wall(const WallView& walls, const WallFillView& fill, const Vec3& x,
                                     const Visit& visit) {
  const float support = fill.support();
  for (int k = 0; k < walls.count; ++k) {
    const Wall& wall = walls.data[k];
    const WallDistance at = wall.at(x);
    if (at.distance < support) visit(wall, fill.share(k, wall, x, at));
  }
}

/// Owns the table for a smoothing length; `kernel` is a kernel of double with h = 1.
class WallVolumeMap {
 public:
  WallVolumeMap() = default;
  template <class Kernel>
  WallVolumeMap(const Kernel& kernel, float h) : inverse_h_(1 / h) {
    table_.assign(tabulate([&](double q) { return kernel.value(q); }));
  }
  /// With tables for those walls, of all that views will be used with, that are not planes.
  template <class Kernel>
  WallVolumeMap(const Kernel& kernel, float h, const Walls& walls) : WallVolumeMap(kernel, h) {
    tabulate_shapes(
        [](double q) {
          static const Kernel unit(1);
          return unit.value(q);
        },
        walls);
  }
  WallFillView view() const {
    return {table_.const_view(),
            inverse_h_,
            {blocks_.const_view(), box_part_nodes},
            round_.const_view(),
            first_round_.const_view()};
  }

 private:
  /// Simpson's rule from the rim of the support inwards.
  template <class Value>
  static std::vector<WallFillSample> tabulate(const Value& value) {
    constexpr int cells = 256, parts = 16;
    constexpr double pi = 3.14159265358979323846, width = 2.0 / (cells * parts);
    std::vector<WallFillSample> samples(cells + 1);
    double plane = 0, fraction = 0;  // 2 pi int_s^2 W r dr and its integral
    for (int k = cells * parts; k > 0; --k) {
      const double s = k * width, middle = s - width / 2, next = s - width;
      const double upper_half =
          pi * width / 6 *
          (value(s) * s + 4 * value(s - width / 4) * (s - width / 4) + value(middle) * middle);
      const double whole = pi * width / 3 * (value(s) * s + 4 * value(middle) * middle + value(next) * next);
      fraction += width / 6 * (plane + 4 * (plane + upper_half) + (plane + whole));
      plane += whole;
      if ((k - 1) % parts == 0)
        samples[static_cast<size_t>((k - 1) / parts)] = {static_cast<float>(fraction),
                                                         static_cast<float>(-plane)};
    }
    return samples;
  }

  void tabulate_shapes(UnitKernel kernel, const Walls& walls);

  Array<WallFillSample> table_;
  float inverse_h_ = 1;
  Array<BlockSample> blocks_;
  Array<RoundSample> round_;
  Array<int> first_round_;
};

MERGANSER_END
