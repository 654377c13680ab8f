#pragma once
/// The standard field S(x) = sum_j m_j/rho_j W(|x - x_j|), [TN] eq. 1, in all points of a brick and, with
/// what vertices need besides, in one point.
#include "device/lanes.h"
#include "solvers/geometry/surface/brick_grid.h"
#include "solvers/geometry/surface/field_particles.h"

MERGANSER_BEGIN

/// Points low to high of the grid, both included: a brick or half of one.
struct PointBox {
  Vec3 low, high;  ///< [m]

  MERGANSER_METHOD Vec3 centre() const { return 0.5f * (low + high); }
  /// From the centre to a corner [m].
  MERGANSER_METHOD float half_diagonal() const { return 0.5f * norm(high - low); }
  /// Squared distance of x from the box [m^2].
  MERGANSER_METHOD float distance2(const Vec3& x) const {
    const float dx = gap(x.x, low.x, high.x), dy = gap(x.y, low.y, high.y), dz = gap(x.z, low.z, high.z);
    return dx * dx + dy * dy + dz * dz;
  }

 private:
  MERGANSER_METHOD static float gap(float x, float low, float high) {
    return x < low ? low - x : x > high ? x - high : 0.0f;
  }
};

/// The points of a brick.
MERGANSER_FN PointBox brick_box(const BrickLattice& lattice, const Int3& brick) {
  return {lattice.position(BrickLattice::point(brick, 0)),
          lattice.position(BrickLattice::point(brick, brick_points - 1))};
}

/// Calls visit(k) for every particle that is nearer to the box than `radius` [m], in a fixed order.
template <class Visit>
MERGANSER_FN void for_each_near_box(const FieldParticlesView& particles, const PointBox& box, float radius,
                                    const Visit& visit) {
  const float radius2 = radius * radius;
  particles.grid.for_each_range(box.centre(), radius + box.half_diagonal(),
                                [&](int begin, int end, const Vec3&) {
                                  for (int k = begin; k < end; ++k)
                                    if (box.distance2(particles.position(k)) < radius2) visit(k);
                                });
}

#if MERGANSER_GPU_HALF
/// One thread a point. The threads of a warp walk the same particles.
struct BrickSum {
  static constexpr const char* name = "surface sum field";
  static constexpr int threads_per_brick = brick_points;
  FieldParticlesView particles;
  BrickLattice lattice;
  View<const Word64> key;
  View<const int> slot;  ///< of the bricks to fill
  View<float> value;     ///< 64 a slot
  MERGANSER_METHOD void operator()(int t) const {
    const int brick = slot[t / brick_points], bit = t % brick_points;
    const Int3 at = brick_of_key(key[brick]);
    const Vec3 x = lattice.position(BrickLattice::point(at, bit));
    const FieldKernel kernel(particles.h);
    float sum = 0;
    for_each_near_box(particles, brick_box(lattice, at), 2 * particles.h, [&](int j) {
      sum += particles.volume.data[j] *
             fifth_power(kernel_rest(kernel, norm_squared(x - particles.position(j))));
    });
    value.data[size_t(brick) * brick_points + bit] = sum;
  }
};
#else
/// The points of a brick as lanes, eight points x + 4 (y % 2) a vector, two vectors a layer along z.
struct BrickLanes {
  Vec3 origin;  ///< [m] lower corner
  float cell;
  FieldKernel kernel;

  BrickLanes(const PointBox& box, float cell_size, float h) : origin(box.low), cell(cell_size), kernel(h) {}
  /// kernel_rest() in all points for a particle at x: the part of x and y, computed once, less that of z.
  void rests(const Vec3& x, Float8* rest) const {
    const Float8 column{0, 1, 2, 3, 0, 1, 2, 3}, row{0, 0, 0, 0, 1, 1, 1, 1};
    const float inverse = kernel.inverse_support2;
    const Float8 dx = column * cell + (origin.x - x.x);
    const Float8 dy = row * cell + (origin.y - x.y), dy_far = dy + 2 * cell;
    const Float8 near = 1.0f - inverse * (dx * dx + dy * dy),
                 far = 1.0f - inverse * (dx * dx + dy_far * dy_far);
    for (int z = 0; z < brick_side; ++z) {
      const float dz = origin.z + float(z) * cell - x.z, part = inverse * dz * dz;
      const Float8 a = near - part, b = far - part;
      rest[2 * z] = a > 0.0f ? a : 0.0f;
      rest[2 * z + 1] = b > 0.0f ? b : 0.0f;
    }
  }
};

struct BrickSum {
  static constexpr const char* name = "surface sum field";
  static constexpr int threads_per_brick = 1;
  FieldParticlesView particles;
  BrickLattice lattice;
  View<const Word64> key;
  View<const int> slot;  ///< of the bricks to fill
  View<float> value;     ///< 64 a slot
  void operator()(int t) const {
    const int brick = slot[t];
    const PointBox box = brick_box(lattice, brick_of_key(key[brick]));
    const BrickLanes lanes(box, lattice.cell, particles.h);
    Float8 sum[8] = {};
    for_each_near_box(particles, box, 2 * particles.h, [&](int j) {
      Float8 rest[8];
      lanes.rests(particles.position(j), rest);
      const float volume = particles.volume.data[j];
      for (int l = 0; l < 8; ++l) sum[l] += volume * fifth_power(rest[l]);
    });
    std::memcpy(value.data + size_t(brick) * brick_points, sum, sizeof sum);
  }
};
#endif

MERGANSER_END
