#pragma once
/// Source terms of the pressure solves, and the forces that act between them.
#include "solvers/methods/dfsph/compression_mean.h"
#include "solvers/methods/dfsph/factors.h"
#include "solvers/methods/dfsph/pressure_kernels.h"
#include "solvers/methods/dfsph/velocity_gradient.h"

MERGANSER_BEGIN

struct PackVelocities {
  static constexpr const char* name = "dfsph pack velocities";
  View<const Vec3> velocity;  ///< [m/s]
  View<Quad> packed;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 v = velocity[i];
    packed[i] = {v.x, v.y, v.z, 0};
  }
};

/// What walls add to D(rho_i/rho0)/Dt of a particle of the velocity, see factors.h. Velocities of walls
/// count.
template <class Shapes>
MERGANSER_FN float rate_at_walls(const Quad& velocity, const Quad& at_wall, const Shapes& walls,
                                 const DfsphWallFill& fill, int i, const Vec3& x) {
  float rate = 0;
  if (!(at_wall.w < 1)) return rate;
  for_each_near_wall(walls, fill, i, x, [&](const Wall&, const WallShare& share) {
    const Vec3 u = Vec3{velocity.x, velocity.y, velocity.z} - share.velocity;
    rate += 2 * dot(u, share.normal) * (share.slope / share.open * at_wall.w);
  });
  return rate;
}

/// Density that the velocities v lead to, less that at rest and less what later steps take away:
///   c_i - (1 - slow_share) m_i + dt D(rho_i/rho0)/Dt,   c_i = rho_i/rho0 - 1 - e_i,
/// e the excess at rest (RestExcess), m the smooth part of c: the mean over neighbors of a mean that is
/// packed with positions. How much of it a step takes away: compression_mean.h.
template <class Kernel, class Shapes = WallView>
struct DensitySource {
  static constexpr const char* name = "dfsph density source";
  RowPairs<Kernel> pairs;     ///< w of its quads is a mean of the compression
  View<const Quad> velocity;  ///< [m/s]
  View<const Quad> wall;
  Shapes walls;
  DfsphWallFill fill;
  float dt;                       ///< [s]
  View<const float> compression;  ///< rho/rho0 - 1
  View<const float> excess;       ///< e
  float bound;                    ///< of the smooth part
  CompressionBounds bounds;
  View<const float> pressure;  ///< [Pa] of the last step
  View<const float> mobility;  ///< [m^3/kg]
  float reach;                 ///< [m^2/s^2] |g| h: below it p/rho is that of free fall
  View<float> source;          ///< written
  MERGANSER_METHOD void operator()(int i) const {
    const RateAndMean found = rate_and_mean(pairs, velocity, i);
    const bool falls = !(reach > 0) || pressure[i] * mobility[i] < reach;
    const float rate = found.rate + rate_at_walls(velocity[i], wall[i], walls, fill, i, pairs.place(i));
    source[i] = compression_now(compression[i] - excess[i], found.mean, bound, bounds, falls) + dt * rate;
  }
};

/// dt D(rho_i/rho0)/Dt, and no part in the solve for particles with few neighbors: in splashes and at the rim
/// their density says nothing (Bender & Koschier 2017, sec. 3.3). On the way finds where the density solve
/// starts: both need the same pairs.
template <class Kernel, class Shapes = WallView>
struct DivergenceSource {
  static constexpr const char* name = "dfsph divergence source";
  RowPairs<Kernel> pairs;     ///< w of its quads as PackPressureChanges leaves it
  View<const Quad> velocity;  ///< [m/s]
  View<const Quad> wall;
  Shapes walls;
  DfsphWallFill fill;
  float dt;               ///< [s]
  float least_neighbors;  ///< of a particle away from walls
  View<const int> neighbors;
  View<const float> inverse_diagonal;  ///< [Pa s^2]
  View<float> source;                  ///< written
  View<float> part;                    ///< inverse_diagonal or 0, written
  FollowPressures follow = {};         ///< its `mean` is not read; empty: nothing to find
  MERGANSER_METHOD void operator()(int i) const {
    const RateAndMean found = rate_and_mean(pairs, velocity, i);
    follow.from(i, found.mean);
    const bool few = static_cast<float>(neighbors[i]) < least_neighbors * wall[i].w;
    part[i] = few ? 0.0f : inverse_diagonal[i];
    source[i] =
        few ? 0.0f : dt * (found.rate + rate_at_walls(velocity[i], wall[i], walls, fill, i, pairs.place(i)));
  }
};

/// Along walls: how much of g the pressures p of the last step hold, with m what a sum misses of g there
/// (missed_at_walls):
///   held_i = a_i.m_i/(1 - lambda_i),   a_i = V/m_i sum_j V (p_j - p_i) grad W_ij,   weight_i = g.m_i,
/// so held = weight in a fluid at rest and 0 in one that runs down a slope. Differences of pressures, for
/// their level must not count. Packs what follows from the same pressures on the way: one launch less.
template <class Kernel, class Shapes = WallView>
struct HeldAlongWalls {
  static constexpr const char* name = "dfsph held along walls";
  RowPairs<Kernel> pairs;
  View<const Quad> wall;
  Shapes walls;
  DfsphWallFill fill;
  View<const float> mobility;  ///< [m^3/kg] V/m_i
  View<const float> pressure;  ///< [Pa]
  Vec3 gravity;                ///< [m/s^2]
  View<float> held, weight;    ///< [m^2/s^4], written; 0 where nothing is missing
  PackPressureChanges pack;
  MERGANSER_METHOD void operator()(int i) const {
    pack(i);
    held[i] = weight[i] = 0;
    if (!(wall[i].w < 1)) return;
    const Vec3 missed = missed_at_walls(walls, fill, i, pairs.place(i), gravity).along;
    const float all = dot(missed, gravity);
    if (!(all > least_along * norm_squared(gravity))) return;
    const Lanes own = broadcast(pressure[i]);
    const Vector3<Lanes> m = broadcast(missed);
    Lanes sum{};
    pairs.template for_each<false>(i, [&](const auto* at, const Vector3<Lanes>& d, Lanes r, Lanes) {
      const Lanes higher = gather_numbers(pressure.data + i, at) - own;
      sum += pairs.kernel.gradient_factor(r) * higher * (d.x * m.x + d.y * m.y + d.z * m.z);
    });
    held[i] = mobility[i] * pairs.volume * sum_of_lanes(sum) / wall[i].w;
    weight[i] = all;
  }

 private:
  static constexpr float least_along = 1e-4f;  ///< of gravity: less than this of it is missing
};

/// s_i = 3 sum_j W_ij held_j/sum_j W_ij weight_j - 1/2, held in [0, 1]: pressures of single particles
/// scatter by a part of rho g h, which must neither load a fluid at rest nor hold one that slides.
template <class Kernel>
struct CarriedAlongWalls {
  static constexpr const char* name = "dfsph carried along walls";
  RowPairs<Kernel> pairs;
  View<const float> held, weight;  ///< [m^2/s^4]
  View<float> carried;             ///< s, written
  MERGANSER_METHOD void operator()(int i) const {
    carried[i] = 0;
    if (!(weight[i] > 0)) return;
    Lanes sum{}, all{};
    pairs.template for_each<false>(i, [&](const auto* at, const Vector3<Lanes>&, Lanes r, Lanes) {
      const Lanes value = pairs.kernel.value(r);
      sum += value * gather_numbers(held.data + i, at);
      all += value * gather_numbers(weight.data + i, at);
    });
    const float self = pairs.weight_of_itself(i);
    const float share = (sum_of_lanes(sum) + self * held[i]) / (sum_of_lanes(all) + self * weight[i]);
    const float steep = 3 * share - 0.5f;
    carried[i] = steep < 0 ? 0.0f : steep < 1 ? steep : 1.0f;
  }
};

/// The change of velocity by pressure behind walls that differs from the particle's own: -dt (I - C) g, as in
/// a fluid at rest, see missed_at_walls() (Adami, Hu, Adams 2012, eq. 27, with walls that do not accelerate).
/// Across a wall it fades where the pressure is below rho g h, so that what falls freely feels none; along a
/// wall it goes with what the fluid there carries of its weight, see CarriedAlongWalls. (With C^-1 in the
/// matrix the same pressures follow without g, but the matrix is then far from symmetric and the iterations
/// diverge.)
template <class Shapes = WallView>
struct PressureBehindWalls {
  static constexpr const char* name = "dfsph walls";
  View<const Quad> position;  ///< x, y, z [m]
  View<const Quad> wall;
  Shapes walls;
  DfsphWallFill fill;
  View<const float> mobility;       ///< [m^3/kg] V/m_i
  View<const float> pressure;       ///< [Pa] of the last step
  View<const float> carried_along;  ///< s_i
  Vec3 gravity;                     ///< [m/s^2]
  float reach;                      ///< [m^2/s^2] |g| h
  float dt;                         ///< [s]
  HeadAtRest head;                  ///< walls carry it already
  View<Vec3> change;                ///< [m/s] added to
  MERGANSER_METHOD void operator()(int i) const {
    if (wall[i].w < 1) change[i] -= dt * missed(i);
  }
  /// [m/s^2] (I - C) g, what of it pressure carries.
  MERGANSER_METHOD Vec3 missed(int i) const {
    const float left = 1 - head.slope(i);
    if (!(left > 0)) return {0, 0, 0};
    const Vec3 x{position[i].x, position[i].y, position[i].z};
    const MissedAtWalls parts = missed_at_walls(walls, fill, i, x, gravity);
    return carried(i) * parts.across + (left * carried_along[i]) * parts.along;
  }
  /// 0 in free fall, 1 where the pressure is rho g h and more.
  MERGANSER_METHOD float carried(int i) const {
    const float height = pressure[i] * mobility[i];
    return (1 - head.slope(i)) * (height < reach ? height / reach : 1.0f);
  }
};

/// a_i = 2 mu V/m_i V sum_j F (v_ij + (G_i + G_j)^T x_ij/2), mu = nu rho0: Morris, Fox, Zhu 1997 (F = W'/r)
/// with what VelocityField adds, so that it does not brake rigid rotation. Walls without slip
/// continue the velocity antisymmetrically: a_i += 2 nu lambda'(d)/d (v_i - v_wall) along the wall.
template <class Kernel, class Shapes = WallView>
struct ExplicitViscosity {
  static constexpr const char* name = "dfsph viscosity";
  RowPairs<Kernel> pairs;
  VelocityField flow;
  View<const Quad> wall;
  Shapes walls;
  WallFillView fill;
  View<const float> mobility;  ///< [m^3/kg] V/m_i
  float dynamic_viscosity;     ///< [Pa s] mu
  float least_wall_distance;   ///< [m] d in lambda'/d is not taken below this
  float dt;                    ///< [s]
  View<Vec3> change;           ///< [m/s] dt a_i is added
  MERGANSER_METHOD void operator()(int i) const {
    Vector3<Lanes> sum{};
    pairs.template for_each<false>(i, [&](const auto* at, const Vector3<Lanes>& d, Lanes r, Lanes) {
      sum += flow.difference(i, at, d) * pairs.kernel.gradient_factor(r);
    });
    Vec3 drag = pairs.volume * Vec3{sum_of_lanes(sum.x), sum_of_lanes(sum.y), sum_of_lanes(sum.z)};
    if (wall[i].w < 1)
      for_each_near_wall(walls, fill, i, pairs.place(i), [&](const Wall& near, const WallShare& share) {
        if (near.no_slip) drag += at_wall(i, share);
      });
    change[i] += (2 * dt * dynamic_viscosity * mobility[i]) * drag;
  }
  /// lambda'(d)/d (v_i - v_wall) along the wall.
  MERGANSER_METHOD Vec3 at_wall(int i, const WallShare& share) const {
    const Quad& own = flow.velocity.data[i];
    const Vec3 u = Vec3{own.x, own.y, own.z} - share.velocity;
    const float d = share.distance > least_wall_distance ? share.distance : least_wall_distance;
    return (u - share.normal * dot(u, share.normal)) * (share.slope / d);
  }
};

MERGANSER_END
