#pragma once
/// The field in one point, with what vertices need besides: its gradient and the fluid's velocity.
#include "device/lanes.h"
#include "solvers/surface/field_particles.h"

MERGANSER_BEGIN

/// The field in one point, its gradient, and f-weighted velocities.
struct FieldSample {
  float value = 0;
  Vec3 gradient{0, 0, 0};  ///< [1/m]
  Vec3 velocity{0, 0, 0};  ///< [m/s] sum of f_j v_j
};

/// S(x) and what belongs to it.
MERGANSER_FN FieldSample sum_sample(const FieldParticlesView& particles, const Vec3& x) {
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

/// The field in one point and what belongs to it. Without a graph, or away from adjusted neighborhoods, the
/// sum; else phi of the particles within `radius` [m], its gradient (with the share of phi held fixed) and
/// velocities in proportion.
MERGANSER_FN FieldSample field_sample(const FieldParticlesView& particles, View<const int> rank,
                                      const Vec3& x, float radius) {
  FieldSample plain = sum_sample(particles, x);
  if (particles.adjusted_before.empty()) return plain;
  const FieldKernel kernel(particles.h);
  float nearest2 = 1e30f;
  particles.grid.for_each_range(x, topological_range * particles.h, [&](int begin, int end, const Vec3&) {
    if (particles.adjusted_before.data[begin] == particles.adjusted_before.data[end]) return;
    for (int k = begin; k < end; ++k) {
      const float d2 = norm_squared(x - particles.position(k));
      if (particles.adjusted(k) && d2 < nearest2) nearest2 = d2;
    }
  });
  const float share = topological_share(kernel, nearest2);
  if (!(share > 0)) return plain;
  float sum = 0, slopes = 0;
  Vec3 gradient{0, 0, 0}, velocity{0, 0, 0};
  particles.grid.for_each_neighbor(x, radius, [&](int k, const Vec3&, float) {
    FieldSample g;
    const auto add = [&](int j, float weight) {
      const Vec3 d = x - particles.position(j);
      const float t = kernel_rest(kernel, norm_squared(d));
      if (!(t > 0)) return;
      const float volume = weight * particles.volume.data[j], f = volume * fifth_power(t);
      g.value += f;
      g.gradient += (volume * kernel_gradient_factor(kernel, t)) * d;
      g.velocity += f * particles.velocity(j);
    };
    add(k, 1);
    const int i = particles.grid.order[k];
    for (int e = particles.graph.first[i]; e < particles.graph.first[i + 1]; ++e)
      if (particles.graph.linked.data[e])
        add(rank.data[particles.graph.neighbor.data[e]], blending_weight(particles.graph.age.data[e]));
    const float weight = particles.inverse_links.data[k], slope = weight * sharpened_slope(g.value);
    sum += weight * sharpened(g.value);
    slopes += slope * g.value;
    gradient += slope * g.gradient;
    velocity += slope * g.velocity;
  });
  if (!(sum > 0)) return plain;
  // grad phi = C (1/s) sum^(1/s - 1) s sum_i (g_i/C)^(s-1) grad g_i/C/(|G_i| + 1)
  const float phi = blended(sum), scale = share * phi / (sum * field_iso_value), rest = 1 - share;
  return {rest * plain.value + share * phi, rest * plain.gradient + scale * gradient,
          rest * plain.velocity + (share * phi / slopes) * velocity};
}

MERGANSER_END
