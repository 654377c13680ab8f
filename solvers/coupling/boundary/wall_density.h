#pragma once
/// Shares of walls for densities whose gradient is the force of the wall.
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

MERGANSER_END
