#pragma once
/// The field that keeps apart what is not linked, [TN] eq. 3, 4 and 8, in all points of a brick:
///   g_i(x) = f_i(x) + sum over links (1 - (1 - a_ij)^3) f_j(x)
///   phi(x) = (sum_i g_i(x)^s/(|G_i| + 1))^(1/s)
/// and, away from adjusted neighborhoods, the plain sum (topological_share()). |G_i| counts a link by its
/// weight in g_i, so that phi does not jump when links appear; with all ages 1 it is their number.
#include <vector>

#include "solvers/surface/sum_field.h"

MERGANSER_BEGIN

/// How far, and how long, phi is added up ([TN] sec. 6.3).
struct BlendLimits {
  float radius;      ///< [m] particles i further from the brick are left out
  float stop_above;  ///< sum of (g_i/C)^s beyond which a point is far inside
  float skip_below;  ///< bricks whose S is below this everywhere are far outside: phi is taken to be S
};
inline constexpr float far_inside = 1.25f;   ///< in C: linear interpolation along a cell sees no more of it
inline constexpr float far_outside = 0.45f;  ///< in C

/// 1 where an adjusted particle is near enough to the brick for phi to count.
struct FlagTopologicalBricks {
  static constexpr const char* name = "surface flag topological bricks";
  FieldParticlesView particles;
  BrickLattice lattice;
  View<const Word64> key;
  int first;  ///< slots from here on
  View<int> flag;
  MERGANSER_METHOD void operator()(int t) const {
    const PointBox box = brick_box(lattice, brick_of_key(key[first + t]));
    const float radius = topological_range * particles.h, radius2 = radius * radius;
    bool found = false;
    particles.grid.for_each_range(
        box.centre(), radius + box.half_diagonal(), [&](int begin, int end, const Vec3&) {
          if (found || particles.adjusted_before.data[begin] == particles.adjusted_before.data[end]) return;
          for (int k = begin; k < end && !found; ++k)
            found = particles.adjusted(k) && box.distance2(particles.position(k)) < radius2;
        });
    flag[t] = found;
  }
};

#if MERGANSER_IS_GPU
struct BrickBlend {
  static constexpr const char* name = "surface topological field";
  static constexpr int threads_per_brick = brick_points;
  FieldParticlesView particles;
  View<const int> rank;  ///< caller's index -> cell order
  BrickLattice lattice;
  BlendLimits limits;
  View<const Word64> key;
  View<const int> slot;  ///< of the bricks to fill
  View<float> value;     ///< 64 a slot; holds S, overwritten
  MERGANSER_METHOD void operator()(int t) const {
    const int brick = slot[t / brick_points], bit = t % brick_points;
    const Int3 at = brick_of_key(key[brick]);
    const PointBox box = brick_box(lattice, at);
    const Vec3 x = lattice.position(BrickLattice::point(at, bit));
    const FieldKernel kernel(particles.h);
    float& result = value.data[size_t(brick) * brick_points + bit];
    if (result < limits.skip_below) return;
    float nearest2 = 1e30f, sum = 0;
    for_each_near_box(particles, box, topological_range * particles.h, [&](int k) {
      const float d2 = norm_squared(x - particles.position(k));
      if (particles.adjusted(k) && d2 < nearest2) nearest2 = d2;
    });
    for_each_near_box(particles, box, limits.radius, [&](int k) {
      if (sum > limits.stop_above) return;
      float g = contribution(kernel, x, k);
      const int i = particles.grid.order[k];
      for (int e = particles.graph.first[i]; e < particles.graph.first[i + 1]; ++e)
        if (particles.graph.linked.data[e])
          g += blending_weight(particles.graph.age.data[e]) *
               contribution(kernel, x, rank.data[particles.graph.neighbor.data[e]]);
      sum += sharpened(g) * particles.inverse_links.data[k];
    });
    const float share = topological_share(kernel, nearest2);
    result = (1 - share) * result + share * blended(sum);
  }

 private:
  MERGANSER_METHOD float contribution(const FieldKernel& kernel, const Vec3& x, int j) const {
    return particles.volume.data[j] *
           fifth_power(kernel_rest(kernel, norm_squared(x - particles.position(j))));
  }
};
#else
/// What a thread keeps from brick to brick.
struct BlendScratch {
  std::vector<int> column_of;      ///< by caller's index: column in `f`, -1 outside the brick's reach
  std::vector<int> column_holder;  ///< caller's indices that have a column
  std::vector<Float8> f;           ///< f_j in the brick's points, eight vectors a column
  struct Link {
    int column;
    float age;
  };
  std::vector<Link> links;  ///< of one particle, to those that have a column
};

/// One brick: f_j of all particles in reach once, then every g_i as a sum of columns of it.
struct BrickBlend {
  static constexpr const char* name = "surface topological field";
  static constexpr int threads_per_brick = 1;
  static constexpr int vectors = brick_points / lane_count;
  FieldParticlesView particles;
  View<const int> rank;  ///< caller's index -> cell order
  BrickLattice lattice;
  BlendLimits limits;
  View<const Word64> key;
  View<const int> slot;  ///< of the bricks to fill
  View<float> value;     ///< 64 a slot; holds S, overwritten
  void operator()(int t) const {
    static thread_local BlendScratch scratch;
    const int brick = slot[t];
    float* const result = value.data + size_t(brick) * brick_points;
    if (!reaches(result, limits.skip_below)) return;
    const PointBox box = brick_box(lattice, brick_of_key(key[brick]));
    const BrickLanes lanes(box, lattice.cell, particles.h);
    make_columns(box, lanes, scratch);
    Float8 sum[vectors] = {};
    bool inside = false;
    for_each_near_box(particles, box, limits.radius, [&](int k) {
      if (!inside) inside = add_blend(k, scratch, sum);
    });
    for (int holder : scratch.column_holder) scratch.column_of[size_t(holder)] = -1;

    // Of the nearest adjusted particle: 1 - d^2/(3h)^2.
    const float range = topological_range * particles.h;
    const BrickLanes range_lanes(box, lattice.cell, 0.5f * range);
    Float8 closest[vectors] = {};
    for_each_near_box(particles, box, range, [&](int k) {
      if (!particles.adjusted(k)) return;
      Float8 rest[vectors];
      range_lanes.rests(particles.position(k), rest);
      for (int l = 0; l < vectors; ++l) closest[l] = rest[l] > closest[l] ? rest[l] : closest[l];
    });
    for (int p = 0; p < brick_points; ++p) {
      const int l = p / lane_count, lane = p % lane_count;
      const float share = topological_share(lanes.kernel, (1 - closest[l][lane]) * range * range);
      result[p] = (1 - share) * result[p] + share * blended(sum[l][lane]);
    }
  }

 private:
  static bool reaches(const float* values, float level) {
    for (int p = 0; p < brick_points; ++p)
      if (values[p] >= level) return true;
    return false;
  }
  void make_columns(const PointBox& box, const BrickLanes& lanes, BlendScratch& scratch) const {
    const size_t particle_count = size_t(particles.grid.order.count);
    if (scratch.column_of.size() < particle_count) scratch.column_of.resize(particle_count, -1);
    scratch.column_holder.clear();
    scratch.f.clear();
    for_each_near_box(particles, box, 2 * particles.h, [&](int j) {
      Float8 rest[vectors];
      lanes.rests(particles.position(j), rest);
      scratch.column_of[size_t(particles.grid.order[j])] = static_cast<int>(scratch.column_holder.size());
      scratch.column_holder.push_back(particles.grid.order[j]);
      for (const Float8& r : rest) scratch.f.push_back(particles.volume.data[j] * fifth_power(r));
    });
  }
  /// Adds (g_i/C)^s/(|G_i| + 1); true where all points are far inside then.
  bool add_blend(int k, BlendScratch& scratch, Float8* sum) const {
    const int i = particles.grid.order[k];
    const NeighborGraphView& graph = particles.graph;
    const int begin = graph.first[i], end = graph.first[i + 1];
    if (scratch.links.size() < size_t(end - begin) + 1) scratch.links.resize(size_t(end - begin) + 1);
    BlendScratch::Link* const links = scratch.links.data();
    int held = 0;
    const auto add_link = [&](int j, float age, bool linked) {  // without branches: most rows reach out
      links[held] = {scratch.column_of[size_t(j)], age};
      held += linked & (links[held].column >= 0);
    };
    add_link(i, 1, true);
    for (int e = begin; e < end; ++e)
      add_link(graph.neighbor.data[e], graph.age.data[e], graph.linked.data[e] != 0);
    if (held == 0) return false;
    Float8 g[vectors] = {};
    for (int c = 0; c < held; ++c) {
      const float weight = blending_weight(links[c].age);
      const Float8* const column = scratch.f.data() + vectors * size_t(links[c].column);
      for (int l = 0; l < vectors; ++l) g[l] += weight * column[l];
    }
    const float share = particles.inverse_links.data[k];
    Int8 below{};
    for (int l = 0; l < vectors; ++l) {
      sum[l] += share * sharpened(g[l]);
      below |= sum[l] <= limits.stop_above;
    }
    for (int lane = 0; lane < lane_count; ++lane)
      if (below[lane]) return false;
    return true;
  }
};
#endif

MERGANSER_END
