#pragma once
/// The pressure that the forces of the solves transmit.
#include "solvers/methods/dfsph/row_pairs.h"
#include "solvers/methods/dfsph/wall_density.h"

MERGANSER_BEGIN

/// A third of the trace of the virial stress (Irving & Kirkwood 1950) of the pair forces -V^2 (p_i + p_j)
/// grad W:
///   P_i = -1/6 sum_j V (p_i + p_j) F(r) r^2 + p_i/3 tr(I - C_i),
/// with F = W'/r and the share of walls, which mirror p_i (wall_fill.h: C has 1 - lambda + d lambda'
/// along a wall's normal and 1 - lambda across). In a continuum P = p. The p_i that a solve finds are
/// multipliers of densities: they scatter from particle to particle, and at 30 neighbors that are not on a
/// lattice their mean is some 10 % above the pressure that carries the weight of the fluid above.
template <class Kernel, class Shapes = WallView>
struct MechanicalPressure {
  static constexpr const char* name = "dfsph mechanical pressure";
  RowPairs<Kernel> pairs;  ///< w of its quads is p [Pa]
  Shapes walls;
  DfsphWallFill fill;
  View<float> pressure;  ///< [Pa] written

  MERGANSER_METHOD void operator()(int i) const {
    const float own = pairs.position[i].w;
    const Lanes self = broadcast(own);
    Lanes sum{};
    pairs.template for_each<true>(i, [&](const auto*, const Vector3<Lanes>& d, Lanes r, Lanes other) {
      sum += (self + other) * pairs.kernel.gradient_factor(r) * norm_squared(d);
    });
    float behind = 0;
    for_each_near_wall(walls, fill, i, pairs.place(i), [&](const Wall&, const WallShare& share) {
      behind += (1 - behind) * (1 - (share.open_normal + 2 * share.open) / 3);
    });
    pressure[i] = -pairs.volume / 6 * sum_of_lanes(sum) + behind * own;
  }
};

MERGANSER_END
