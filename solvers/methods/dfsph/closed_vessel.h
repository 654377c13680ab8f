#pragma once
/// Fluid that fills its vessel (../fluid/full_vessel.h). Here
/// - the divergence solve takes away what is exact for linear velocities (ClosedDivergence), by pressures of
///   any sign less their mean;
/// - the density solve, less the mean of its source, moves places and leaves velocities as they are. (The
///   pressure in the velocity that moves particles alone: Adami, Hu, Adams 2013.)
#include "solvers/methods/dfsph/factors.h"
#include "solvers/methods/dfsph/pressure_kernels.h"
#include "solvers/methods/dfsph/velocity_gradient.h"
#include "solvers/methods/fluid/full_vessel.h"

MERGANSER_BEGIN

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
    move[i] = (-parting_share(shear, dt) * h * h) * (sums.crowding + Vec3{at_wall.x, at_wall.y, at_wall.z});
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

/// The pressure of frames, above the level.
struct PackAboveLevel {
  static constexpr const char* name = "dfsph pack above level";
  View<const float> pressure;  ///< [Pa]
  View<const PressureState> state;
  View<Quad> packed;  ///< w written
  MERGANSER_METHOD void operator()(int i) const { packed[i].w = pressure[i] - state[0].level; }
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

MERGANSER_END
