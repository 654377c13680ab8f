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
/// In solves with bodies compression is never taken away faster than by this share of sqrt(g/H) a second, H
/// the depth of the fluid at rest: by c within dt layers part one upon another, the highest with c H/dt. What
/// a heavy body has pressed together would otherwise throw it about.
inline constexpr double fastest_share = 0.2;
inline constexpr float any_compression = 1e30f;
/// Lack of density, relative, from which a particle counts as one of a free surface.
inline constexpr float surface_lack = 0.05f;
/// Means over neighbors that follow one another: two leave nothing of waves of two spacings.
inline constexpr int compression_means = 2;

/// Packs compressions; 0 where the density is far too low: at free surfaces.
struct PackFluidCompression {
  static constexpr const char* name = "dfsph pack compression";
  View<const float> compression;
  View<Quad> packed;              ///< w written
  View<const float> excess = {};  ///< at rest, see RestExcess; empty: none
  MERGANSER_METHOD void operator()(int i) const {
    const float c = excess.empty() ? compression[i] : compression[i] - excess[i];
    packed[i].w = c > -surface_lack ? c : 0.0f;
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

/// Compression is taken away within this share of the longest step that the fluid's motion and weight allow,
/// or within one step where that is longer. Particles part with c d/dt when c goes within dt: in shorter
/// steps the energy of that would grow as 1/dt^2. A compression of 1e-4, the default tolerance, then holds
/// (1e-4/0.1/0.55)^2/2 = 2e-6 of m g H.
inline constexpr double prompt_share = 0.1;
/// What a step takes away of compression: a share, and no more than `most`.
struct CompressionBounds {
  float share = 1;
  float most = any_compression;
};

/// What a step takes away of the compression c with the smooth part m: c - (1 - slow_share) m, m within the
/// bound, and a share of it. In free fall no more than there is: beside a free surface m is below 0, and what
/// is not dense would be pushed. What is below 0 is room, of which nothing is taken away.
MERGANSER_FN float compression_now(float c, float m, float bound, const CompressionBounds& bounds,
                                   bool falls) {
  const float within = m < bound ? m : bound, slow = within > -bound ? within : -bound;
  const float now = c - (1 - slow_share) * slow, there = c > 0 ? c : 0.0f;
  const float prompt = falls && now > there ? there : now;
  const float taken = prompt > 0 ? bounds.share * prompt : prompt;
  return taken < bounds.most ? taken : bounds.most;
}

MERGANSER_END
