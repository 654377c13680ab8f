#pragma once
/// Densities at a fluid's free surface, renewed now and then ([TN] sec. 6.1).
#include "solvers/coupling/boundary/for_each_near_wall.h"
#include "solvers/methods/fluid/neighbor_sum.h"
#include "solvers/methods/sph/density.h"

MERGANSER_BEGIN

/// Shepard's correction (Shepard 1968; Bonet & Kulasegaram 2002) of a density that is integrated in time,
/// where the kernel is cut off: e_i <- sum_j e_j W_ij / sum_j W_ij over the particle and its neighbors, where
/// they and walls fill less than `full` of the kernel. What a particle's density inherited from neighbors
/// that are no longer linked to it is forgotten; that of a particle alone stays.
template <class Kernel, class Shapes = WallView>
struct ShepardFilter {
  static constexpr const char* name = "sph shepard filter";
  static constexpr bool reads_compression = true, reads_velocity = false, reads_pressure_term = false;
  static constexpr int components = 3;
  static constexpr float full = 0.85f;  ///< a flat free surface has about 0.6, the layer below it 0.95
  Kernel kernel;
  float volume;  ///< [m^3] m/rho0
  Shapes walls;
  WallFillView fill;
  DensityOutput out;

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>&, const SphParticle<Real>& j,
                                      const Vector3<Real>&, Real r2) const {
    SphPair<Real> result{};
    const Real w = kernel.value(fast_square_root(r2));
    result.a.x = w * j.compression;
    result.a.y = w;
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    float open = 1;
    for_each_near_wall(walls, fill, index, i.position,
                       [&](const Wall&, const WallShare& share) { open *= share.open; });
    if (volume * sum.a.y + (1 - open) < full) out.write(index, sum.a.x / sum.a.y);
  }
};

MERGANSER_END
