#pragma once
/// How far particles part that fill their vessel; and their compressions, which have no mean there.
#include "solvers/coupling/boundary/for_each_near_wall.h"
#include "solvers/methods/fluid/full_vessel.h"
#include "solvers/methods/fluid/neighbor_sum.h"
#include "solvers/methods/sph/equation_of_state.h"

MERGANSER_BEGIN

/// Parting by the shear |2 D:D|^1/2, D the symmetric part of grad v. Within fluid
///   -V sum_j F (v_ij.x_ij)^2/|x_ij|^2 = (2 D:D + (tr D)^2)/5,   F = W'/r,
/// for linear velocities; rotation has no part in it. Beside walls the open part of the sum counts as all.
template <class Kernel, class Shapes = WallView>
struct SphParting {
  static constexpr const char* name = "sph parting";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = false;
  static constexpr int components = 6;
  Kernel kernel;
  float volume, h, dt;  ///< [m^3], [m], [s]
  Shapes walls;
  WallFillView fill;
  View<Quad> wall;  ///< [1/m] G = grad lambda, and 1 - lambda; written
  View<Vec3> move;  ///< [m] written

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    const Real factor = kernel.gradient_factor(fast_square_root(r2));
    const Real along = dot(i.velocity - j.velocity, d);
    SphPair<Real> result{};
    result.a = d * factor;
    result.b.x = fast_quotient(factor * along * along, r2 + 1e-6f * h * h);
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    float open = 1;
    Vec3 slope{0, 0, 0};
    for_each_near_wall(walls, fill, index, i.position, [&](const Wall&, const WallShare& share) {
      open *= share.open;
      slope += share.normal * (share.slope / share.open);
    });
    const Vec3 g = open * slope;
    wall[index] = {g.x, g.y, g.z, open};
    const float shear = sqrtf(most_of(-5 * volume * sum.b.x / open, 0.0f));
    move[index] = (-parting_share(shear, dt) * h * h) * (volume * sum.a + g);
  }
};

/// Compressions become what they are beyond their mean, and so do pressures.
struct LessMeanCompression {
  static constexpr const char* name = "sph less mean compression";
  EquationOfState state;
  View<const double> sum;
  View<float> compression;  ///< rho/rho0 - 1, updated
  View<Quad> velocity;      ///< w = p/rho^2, updated
  MERGANSER_METHOD void operator()(int i) const {
    const float e = compression[i], less = e - static_cast<float>(sum[0] / compression.count);
    compression[i] = less;
    velocity[i].w += state.pressure_term(less) - state.pressure_term(e);
  }
};

MERGANSER_END
