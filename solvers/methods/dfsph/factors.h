#pragma once
/// Quantities of the present positions that both pressure solves need: densities, the diagonal of their
/// matrix, walls.
#include "solvers/methods/dfsph/apart.h"
#include "solvers/methods/dfsph/row_pairs.h"
#include "solvers/methods/dfsph/wall_density.h"

MERGANSER_BEGIN

/// (I - C) a, what a sum over the fluid's side alone misses of the acceleration a by a pressure that is
/// linear in space: 1 - (1 - lambda + d lambda') of the component along each wall's normal, lambda of the
/// others (wall_fill.h).
struct MissedAtWalls {
  Vec3 across;  ///< [m/s^2] of the components along the normals
  Vec3 along;   ///< [m/s^2] of those along the walls; none at conservative walls, see METHOD.md
};

template <class Shapes>
MERGANSER_FN MissedAtWalls missed_at_walls(const Shapes& walls, const DfsphWallFill& fill, int i,
                                           const Vec3& x, const Vec3& a) {
  Vec3 seen_across = a, seen = a;
  for_each_near_wall(walls, fill, i, x, [&](const Wall&, const WallShare& share) {
    seen_across -= share.normal * (dot(seen_across, share.normal) * (1 - share.open_normal));
    const Vec3 normal = share.normal * dot(seen, share.normal);
    seen = normal * share.open_normal + (seen - normal) * (fill.density.conservative() ? 1.0f : share.open);
  });
  return {a - seen_across, seen_across - seen};
}

/// The diagonal, in 1/(rho0 h^2), that a particle needs to take part in a solve; inside a fluid it is 0.4.
/// Roundings of a density, 1e-7, then give it no greater forces than 1e-4 of compression inside the fluid.
inline constexpr float least_diagonal_share = 1e-6f;

/// Compression below which a particle is at a free surface; that of a lattice's last layer is -0.15.
inline constexpr float free_surface = -0.1f;

/// What particles of solids bring into a solve over several systems: of those with part >= 0 the pairs within
/// the part are left out, for its shape is not the solve's matter, and what these pairs add to rho/rho0 at
/// rest stands in `share`. Of others `share` is what is added to rho/rho0. Empty for one fluid alone.
struct PressureShapes {
  View<const int> part;
  View<const float> share;
  ApartView apart = {};
};

/// What a particle's density has beyond the rest density counts as its rest: a sampling, a lattice that walls
/// cut, or bodies side by side may hold more particles than there is room for. Pushed apart they would gain
/// energy from nothing: V p e of a particle under the pressure p, and in a step dt as much as 1/dt^2.
/// So the fluid keeps the volume that it starts with. What comes apart by itself has less from then on: the
/// bound on its density tightens only where it does not hold the particle, and does no work.
struct RestExcess {
  View<float> of;         ///< e, of each particle; updated. Empty: none
  bool measures = false;  ///< it is what there is now: at the start
  float slack = 0;        ///< by which a density may swing without losing any of it
  MERGANSER_METHOD void follow(int i, float compression) const {
    if (of.empty()) return;
    const float now = compression > 0 ? compression : 0.0f;
    if (measures || now + slack < of[i]) of[i] = measures ? now : now + slack;
  }
};

/// Takes out of rows the pairs within parts and those with what is behind walls; a part and its own images
/// meet as a part and a wall do.
struct LeaveOutPairs {
  static constexpr const char* name = "dfsph leave out pairs";
  View<const int> part;  ///< may be empty
  ApartView apart;
  NeighborRowsView rows;
  View<int> neighbors;      ///< length of the whole row, written
  View<int> first_further;  ///< of the row, updated; may be empty
  MERGANSER_METHOD void operator()(int i) const {
    const int length = rows.length[i], own = part.empty() ? -1 : part[i];
    neighbors[i] = length;
    if (own < 0 && !apart.any_behind) return;
    int kept = 0, left_out = 0;
    for (int k = 0; k < length; ++k)
      if (const int j = rows.neighbor(i, k); meet(i, j, own))
        rows.set(i, kept++, j);
      else
        left_out += j < rows.length.count;
    rows.length[i] = kept;
    if (!first_further.empty()) first_further[i] -= left_out;
    for (; kept % lane_count != 0; ++kept) rows.set(i, kept, i);
  }

 private:
  MERGANSER_METHOD bool meet(int i, int j, int own) const {
    if (j >= rows.length.count) return true;
    return (own < 0 || part[j] != own) && !apart.behind_wall(i) && !apart.behind_wall(j);
  }
};

/// With V the volume of a particle at rest, m its mass, lambda the kernel's share behind walls and
/// G = grad lambda (which points into the wall):
///   rho_i/rho0_i = sum_j V W_ij + lambda_i                                       (number density),
///   D(rho_i/rho0_i)/Dt = sum_j V grad W_ij.(v_i - v_j) + 2 G_i.(v_i - v_wall)     (its rate),
///   a_i = -V/m_i (sum_j V (p_i + p_j) grad W_ij + 2 p_i G_i)                     (pressure force),
/// where j runs over fluid particles, and walls mirror the particle: its pressure, and its motion, so that
/// what is behind the wall comes as near as the particle. Force and rate are then adjoint, the matrix that
/// takes pressures to minus the rate that they cause is symmetric, and a solve adds kinetic energy only where
/// it takes away compression. (With the rate of lambda alone, G, a tank at rest heats up by itself; with the
/// force p_i G, pressures next to walls are off by a factor of two. With both twice as large as the gradient
/// of the density it still heats up, more slowly, see METHOD.md; conservative walls, whose G is half the
/// gradient of their share of the density, do not.) The matrix's diagonal plays the part of 1/alpha_i of
/// Bender & Koschier 2017, eq. 8:
///   A_ii = V/m_i |g_i + 2 G_i|^2 + sum_j V/m_j |V grad W_ij|^2,   g_i = sum_j V grad W_ij.
/// (Densities by volumes and not by masses let fluids of different rest density lie side by side: Solenthaler
/// & Pajarola 2008.)
///
/// A particle that all it meets push less than least_diagonal takes no part in the solves. (An inner particle
/// of a rigid body, with its pairs left out and the rest density, that comes to where a kernel's support ends
/// has A_ii = 1e-17: what rounding leaves of its compression asked for 1e13 Pa and threw the body about.)
template <class Kernel, class Shapes = WallView>
struct DfsphFactors {
  static constexpr const char* name = "dfsph factors";
  RowPairs<Kernel> pairs;  ///< w of its quads is V/m_j
  Shapes walls;
  DfsphWallFill fill;
  float least_diagonal;          ///< [1/(Pa s^2)]
  View<float> compression;       ///< rho/rho0 - 1, written
  View<float> inverse_diagonal;  ///< 1/A_ii [Pa s^2], 0 of those that take no part; written
  View<Quad> wall;               ///< G [1/m] and 1 - lambda; written
  View<const float> share = {};  ///< see PressureShapes; may be empty
  ApartView apart = {};
  RestExcess excess = {};

  MERGANSER_METHOD void operator()(int i) const {
    Lanes weight{}, squares{};
    Vector3<Lanes> gradient{};
    const float volume = pairs.volume;
    pairs.template for_each<true>(i, [&](const auto*, const Vector3<Lanes>& d, Lanes r, Lanes mobility) {
      weight += pairs.kernel.value(r);
      // V grad W, of the order of 1/h: the square of grad W alone overflows where spacings are below 0.1 mm.
      const Vector3<Lanes> own = d * (pairs.kernel.gradient_factor(r) * volume);
      gradient += own;
      squares += mobility * norm_squared(own);
    });
    const float sum = sum_of_lanes(weight) + pairs.weight_of_itself(i);
    const Vec3 g{sum_of_lanes(gradient.x), sum_of_lanes(gradient.y), sum_of_lanes(gradient.z)};

    float open = 1;
    Vec3 along_normals{0, 0, 0};
    const Vec3 x = pairs.place(i);
    if (!apart.behind_wall(i))
      for_each_near_wall(walls, fill, i, x, [&](const Wall&, const WallShare& share) {
        open *= share.open;
        along_normals += share.normal * (share.slope / share.open);
      });
    const Vec3 G = open * along_normals;
    const float diagonal = pairs.position[i].w * norm_squared(g + 2.0f * G) + sum_of_lanes(squares);
    compression[i] = volume * sum - open + (share.empty() ? 0.0f : share[i]);
    inverse_diagonal[i] = diagonal > least_diagonal ? 1 / diagonal : 0.0f;
    wall[i] = {G.x, G.y, G.z, open};
    excess.follow(i, compression[i]);
  }
};

MERGANSER_END
