#pragma once
/// The smooth part of the compression, which the density solve takes away over several steps.
///
/// What a step leaves of the compression of a wave of length 2 pi/k asks the next one for the pressure
/// rho c/(dt k)^2. Of a long wave the tolerance is much: of a tank 20 particles deep, at a step of 2 ms and
/// c = 1e-4, it is a fifth of the weight of the water. So a solve that takes away all of it throws the
/// pressures of deep water about, and because a few iterations give long waves only a part of what they lack,
/// the next step has to correct the correction: the swing grows until it fills the tolerance. Short waves
/// have small pressures and converge at once; they are taken away in the same step.
#include "solvers/methods/dfsph/row_pairs.h"

MERGANSER_BEGIN

/// Share of the smooth part that a step takes away, and the part, in tolerances, beyond which it takes away
/// all.
inline constexpr float slow_share = 0.05f, slow_bound = 10;
/// In the first steps of a run no more than this and a share of the rest is taken away in a step: a lattice
/// may hold more particles than there is room for, as in round vessels, whose walls cut it. All at once they
/// part by a third of their compression, in spacings, within one step, and the fluid boils from then on. Not
/// where a fluid fills all of its vessel: there is no room to wait for.
inline constexpr float compression_at_start = 0.01f, share_at_start = 0.3f, any_compression = 1e30f;
inline constexpr long long starting_steps = 50;
/// In solves with bodies compression is never taken away faster than by this share of sqrt(p/rho), p the
/// greatest pressure of the fluid at rest: by c within dt particles part with c d/dt, d the spacing. Where a
/// few fast particles make steps short, what a heavy body has pressed together would otherwise throw it
/// about.
inline constexpr double fastest_share = 0.25;
/// Lack of density, relative, from which a particle counts as one of a free surface.
inline constexpr float surface_lack = 0.05f;
/// Means over neighbors that follow one another: two leave nothing of waves of two spacings.
inline constexpr int compression_means = 2;

/// Packs compressions; 0 where the density is far too low: at free surfaces.
struct PackFluidCompression {
  static constexpr const char* name = "dfsph pack compression";
  View<const float> compression;
  View<Quad> packed;  ///< w written
  MERGANSER_METHOD void operator()(int i) const {
    packed[i].w = compression[i] > -surface_lack ? compression[i] : 0.0f;
  }
};

/// sum_j W_ij c_j / sum_j W_ij, the particle itself among them.
template <class Kernel>
struct NeighborMean {
  static constexpr const char* name = "dfsph compression mean";
  RowPairs<Kernel> pairs;  ///< w of its quads is c
  View<float> mean;        ///< written
  MERGANSER_METHOD void operator()(int i) const {
    Lanes weight{}, sum{};
    pairs.template for_each<true>(i, [&](const auto*, const Vector3<Lanes>&, Lanes r, Lanes c) {
      const Lanes w = pairs.kernel.value(r);
      weight += w;
      sum += w * c;
    });
    const float own = pairs.weight_of_itself(i);
    mean[i] = (sum_of_lanes(sum) + own * pairs.position[i].w) / (sum_of_lanes(weight) + own);
  }
};

/// What a step takes away of the compression c with the smooth part m: c - (1 - slow_share) m, m within the
/// bound; of what exceeds `at_once` a share, and no more than `most`.
MERGANSER_FN float compression_now(float c, float m, float bound, float at_once, float most) {
  const float within = m < bound ? m : bound, slow = within > -bound ? within : -bound;
  const float now = c - (1 - slow_share) * slow;
  const float taken = now < at_once ? now : at_once + share_at_start * (now - at_once);
  return taken < most ? taken : most;
}

MERGANSER_END
