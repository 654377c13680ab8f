#pragma once
/// The field in one point, with what vertices need besides: its gradient and the fluid's velocity.
#include "device/lanes.h"
#include "solvers/geometry/surface/field_particles.h"

MERGANSER_BEGIN

/// The field in one point, its gradient, and f-weighted velocities.
struct SurfaceSample {
  float value = 0;
  Vec3 gradient{0, 0, 0};  ///< [1/m]
  Vec3 velocity{0, 0, 0};  ///< [m/s] sum of f_j v_j
};

/// S(x) and what belongs to it.
MERGANSER_FN SurfaceSample sum_sample(const FieldParticlesView& particles, const Vec3& x) {
  const FieldKernel kernel(particles.h);
  Lanes value{};
  Vector3<Lanes> gradient{}, velocity{};
  particles.grid.for_each_range(x, 2 * particles.h, [&](int begin, int end, const Vec3&) {
    for (int j = begin; j < end; j += lane_count) {
      const Vector3<Lanes> d{x.x - load_lanes(particles.x.data + j), x.y - load_lanes(particles.y.data + j),
                             x.z - load_lanes(particles.z.data + j)};
      const Lanes t = kernel_rest(kernel, norm_squared(d));
      const Lanes volume = first_lanes(load_lanes(particles.volume.data + j), end - j);
      const Lanes f = volume * fifth_power(t);
      value += f;
      gradient += (volume * kernel_gradient_factor(kernel, t)) * d;
      velocity += f * Vector3<Lanes>{load_lanes(particles.vx.data + j), load_lanes(particles.vy.data + j),
                                     load_lanes(particles.vz.data + j)};
    }
  });
  const auto sums = [](const Vector3<Lanes>& v) {
    return Vec3{sum_of_lanes(v.x), sum_of_lanes(v.y), sum_of_lanes(v.z)};
  };
  return {sum_of_lanes(value), sums(gradient), sums(velocity)};
}

/// g_i in a point, or what stands in its place with all neighbors.
struct BlendSample {
  FieldKernel kernel;
  Vec3 x;
  SurfaceSample sum;
  MERGANSER_METHOD void add(const FieldParticlesView& particles, int j, float weight) {
    const Vec3 d = x - particles.position(j);
    const float t = kernel_rest(kernel, norm_squared(d));
    if (!(t > 0)) return;
    const float volume = weight * particles.volume.data[j], f = volume * fifth_power(t);
    sum.value += f;
    sum.gradient += (volume * kernel_gradient_factor(kernel, t)) * d;
    sum.velocity += f * particles.velocity(j);
  }
};

/// The field of topological_field.h in one point and what belongs to it, from the particles i within `radius`
/// [m]. Without a graph, or where none of them is adjusted, the plain sum.
MERGANSER_FN SurfaceSample surface_sample(const FieldParticlesView& particles, View<const int> rank,
                                          const Vec3& x, float radius) {
  const SurfaceSample plain = sum_sample(particles, x);
  if (particles.adjusted_before.empty()) return plain;
  bool adjusted = false;
  particles.grid.for_each_range(x, radius, [&](int begin, int end, const Vec3&) {
    adjusted = adjusted || particles.adjusted_before.data[begin] != particles.adjusted_before.data[end];
  });
  if (!adjusted) return plain;
  float sum = 0, whole = 0;
  Vec3 sum_gradient{0, 0, 0}, whole_gradient{0, 0, 0}, velocity{0, 0, 0};  // s times these, per C
  particles.grid.for_each_neighbor(x, radius, [&](int k, const Vec3&, float) {
    BlendSample linked{FieldKernel(particles.h), x, {}}, all = linked;
    linked.add(particles, k, 1);
    const int i = particles.grid.order[k];
    for (int e = particles.graph.first[i]; e < particles.graph.first[i + 1]; ++e)
      if (particles.graph.linked.data[e])
        linked.add(particles, rank.data[particles.graph.neighbor.data[e]],
                   blending_weight(particles.graph.age.data[e]));
    if (particles.adjusted(k))
      particles.grid.for_each_neighbor(particles.position(k), 2 * particles.h,
                                       [&](int j, const Vec3&, float) { all.add(particles, j, 1); });
    else
      all = linked;
    const float weight = particles.inverse_links.data[k], slope = weight * sharpened_slope(linked.sum.value);
    sum += weight * sharpened(linked.sum.value);
    sum_gradient += slope * linked.sum.gradient;
    velocity += slope * linked.sum.velocity;
    whole += weight * sharpened(all.sum.value);
    whole_gradient += (weight * sharpened_slope(all.sum.value)) * all.sum.gradient;
  });
  if (!(sum > 0)) return plain;
  // S R with R = (sum/whole)^(1/s): grad R = R (sum_gradient/sum - whole_gradient/whole)/C.
  const float share = linked_share(sum, whole), value = share * plain.value;
  return {value,
          share * plain.gradient + (value / field_iso_value) * (sum_gradient / sum - whole_gradient / whole),
          (value / (field_iso_value * sum)) * velocity};
}

MERGANSER_END
