#pragma once
/// Walls as fluid sees them by samples on their surface (Akinci, Ihmsen, Akinci, Solenthaler, Teschner 2012,
/// "Versatile rigid-fluid coupling for incompressible SPH").
///
/// A sample b counts as fluid of the volume (their eq. 4)
///   V_b = c / sum_k W_bk
/// over the samples k of the same wall, itself among them: where samples crowd they weigh less. c is that sum
/// on a plane, a square lattice of the particles' spacing, times spacing^3: without it, c = 1, a layer would
/// weigh as much as all that lies behind it (Koschier, Bender, Solenthaler, Teschner 2019, sec. 5.1, take 0.7
/// for the cubic spline with h = one spacing). So a lattice of fluid half a spacing before a plane goes on
/// behind it. One layer fills kernels of up to h = 1.2 spacings; with 1.5 it lacks 5 to 10 % of them.
///
/// What a volume map integrates over the solid is then a sum,
///   lambda = sum_b V_b W_ib,   grad lambda = sum_b V_b grad W_ib,
///   1 - lambda + d lambda' -> 1 - n.T n,   T = sum_b V_b grad W_ib (x) (x_b - x_i),
/// with n against lambda's gradient, and all that kernels do with walls stays as it is (wall_fill.h):
/// pressures, motion and loads of walls. Samples stay where they are in the wall's body frame, and the
/// particle is brought there; so walls that move sort nothing.
#include "device/uniform_grid.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_samples.h"

MERGANSER_BEGIN

/// The smoothing kernel of the fluid, one of two.
struct EitherKernel {
  CubicSpline<float> cubic_spline;
  WendlandC2<float> wendland;
  bool is_wendland;
  EitherKernel(const CubicSpline<double>&, float h) : EitherKernel(h, false) {}
  EitherKernel(const WendlandC2<double>&, float h) : EitherKernel(h, true) {}
  MERGANSER_METHOD float value(float r) const {
    return is_wendland ? wendland.value(r) : cubic_spline.value(r);
  }
  MERGANSER_METHOD float gradient_factor(float r) const {
    return is_wendland ? wendland.gradient_factor(r) : cubic_spline.gradient_factor(r);
  }

 private:
  EitherKernel(float h, bool is_wendland) : cubic_spline(h), wendland(h), is_wendland(is_wendland) {}
};

/// Sums over the samples in reach of a particle.
struct SampleSums {
  float fraction = 0;         ///< lambda
  Vec3 gradient{0, 0, 0};     ///< of lambda [1/m], in the body frame
  SymmetricMatrix3 tensor{};  ///< T
};

struct SampledWallView {
  EitherKernel kernel;
  float support = 0;              ///< [m]
  UniformGridView grid{};         ///< of the samples, in the body frame
  View<const float> volume = {};  ///< [m^3] V_b; empty: the wall is not sampled
  Vec3 origin{0, 0, 0};           ///< [m] see WallSamples
  Vec3 direction[2]{};
  float period[2]{};
  int repeats = 0;

  /// At a point of the body frame.
  MERGANSER_METHOD SampleSums at(Vec3 x) const {
    for (int k = 0; k < repeats; ++k)
      x -= direction[k] * (period[k] * floorf(dot(x - origin, direction[k]) / period[k]));
    SampleSums sums;
    grid.for_each_neighbor(x, support, [&](int b, const Vec3& d, float r2) {
      const float r = fast_square_root(r2), factor = volume[b] * kernel.gradient_factor(r);
      sums.fraction += volume[b] * kernel.value(r);
      sums.gradient += d * factor;
      sums.tensor += outer_product(d, -factor);
    });
    return sums;
  }
};

/// Owns the samples of one wall for one kernel. Blocking.
class SampledWall {
 public:
  SampledWall(const WallSamples& samples, const EitherKernel& kernel, float h, float spacing);
  SampledWallView view() const;

 private:
  EitherKernel kernel_;
  float support_;
  UniformGrid grid_;
  Array<float> volume_;
  Vec3 origin_, direction_[2];
  float period_[2];
  int repeats_;
};

MERGANSER_END
