#pragma once
/// Fluid that fills its vessel, without a free surface.
///
/// Off its lattice such a fluid has greater sums of kernels at the same volume. Solves that take this for
/// compression find pressures that resist shear, and flows that mix come to rest. So here
/// - the divergence solve takes away what is exact for linear velocities (ClosedDivergence), by pressures of
///   any sign less their mean;
/// - the density solve, less the mean of its source, moves places and leaves velocities as they are. (The
///   pressure in the velocity that moves particles alone: Adami, Hu, Adams 2013.)
/// - particles part along the gradient of the kernel sum as fast as the fluid shears (Lind, Xu, Stansby,
///   Rogers 2012).
#include "solvers/methods/dfsph/factors.h"
#include "solvers/methods/dfsph/pressure_kernels.h"
#include "solvers/methods/dfsph/velocity_gradient.h"

MERGANSER_BEGIN

/// 1 where fluid has a gap next to it: a place one spacing along an axis that nearly half a spacing or more
/// parts from all walls, and nearly a whole one from all particles. A full vessel has none, for places nearer
/// to its walls cannot be taken.
struct HasGap {
  static constexpr const char* name = "dfsph gaps";
  NeighborRowsView rows;
  View<const Quad> position;
  NearestImage image;
  WallView walls;
  float spacing;  ///< [m]
  MERGANSER_METHOD int operator()(int i) const {
    for (const float step : {-spacing, spacing})
      if (!filled(i, {step, 0, 0}) || !filled(i, {0, step, 0}) || !filled(i, {0, 0, step})) return 1;
    return 0;
  }

 private:
  static constexpr float from_walls = 0.45f, from_particles = 0.9f;  ///< [spacings]
  MERGANSER_METHOD bool filled(int i, const Vec3& step) const {
    const float reach = from_particles * spacing;
    const Vec3 place = at(i) + step;
    for (int k = 0; k < walls.count; ++k)
      if (walls[k].at(place).distance < from_walls * spacing) return true;
    for (int k = 0; k < rows.length[i]; ++k) {
      Vec3 d = at(i) - at(rows.neighbor(i, k));
      image.apply(d);
      if (norm_squared(d + step) < reach * reach) return true;
    }
    return false;
  }
  MERGANSER_METHOD Vec3 at(int i) const { return {position[i].x, position[i].y, position[i].z}; }
};

/// Of h^2 times the gradient of the kernel sum: the share that a particle moves along it per shear, and
/// within one step.
inline constexpr float parting_per_shear = 10, most_parting = 0.1f;

/// dt D(rho_i/rho0)/Dt = -dt tr(B K^-1) with the sums of GradientSums. A wall is like a neighbor on its
/// surface at the distance d: it adds -2 lambda' u_n n n^T to B, u the velocity against the wall's, and -2
/// lambda' d n n^T to K.
template <class Kernel, class Shapes = WallView>
struct ClosedDivergence {
  static constexpr const char* name = "dfsph closed divergence";
  RowPairs<Kernel> pairs;
  View<const Quad> velocity;  ///< [m/s]
  View<const Quad> wall;      ///< G and 1 - lambda
  Shapes walls;
  DfsphWallFill fill;
  float h, dt;                         ///< [m], [s]
  View<const float> inverse_diagonal;  ///< [Pa s^2]
  View<float> part;                    ///< that of all: no particle has too few neighbors; written
  View<float> source;                  ///< written
  View<Vec3> move;                     ///< [m] by which a particle parts from its neighbors; written
  MERGANSER_METHOD void operator()(int i) const {
    GradientSums sums = gradient_sums(pairs, velocity, i);
    const Quad &own = velocity[i], &at_wall = wall[i];
    if (at_wall.w < 1)
      for_each_near_wall(walls, fill, i, pairs.place(i), [&](const Wall&, const WallShare& share) {
        const Vec3 n = share.normal;
        const float weight = -2 * share.slope / share.open * at_wall.w;
        const float closing = weight * dot(Vec3{own.x, own.y, own.z} - share.velocity, n);
        sums.b[0] += (closing * n.x) * n;
        sums.b[1] += (closing * n.y) * n;
        sums.b[2] += (closing * n.z) * n;
        sums.k += outer_product(n, weight * most_of(share.distance, 0.0f));
      });
    const SymmetricMatrix3 inverse_k = inverse(sums.k);
    const Vec3 a = inverse_k * sums.b[0], b = inverse_k * sums.b[1], c = inverse_k * sums.b[2];
    part[i] = inverse_diagonal[i];
    source[i] = part[i] > 0 ? -dt * (a.x + b.y + c.z) : 0.0f;
    const float xy = a.y + b.x, xz = a.z + c.x, yz = b.z + c.y;
    const float shear =
        sqrtf(2 * (a.x * a.x + b.y * b.y + c.z * c.z) + xy * xy + xz * xz + yz * yz);  // |2 D:D|^1/2
    const float share = least_of(parting_per_shear * dt * shear, most_parting);
    move[i] = (-share * h * h) * (sums.crowding + Vec3{at_wall.x, at_wall.y, at_wall.z});
  }
};

/// rho g.x [Pa] of the gravity that moves nothing in a closed vessel.
struct HeadOfRest {
  static constexpr const char* name = "dfsph head of rest";
  View<const Quad> position;
  Vec3 weight;  ///< [N/m^3] rho g
  MERGANSER_METHOD float at(int i) const {
    return dot(weight, Vec3{position[i].x, position[i].y, position[i].z});
  }
};
/// What walls get of it. Sums over particles beside walls do not give p A for pressures p that no solve has
/// found, so these are scaled: together walls get the weight.
struct WallHead {
  float least;          ///< [Pa]
  double moment, area;  ///< sums of p G.w and of G.w, w the weight
  /// [Pa] Of a pressure p, in a vessel of `count` particles.
  MERGANSER_METHOD float at_walls(float p, const Vec3& weight, int count) const {
    const double whole = 2 * (moment - least * area);
    return whole > 0 ? static_cast<float>((p - least) * (count * norm_squared(to_double(weight)) / whole))
                     : p - least;
  }
};
struct FindWallHead {
  static constexpr const char* name = "dfsph wall head";
  using Value = WallHead;
  HeadOfRest head;
  View<const Quad> wall;  ///< G and 1 - lambda
  MERGANSER_METHOD Value operator()(int i) const {
    const float p = head.at(i);
    const double along = dot(head.weight, Vec3{wall[i].x, wall[i].y, wall[i].z});
    return {p, p * along, along};
  }
  MERGANSER_METHOD static Value identity() { return {1e30f, 0, 0}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {least_of(a.least, b.least), a.moment + b.moment, a.area + b.area};
  }
};

/// The pressures of a closed vessel's divergence solve become what they are beyond the mean, which presses
/// nothing. Walls get the head of rest besides.
struct LessMeanPressure {
  static constexpr const char* name = "dfsph less mean pressure";
  HeadOfRest head;
  View<const WallHead> wall_head;
  View<PressureState> state;  ///< its level follows
  View<float> pressure;       ///< [Pa] updated
  View<float> at_walls;       ///< [Pa] the last pressures, updated
  MERGANSER_METHOD void operator()(int i) const {
    const float mean = state[0].mean_pressure;
    pressure[i] -= mean;
    at_walls[i] += wall_head[0].at_walls(head.at(i), head.weight, pressure.count) - mean;
    if (i == 0) state[0].level -= mean;
  }
};

/// The pressure of frames: above the level, with the head of rest above its least.
struct PackAboveLevel {
  static constexpr const char* name = "dfsph pack above level";
  View<const float> pressure;  ///< [Pa]
  View<const PressureState> state;
  View<Quad> packed;  ///< w written
  MERGANSER_METHOD void operator()(int i) const { packed[i].w = pressure[i] - state[0].level; }
};
struct AddHead {
  static constexpr const char* name = "dfsph add head";
  HeadOfRest head;
  View<const WallHead> wall_head;
  View<float> pressure;  ///< [Pa] updated
  MERGANSER_METHOD void operator()(int i) const { pressure[i] += head.at(i) - wall_head[0].least; }
};

struct SourceOf {
  static constexpr const char* name = "dfsph source sum";
  View<const float> source;
  MERGANSER_METHOD double operator()(int i) const { return source[i]; }
};
struct LessMeanSource {
  static constexpr const char* name = "dfsph less mean source";
  View<const double> sum;
  View<float> source;  ///< updated
  MERGANSER_METHOD void operator()(int i) const { source[i] -= static_cast<float>(sum[0] / source.count); }
};

/// By how far places move beside v: dt^2 a + parting, a by the density solve. What is held stays.
struct AddToMoves {
  static constexpr const char* name = "dfsph moves";
  View<const Quad> acceleration;  ///< [m/s^2]
  View<const float> mobility;     ///< [m^3/kg]
  float dt;                       ///< [s]
  View<Vec3> move;                ///< [m] of parting, updated
  MERGANSER_METHOD void operator()(int i) const {
    const Quad& a = acceleration[i];
    move[i] = mobility[i] > 0 ? move[i] + (dt * dt) * Vec3{a.x, a.y, a.z} : Vec3{0, 0, 0};
  }
};
struct MovePlaces {
  static constexpr const char* name = "dfsph move places";
  View<const Vec3> move;  ///< [m]
  View<Vec3> position;    ///< [m] updated
  MERGANSER_METHOD void operator()(int i) const { position[i] += move[i]; }
};

MERGANSER_END
