#include "solvers/methods/fluid/central_viscosity.h"

#include <algorithm>
#include <cmath>

#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN

namespace {

/// Moments of s^p on the lattice of spacing 1: sum r^4, and over it 15/6 sum (x^4 - 3 x^2 y^2), which is what
/// a shear along an axis lacks of its viscosity, and what the sum is more than the integral.
struct Moments {
  double fourth = 0, anisotropy = 0, excess = 0;
  Moments(int p, double support) {
    const int reach = static_cast<int>(support);
    for (int x = -reach; x <= reach; ++x)
      for (int y = -reach; y <= reach; ++y)
        for (int z = -reach; z <= reach; ++z) {
          const double r2 = x * x + y * y + z * z, s = 1 - std::sqrt(r2) / support;
          if (!(s > 0)) continue;
          const double w = std::pow(s, p);
          fourth += w * r2 * r2;
          anisotropy += 2.5 * w * x * x * (x * x - 3 * y * y);
        }
    // 4 pi int s^p r^6 dr = 4 pi support^7 p! 6!/(p + 7)!
    const double integral = 4 * sph_pi * std::pow(support, 7) * 720 * std::tgamma(p + 1) / std::tgamma(p + 8);
    anisotropy /= fourth;
    excess = 1 - integral / fourth;
  }
};

}  // namespace

CentralViscosity::CentralViscosity(double spacing, double h) : inverse_support_(static_cast<float>(0.5 / h)) {
  const double support = 2 * h / spacing;
  const Moments of[powers] = {{1, support}, {2, support}, {3, support}, {4, support}};
  // Shares of the four that bring (anisotropy, excess) nearest to 0, pair by pair.
  double share[powers] = {0.25, 0.25, 0.25, 0.25};
  for (int sweep = 0; sweep < 300; ++sweep)
    for (int i = 0; i < powers; ++i)
      for (int j = 0; j < i; ++j) {
        double anisotropy = 0, excess = 0;
        for (int p = 0; p < powers; ++p) {
          anisotropy += share[p] * of[p].anisotropy;
          excess += share[p] * of[p].excess;
        }
        const double a = of[i].anisotropy - of[j].anisotropy, e = of[i].excess - of[j].excess;
        if (!(a * a + e * e > 0)) continue;
        const double moved =
            std::clamp(-(anisotropy * a + excess * e) / (a * a + e * e), -share[i], share[j]);
        share[i] += moved;
        share[j] -= moved;
      }
  for (int p = 0; p < powers; ++p)
    c_[p] = static_cast<float>(30 * share[p] / of[p].fourth / std::pow(spacing, 4));
}

MERGANSER_END
