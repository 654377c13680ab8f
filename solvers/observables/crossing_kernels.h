#pragma once
/// Kernels of the crossing counter: what sheet and particles sweep in a step, and which paths pass through
/// it.
#include "device/atomics.h"
#include "device/launch.h"
#include "solvers/core/nearest_image.h"
#include "solvers/observables/crossing_counter.h"
#include "solvers/observables/moving_triangle.h"

MERGANSER_BEGIN

namespace crossing {

constexpr signed char followed = 1, passed = 2;

MERGANSER_FN bool overlap(const Bounds& a, const Bounds& b) {
  return a.low.x <= b.high.x && a.low.y <= b.high.y && a.low.z <= b.high.z && b.low.x <= a.high.x &&
         b.low.y <= a.high.y && b.low.z <= a.high.z;
}

/// Positions on the lattice that moving_triangle.h computes with.
struct Lattice {
  double resolution;  ///< [1/m]
  Vec3 period;        ///< [m]
  MERGANSER_METHOD long long point(float x) const {
    const double most = 2.0e18, at = std::floor(x * resolution + 0.5);
    return static_cast<long long>(at > -most ? at < most ? at : most : -most);
  }
  MERGANSER_METHOD long long offset(float to, float from, float period) const {
    constexpr long long most = 1ll << 40;
    long long d = point(to) - point(from);
    if (period > 0) {
      const long long p = point(period);
      d = 2 * d > p ? d - p : 2 * d < -p ? d + p : d;
    }
    return d > most ? most : d < -most ? -most : d;
  }
  MERGANSER_METHOD LatticePoint offset(const Vec3& to, const Vec3& from) const {
    return {offset(to.x, from.x, period.x), offset(to.y, from.y, period.y), offset(to.z, from.z, period.z)};
  }
};

struct GatherSheet {
  static constexpr const char* name = "crossings gather sheet";
  View<const Vec3> position;
  View<const int> vertex;
  View<Vec3> sheet;
  int first;
  MERGANSER_METHOD void operator()(int k) const { sheet[k] = position[first + vertex[k]]; }
};

/// The box that a triangle sweeps, a little enlarged; the reduction joins all of them.
struct SweepTriangles {
  static constexpr const char* name = "crossings sweep triangles";
  using Value = SweptReach;
  View<const int> corner;
  View<const Vec3> start, end;
  Vec3 period;
  View<Bounds> box;
  View<Vec3> centre;
  MERGANSER_METHOD SweptReach operator()(int t) const {
    const Vec3 origin = start[corner[3 * t]];
    Bounds swept{origin, origin};
    for (int c = 3 * t; c < 3 * t + 3; ++c) {
      const Vec3 a = origin + nearest_image(start[corner[c]] - origin, period),
                 b = origin + nearest_image(end[corner[c]] - origin, period);
      swept = joined(swept, joined({a, a}, {b, b}));
    }
    // Room for the rounding of positions to the lattice and of images.
    const float room = 1e-4f * norm(swept.high - swept.low) + 1e-6f * norm(origin);
    swept.low -= {room, room, room};
    swept.high += {room, room, room};
    box[t] = swept;
    centre[t] = 0.5f * (swept.low + swept.high);
    const float half = 0.5f * norm(swept.high - swept.low);
    return half < 3e38f ? SweptReach{swept, half, 0} : identity();
  }
  MERGANSER_METHOD static SweptReach identity() {
    return {{{3e38f, 3e38f, 3e38f}, {-3e38f, -3e38f, -3e38f}}, 0, 0};
  }
  MERGANSER_METHOD static SweptReach combine(const SweptReach& a, const SweptReach& b) {
    return {joined(a.bounds, b.bounds), b.triangle > a.triangle ? b.triangle : a.triangle,
            b.path > a.path ? b.path : a.path};
  }
};

/// Particles, where they were and how they are followed.
struct Paths {
  View<const Vec3> position;
  View<const int> id;
  View<Vec3> last;
  View<signed char> state;
  int first;
  Vec3 period;
  MERGANSER_METHOD Vec3 step(int k) const {
    return nearest_image(position[first + k] - last[id[first + k]], period);
  }
  /// Calls visit(box) for each image of the path's box that overlaps `bounds`.
  template <class Visit>
  MERGANSER_METHOD void for_each_image(int k, const Bounds& bounds, const Visit& visit) const {
    const Vec3 a = last[id[first + k]], b = a + step(k);
    const Bounds path = joined({a, a}, {b, b});
    for (int z = period.z > 0 ? -1 : 0; z <= (period.z > 0); ++z)
      for (int y = period.y > 0 ? -1 : 0; y <= (period.y > 0); ++y)
        for (int x = period.x > 0 ? -1 : 0; x <= (period.x > 0); ++x) {
          const Vec3 shift{static_cast<float>(x) * period.x, static_cast<float>(y) * period.y,
                           static_cast<float>(z) * period.z};
          const Bounds image{path.low + shift, path.high + shift};
          if (overlap(image, bounds)) visit(image);
        }
  }
};

Paths paths_of(const ParticleStore& particles, int first, Array<Vec3>& last, Array<signed char>& state,
               Vec3 period) {
  return {
      particles.position.const_view(), particles.id.const_view(), last.view(), state.view(), first, period};
}

struct MeetParticles {
  static constexpr const char* name = "crossings meet particles";
  Paths paths;
  CrossingCount* count;
  MERGANSER_METHOD void operator()(int k) const {
    const int i = paths.first + k, id = paths.id[i];
    if (paths.state[id] & followed) return;
    atomic_add(&count->followed, 1);
    paths.state[id] = followed;
    paths.last[id] = paths.position[i];
  }
};

/// Adds the longest path near the sheet to what the sheet sweeps.
struct LongestPath {
  static constexpr const char* name = "crossings longest path";
  using Value = SweptReach;
  Paths paths;
  View<const SweptReach> sheet;
  MERGANSER_METHOD SweptReach operator()(int k) const {
    SweptReach reach = sheet[0];
    const float half = 0.5f * norm(paths.step(k));
    paths.for_each_image(k, sheet[0].bounds, [&](const Bounds&) { reach.path = half < 3e38f ? half : 0; });
    return reach;
  }
  MERGANSER_METHOD static SweptReach identity() { return SweepTriangles::identity(); }
  MERGANSER_METHOD static SweptReach combine(const SweptReach& a, const SweptReach& b) {
    return SweepTriangles::combine(a, b);
  }
};

MERGANSER_FN float larger_size(float a, float b) { return fabsf(a) > fabsf(b) ? fabsf(a) : fabsf(b); }
/// Greatest coordinate of a box, without its sign [m].
MERGANSER_FN float farthest(const Bounds& box) {
  return larger_size(larger_size(larger_size(box.low.x, box.high.x), larger_size(box.low.y, box.high.y)),
                     larger_size(box.low.z, box.high.z));
}
/// Comparisons alone, so that host and device agree.
MERGANSER_FN bool within(const SweptReach& reach, const SearchLimit& limit) {
  return reach.triangle <= limit.triangle && reach.path <= limit.path &&
         farthest(reach.bounds) <= limit.farthest;
}
/// Room for rounding in a search [m].
MERGANSER_FN float slack_of(float triangle, float path, float farthest) {
  return 1e-4f * (triangle + path) + 1e-6f * farthest;
}

struct FollowPaths {
  static constexpr const char* name = "crossings follow";
  Paths paths;
  UniformGridView grid;
  View<const SweptReach> swept;  ///< one
  SearchLimit limit;
  View<const Bounds> box;
  View<const int> corner;
  View<const Vec3> sheet_start, sheet_end;
  Lattice lattice;
  View<signed char> pending;
  CrossingCount* count;

  MERGANSER_METHOD MovingCorner moving(int vertex, const Vec3& start, const Vec3& end) const {
    return {lattice.offset(sheet_start[vertex], start), lattice.offset(sheet_end[vertex], end), vertex};
  }

  MERGANSER_METHOD void operator()(int k) const {
    const SweptReach reach = swept[0];
    if (!within(reach, limit)) return;
    const float slack = slack_of(reach.triangle, reach.path, farthest(reach.bounds));
    const int i = paths.first + k, id = paths.id[i];
    const Vec3 start = paths.last[id], end = paths.position[i];
    int net = 0, hits = 0;
    bool touching = false;
    paths.for_each_image(k, reach.bounds, [&](const Bounds& path) {
      const float radius = reach.triangle + 0.5f * norm(path.high - path.low) + slack;
      grid.for_each_neighbor(0.5f * (path.low + path.high), radius, [&](int j, const Vec3&, float) {
        const int t = grid.order[j];
        if (!overlap(path, box[t])) return;
        const TrianglePassage one =
            passage(moving(corner[3 * t], start, end), moving(corner[3 * t + 1], start, end),
                    moving(corner[3 * t + 2], start, end));
        net += one.passages;
        hits += one.passages < 0 ? -one.passages : one.passages;
        touching = touching || one.touching;
      });
    });
    // While it is on the sheet nothing is decided but what came in pairs: layers passed to and fro.
    const auto magnitude = [](int n) { return n < 0 ? -n : n; };
    const int decided = touching ? 0 : net + pending[id];
    const int passages = hits - magnitude(net) + magnitude(decided);
    pending[id] = static_cast<signed char>(touching ? net + pending[id] : 0);
    paths.last[id] = end;
    if (passages == 0) return;
    atomic_add(&count->passages, passages);
    if (!(paths.state[id] & passed)) atomic_add(&count->particles, 1);
    paths.state[id] = followed | passed;
  }
};

}  // namespace crossing

MERGANSER_END
