#pragma once
/// Shares of walls for densities whose gradient is the force of the wall.
#include <cmath>

#include "solvers/coupling/boundary/lattice_sums.h"
#include "solvers/coupling/boundary/near_walls.h"

MERGANSER_BEGIN

/// What a wall adds to rho/rho0, Lambda = lambda_0 (lambda/lambda_0)^n. A power above 1 is steeper than the
/// share itself: Lambda' can be that of a lattice behind the wall and Lambda at half a spacing its density.
struct WallDensity {
  float rest = 0;      ///< lambda_0; 0: walls mirror, shares stay as they are
  float exponent = 1;  ///< n

  MERGANSER_METHOD bool conservative() const { return rest > 0; }
  /// The share with Lambda for lambda, Lambda'/2 for lambda', and what of a linear field lies behind the wall
  /// along its normal changed in the same proportion as lambda'.
  MERGANSER_METHOD WallShare of(const WallShare& share) const {
    if (!conservative()) return share;
    const float fraction = most_of(1 - share.open, 0.0f);  // rounding may leave a little less
    const float ratio = exp2f((exponent - 1) * log2f(fraction / rest));
    const float steeper = 0.5f * exponent * ratio, open = 1 - fraction * ratio,
                open_normal = 1 - steeper * (1 - share.open_normal);
    WallShare changed = share;
    changed.open = open > least_open ? open : least_open;
    changed.open_normal = open_normal > least_open ? open_normal : least_open;
    changed.slope = steeper * share.slope;
    return changed;
  }

 private:
  static constexpr float least_open = 0.05f;  ///< of particles all but on a wall
};

/// The density of walls that leave a lattice alone which starts half a spacing from them: seen from its first
/// layer, a plane whose fluid begins `offset` [m] behind its surface adds what the layers of a lattice behind
/// it would, Lambda = L, with the slope of their mirror images, Lambda' = 2 L', so equal pressures do not
/// move the layer. `inside`: by what the solver divides its kernel. `kernel`: a kernel of double with h = 1.
template <class Kernel>
WallDensity lattice_wall_density(const Kernel& kernel, double spacing, double h, double offset,
                                 double inside) {
  const double distance = (spacing / 2 + offset) / h, share = wall_share(kernel, distance);
  const double layers = lattice_layers(kernel, spacing, h, 1) / inside;
  const double slope = lattice_slope(kernel, spacing, h) / inside;
  const double n = 2 * slope * share / (layers * wall_slope(kernel, distance));
  return {static_cast<float>(std::pow(std::pow(share, n) / layers, 1 / (n - 1))), static_cast<float>(n)};
}

MERGANSER_END
