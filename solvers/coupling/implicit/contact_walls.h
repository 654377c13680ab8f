#pragma once
/// Loads of walls within an implicit solve (implicit_walls.h), for the ledger and for walls with names.
/// Which wall gave what the solve knows only as the impulse of all walls on a row: the one nearest to the
/// particle.
#include "device/array.h"
#include "solvers/core/step_exchange.h"
#include "solvers/core/system.h"
#include "solvers/core/wall_loads.h"

MERGANSER_BEGIN

/// The impulse J of walls on a particle at x: whose it is, and how fast that wall's surface moves [m/s].
struct ContactWall {
  int owner = -1;
  Vec3 velocity{0, 0, 0};
  bool placed = false;

  MERGANSER_METHOD static ContactWall of(const WallView& walls, const Vec3& x) {
    ContactWall nearest;
    float least = 3e38f;
    for (int k = 0; k < walls.count; ++k) {
      const Wall& wall = walls.data[k];
      const WallDistance at = wall.at(x);
      if (at.distance >= least) continue;
      least = at.distance;
      nearest.owner = wall.owner;
      nearest.velocity = wall.velocity_at(x, at);
      nearest.placed = wall.placed;
    }
    return nearest;
  }
};

/// What a solve gave to one wall. Launch over the part's particles.
struct ContactWallLoad {
  static constexpr const char* name = "implicit wall loads";
  WallView walls;
  View<const Vec3> position;  ///< [m] local indices
  View<const Vec3> impulse;   ///< [N s] J
  MeasuredWall measured;
  MERGANSER_METHOD WallLoad operator()(int i) const {
    const Vec3 p = impulse[i];
    if (p == Vec3{0, 0, 0}) return {};
    const ContactWall nearest = ContactWall::of(walls, position[i]);
    if (nearest.owner != measured.owner) return {};
    return WallLoad::of(to_double(p), to_double(position[i]), measured.centre, to_double(nearest.velocity));
  }
};

/// A row's entries of the ledger for the impulse J that walls gave within the solve, v and v' the velocities
/// at the beginning and the end of the step:
///   walls         -J.(v + v')/2, what it takes from the kinetic energy; of walls that move with J.v_wall,
///                 which is work as well
///   integration   less J.(v' - v)/2, which is in m (v' - v)^2/2
struct ContactWallEntries {
  View<const Vec3> impulse;             ///< [N s] J, local indices; or empty
  View<const Vec3> position, velocity;  ///< [m], [m/s] v, likewise
  WallView walls;
  /// Of row i, which ends with the velocity `end` [m/s]; adds them and returns J.
  MERGANSER_METHOD Vec3d add_to(StepExchange& exchange, int i, const Vec3d& end) const {
    if (impulse.empty() || impulse[i] == Vec3{0, 0, 0}) return {0, 0, 0};
    const Vec3d given = to_double(impulse[i]);
    const ContactWall nearest = ContactWall::of(walls, position[i]);
    const double work = nearest.placed ? dot(given, to_double(nearest.velocity)) : 0;
    const Vec3d begin = to_double(velocity[i]);
    exchange.wall_impulse += given;
    exchange.walls += work - 0.5 * dot(given, begin + end);
    exchange.integration -= 0.5 * dot(given, end - begin);
    exchange.work += work;
    return given;
  }
};

/// Of an implicit part.
class ContactWalls {
 public:
  explicit ContactWalls(int count) : impulse_(count) {}
  View<Vec3> impulse() { return impulse_.view(); }
  /// Walls with names get what they give within solves.
  void measure_loads(const std::vector<WallParameters>& walls) { loads_ = WallLoads(walls); }
  /// impulse() holds what a solve has found for the particles `range`.
  void sum_loads(const StepContext& step, Range range) {
    loads_.sum(range.count, step.time, [&](const MeasuredWall& wall) {
      return ContactWallLoad{step.walls,
                             step.particles.position.const_view().subview(range.first, range.count),
                             impulse_.const_view(), wall};
    });
  }
  /// On the k-th of them, as of the last fetch_results().
  WallLoad load(int k) const { return loads_.fetched(k); }
  ContactWallEntries entries(const StepContext& step, Range range) const {
    const auto own = [range](const Array<Vec3>& all) {
      return all.const_view().subview(range.first, range.count);
    };
    return {impulse_.const_view(), own(step.particles.position), own(step.particles.velocity), step.walls};
  }

 private:
  Array<Vec3> impulse_;
  WallLoads loads_;
};

MERGANSER_END
