#pragma once
/// The field that keeps apart what is not linked, in all points of a brick. [TN] eq. 3, 4 and 8:
///   g_i(x) = f_i(x) + sum over links (1 - (1 - a_ij)^3) f_j(x)
///   phi(x) = (sum_i g_i(x)^s/(|G_i| + 1))^(1/s)
/// The field is S phi/phi_N: phi_N is phi with all neighbors within 2h in g_i, linked or not. Where
/// everything is linked phi = phi_N, so it joins the plain sum S, which [TN] sec. 6.3 takes away from
/// adjusted neighborhoods, without a step; phi alone is there some percent smaller than S, because not every
/// g_i holds all of it. |G_i| counts a link by its weight in g_i, so that the field does not jump when links
/// appear.
#include <algorithm>
#include <vector>

#include "solvers/geometry/surface/sum_field.h"

MERGANSER_BEGIN

/// Limits of the sums for phi ([TN] sec. 6.3).
struct BlendLimits {
  float radius;      ///< [m] particles i further from the brick are left out
  float stop_above;  ///< sum of (g_i/C)^s beyond which a point is far inside
  float skip_below;  ///< bricks whose S is below this everywhere are far outside and keep it
};
inline constexpr float far_inside = 1.35f;   ///< in C: linear interpolation along a cell sees no more of it
inline constexpr float far_outside = 0.45f;  ///< in C

/// 1 where an adjusted particle is near enough to the brick to count in phi.
struct FlagTopologicalBricks {
  static constexpr const char* name = "surface flag topological bricks";
  FieldParticlesView particles;
  BrickLattice lattice;
  View<const Word64> key;
  float radius;  ///< [m] as in BlendLimits
  int first;     ///< slots from here on
  View<int> flag;
  MERGANSER_METHOD void operator()(int t) const {
    const PointBox box = brick_box(lattice, brick_of_key(key[first + t]));
    const float radius2 = radius * radius;
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

#if MERGANSER_GPU_HALF
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
    float sum = 0, whole = 0;
    for_each_near_box(particles, box, limits.radius, [&](int k) {
      if (sum > limits.stop_above) return;
      float g = contribution(kernel, x, k), all = 0;
      const int i = particles.grid.order[k];
      for (int e = particles.graph.first[i]; e < particles.graph.first[i + 1]; ++e)
        if (particles.graph.linked.data[e])
          g += blending_weight(particles.graph.age.data[e]) *
               contribution(kernel, x, rank.data[particles.graph.neighbor.data[e]]);
      if (particles.adjusted(k))
        particles.grid.for_each_neighbor(
            particles.position(k), 2 * particles.h,
            [&](int j, const Vec3&, float) { all += contribution(kernel, x, j); });
      else
        all = g;
      sum += sharpened(g) * particles.inverse_links.data[k];
      whole += sharpened(all) * particles.inverse_links.data[k];
    });
    result *= linked_share(sum, whole);
  }

 private:
  MERGANSER_METHOD float contribution(const FieldKernel& kernel, const Vec3& x, int j) const {
    return particles.volume.data[j] *
           fifth_power(kernel_rest(kernel, norm_squared(x - particles.position(j))));
  }
};
#else
/// Data that a thread keeps from brick to brick.
struct BlendScratch {
  std::vector<int> column_of;      ///< by caller's index: column in `f`, -1 outside the brick's reach
  std::vector<int> column_holder;  ///< particles in cell order that have a column
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
    Float8 sum[vectors] = {}, whole[vectors] = {};
    bool inside = false;
    for_each_near_box(particles, box, limits.radius, [&](int k) {
      if (!inside) inside = add_blend(k, scratch, sum, whole);
    });
    for (int holder : scratch.column_holder) scratch.column_of[size_t(particles.grid.order[holder])] = -1;
    for (int p = 0; p < brick_points; ++p) {
      const int l = p / lane_count, lane = p % lane_count;
      result[p] *= linked_share(sum[l][lane], whole[l][lane]);
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
      scratch.column_holder.push_back(j);
      for (const Float8& r : rest) scratch.f.push_back(particles.volume.data[j] * fifth_power(r));
    });
  }
  /// Adds (g_i/C)^s/(|G_i| + 1) for phi and phi_N; true where all points are far inside then.
  bool add_blend(int k, BlendScratch& scratch, Float8* sum, Float8* whole) const {
    Float8 g[vectors] = {}, all[vectors] = {};
    const bool adjusted = particles.adjusted(k);
    const int linked = find_links(k, scratch);
    if (linked == 0 && !adjusted) return false;
    add_columns(linked, scratch, g);
    if (adjusted) add_columns(find_near(k, scratch), scratch, all);
    const float share = particles.inverse_links.data[k];
    Int8 below{};
    for (int l = 0; l < vectors; ++l) {
      const Float8 part = share * sharpened(g[l]);
      sum[l] += part;
      whole[l] += adjusted ? share * sharpened(all[l]) : part;
      below |= sum[l] <= limits.stop_above;
    }
    for (int lane = 0; lane < lane_count; ++lane)
      if (below[lane]) return false;
    return true;
  }
  /// scratch.links <- the particle and its links that have a column; their number.
  int find_links(int k, BlendScratch& scratch) const {
    const int i = particles.grid.order[k];
    const NeighborGraphView& graph = particles.graph;
    const int begin = graph.first[i], end = graph.first[i + 1];
    const size_t most = std::max(size_t(end - begin), scratch.column_holder.size()) + 1;
    if (scratch.links.size() < most) scratch.links.resize(most);
    BlendScratch::Link* const links = scratch.links.data();
    int held = 0;
    const auto add_link = [&](int j, float age, bool linked) {  // without branches: most rows reach out
      links[held] = {scratch.column_of[size_t(j)], age};
      held += linked & (links[held].column >= 0);
    };
    add_link(i, 1, true);
    for (int e = begin; e < end; ++e)
      add_link(graph.neighbor.data[e], graph.age.data[e], graph.linked.data[e] != 0);
    return held;
  }
  /// The same with all particles within 2h.
  int find_near(int k, BlendScratch& scratch) const {
    const Vec3 x = particles.position(k);
    const float support2 = 4 * particles.h * particles.h;
    int held = 0;
    for (size_t c = 0; c < scratch.column_holder.size(); ++c) {
      scratch.links[size_t(held)] = {static_cast<int>(c), 1};
      held += norm_squared(particles.position(scratch.column_holder[c]) - x) < support2;
    }
    return held;
  }
  static void add_columns(int count, const BlendScratch& scratch, Float8* g) {
    for (int c = 0; c < count; ++c) {
      const float weight = blending_weight(scratch.links[size_t(c)].age);
      const Float8* const column = scratch.f.data() + vectors * size_t(scratch.links[size_t(c)].column);
      for (int l = 0; l < vectors; ++l) g[l] += weight * column[l];
    }
  }
};
#endif

MERGANSER_END
