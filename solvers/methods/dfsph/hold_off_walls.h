#pragma once
/// Keeps particles off the walls behind which their images stand.
///
/// On the wall a particle and its image are in one place, and by symmetry no pair moves it along the normal:
/// what an impact has brought there would stay. W' of the image is greatest at h/3 from the wall, so a
/// particle that comes nearer than `least` stops there, without restitution, while its image still pushes it.
#include "device/sum_of.h"
#include "solvers/core/wall_loads.h"
#include "solvers/methods/dfsph/row_pairs.h"

MERGANSER_BEGIN

/// Of h: how near a particle may come to a wall.
inline constexpr float least_image_distance = 0.25f;

/// A particle at the distance d of a wall gets at least the velocity (least - d)/dt along the normal,
/// relative to the wall; one that has been nearer from the start a tenth of that.
struct HoldOffWalls {
  static constexpr const char* name = "dfsph hold off walls";
  WallView walls;
  ImagesSeen images;            ///< particles without are farther off than they move in a step
  View<const Quad> position;    ///< [m]
  View<const float> mobility;   ///< [m^3/kg] V/m; 0 = immobile
  View<const int> store_index;  ///< of each particle; empty: first_velocity + i
  View<const int> group_of;     ///< over the store; may be empty. Members of groups go with these
  float least;                  ///< [m]
  float dt;                     ///< [s]
  float volume;                 ///< [m^3]
  int first_velocity;           ///< the particle of the store whose velocity stands first
  View<Vec3> velocity;          ///< [m/s] updated

  MERGANSER_METHOD int stored(int i) const {
    return store_index.empty() ? first_velocity + i : store_index[i];
  }
  MERGANSER_METHOD void operator()(int i) const {
    if (!images.any(i) || !(mobility[i] > 0)) return;
    Vec3& v = velocity[stored(i) - first_velocity];
    v += push(i, [](const Wall&, const WallDistance&, const Vec3&) {});
  }
  /// What the velocity changes by; calls visit(wall, distance, change) for every wall that gives a part.
  template <class Visit>
  MERGANSER_METHOD Vec3 push(int i, const Visit& visit) const {
    Vec3 sum{0, 0, 0};
    if (!images.any(i)) return sum;
    const int s = stored(i);
    if (!(mobility[i] > 0) || (!group_of.empty() && group_of[s] >= 0)) return sum;
    const Vec3 x{position[i].x, position[i].y, position[i].z}, v = velocity[s - first_velocity];
    for (int k = 0; k < walls.count; ++k) {
      const Wall& wall = walls.data[k];
      const WallDistance at = wall.at(x);
      const float missing = least - at.distance;
      const float wanted = (missing > 0 ? 0.1f * missing : missing) / dt;
      const float lacks = wanted - dot(v + sum - wall.velocity_at(x, at), at.normal);
      if (!(lacks > 0)) continue;
      const Vec3 change = at.normal * lacks;
      visit(wall, at, change);
      sum += change;
    }
    return sum;
  }
};

/// [N s] that all walls give.
struct HoldOffTotal {
  static constexpr const char* name = "dfsph hold off total";
  HoldOffWalls hold;
  MERGANSER_METHOD Vec3d operator()(int i) const {
    if (!hold.images.any(i) || !(hold.mobility[i] > 0)) return {0, 0, 0};
    const Vec3 change = hold.push(i, [](const Wall&, const WallDistance&, const Vec3&) {});
    return double(hold.volume / hold.mobility[i]) * to_double(change);
  }
};

struct HoldOffLoad {
  static constexpr const char* name = "dfsph hold off loads";
  HoldOffWalls hold;
  MeasuredWall measured;
  MERGANSER_METHOD WallLoad operator()(int i) const {
    WallLoad load;
    const Quad& q = hold.position[i];
    const Vec3 x{q.x, q.y, q.z};
    hold.push(i, [&](const Wall& wall, const WallDistance& at, const Vec3& change) {
      if (wall.owner != measured.owner) return;
      const double mass = double(hold.volume / hold.mobility[i]);
      load += WallLoad::of(mass * to_double(change), to_double(x - at.normal * at.distance), measured.centre,
                           to_double(wall.velocity_at(x, at)));
    });
    return load;
  }
};

MERGANSER_END
