#pragma once
/// Density of a weakly compressible fluid, by summation or by the continuity equation; then its pressure.
#include "solvers/coupling/boundary/for_each_near_wall.h"
#include "solvers/coupling/boundary/wall_density.h"
#include "solvers/methods/fluid/neighbor_sum.h"
#include "solvers/methods/sph/equation_of_state.h"
#include "solvers/methods/sph/hydrostatic_drift.h"

MERGANSER_BEGIN

/// Where both density terms put their results.
struct DensityOutput {
  EquationOfState state;
  View<float> compression;  ///< rho/rho0 - 1, written
  View<Quad> velocity;      ///< w = p/rho^2, written

  /// `damping`: what is added to p/rho^2.
  MERGANSER_METHOD void write(int i, float e, float damping = 0) const {
    compression[i] = e;
    velocity[i].w = state.pressure_term(e) + damping;
  }
};

/// Summation: rho_i = sum_j m W(|x_i - x_j|) + rho0 Lambda_i of the share lambda_i of the kernel behind walls
/// (coupling/boundary/wall_density.h).
template <class Kernel, class Shapes = WallView>
struct DensitySummation {
  static constexpr const char* name = "sph density summation";
  static constexpr bool reads_compression = false, reads_velocity = false, reads_pressure_term = false;
  static constexpr int components = 1;
  Kernel kernel;
  float volume;  ///< [m^3] m/rho0
  Shapes walls;
  WallFillView fill;
  WallDensity of_walls;
  DensityOutput out;

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>&, const SphParticle<Real>&,
                                      const Vector3<Real>&, Real r2) const {
    SphPair<Real> result{};
    result.a.x = kernel.value(fast_square_root(r2));
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    float open = 1;
    for_each_near_wall(walls, fill, index, i.position,
                       [&](const Wall&, const WallShare& share) { open *= of_walls.of(share).open; });
    out.write(index, volume * sum.a.x - open);
  }
};

/// Continuity with density diffusion, in e = rho/rho0 - 1 and with V = m/rho0:
///   de_i/dt = V sum_j (v_i - v_j).grad W + sum_k (v_i - v_k).n_k lambda_k' prod_{l != k} (1 - lambda_l)
///             + 2 delta h c V sum_j F (e_i - e_j - (g - a_ij).(x_i - x_j)/c^2)
/// over fluid neighbors j (F = W'/r) and walls k of velocity v_k. The diffusion (Molteni & Colagrossi 2009)
/// acts on the deviation from hydrostatic density (Fourtakas, Dominguez, Vacondio, Rogers 2019), so that it
/// leaves a fluid at rest alone. Hydrostatic is what a fluid of the acceleration a is, the mean of both
/// particles' (hydrostatic_drift.h); with g alone a block in free fall grew. The first two terms are the time
/// derivative of V sum W + lambda, so the density follows from where particles are and does not drift.
/// (Dividing by 1 - lambda, which is exact for linear velocities, makes it depend on the path: a column of
/// water at rest then gained pressure without end.)
///
/// Waves of sound have a bulk viscosity nu_b = beta h c, which acts with p/rho^2 (Sun, Pilloton, Antuono,
/// Colagrossi 2023, "Inclusion of an acoustic damper term in weakly-compressible SPH models"):
///   p/rho^2 - nu_b/rho0 s_i D,   D = -de/dt without the diffusion,   s_i = -V sum_j F |x_ij|^2/(3 (1 -
///   lambda)),
/// s at most 1. Force and rate have the same slopes, so it only takes energy. s is 1 within fluid and 0 of a
/// particle alone, which bounces off walls undamped.
///
/// The step: particles came to x_i with the velocities they now have, over the last step's dt, so the density
/// advances by that dt before it is used for pressures: a symplectic Euler scheme whose density belongs to
/// the positions. Slopes of kernels are those half way there, at x_ij - dt v_ij/2 of pairs, at d - dt v.n/2
/// off walls (how lambda' changes on the way is taken from a plane). With those at the end of the way
/// pressures lag behind motions, and a single particle came off a wall with 3 % more speed at every bounce.
template <class Kernel, class Shapes = WallView>
struct DensityContinuity {
  static constexpr const char* name = "sph density continuity";
  static constexpr bool reads_compression = true, reads_velocity = true, reads_pressure_term = false;
  static constexpr bool reads_mean_velocity = true;
  static constexpr int components = 3;
  Kernel kernel;
  float volume;     ///< [m^3] m/rho0
  float diffusion;  ///< [m^2/s] 2 delta h c
  HydrostaticDrift drift;
  float per_sound_speed_squared;  ///< [s^2/m^2] 1/c^2
  float bulk_viscosity;           ///< [m^5/(kg s)] nu_b/rho0, nu_b = beta h c
  float dt;                       ///< [s] of the step that led here
  Shapes walls;
  WallFillView fill;
  DensityOutput out;

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real) const {
    const Vector3<Real> lead = (i.velocity - i.mean_velocity) + (j.velocity - j.mean_velocity);
    const Real at_rest = drift.along(lead, d) * per_sound_speed_squared;
    const Real deviation = i.compression - j.compression - at_rest;
    const Vector3<Real> v = i.velocity - j.velocity;
    const float half = 0.5f * dt;
    const Vector3<Real> half_way{d.x - half * v.x, d.y - half * v.y, d.z - half * v.z};
    const Real way2 = norm_squared(half_way), factor = kernel.gradient_factor(fast_square_root(way2));
    SphPair<Real> result{};
    result.a = {factor * dot(v, half_way), factor * deviation, factor * way2};
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    float open = 1, wall_rate = 0;
    for_each_near_wall(walls, fill, index, i.position, [&](const Wall&, const WallShare& share) {
      const float speed = dot(i.velocity - share.velocity, share.normal);
      open *= share.open;
      wall_rate += speed * half_way_slope(share, share.distance - 0.5f * dt * speed) / share.open;
    });
    const float rate = volume * sum.a.x + open * wall_rate;
    const float among = -volume * sum.a.z / (3 * open);
    out.write(index, i.compression + dt * (rate + diffusion * volume * sum.a.y),
              bulk_viscosity * (among < 1 ? among : 1.0f) * rate);
  }
  MERGANSER_METHOD float half_way_slope(const WallShare& share, float distance) const {
    constexpr float most = 4;  // where a kernel only just reaches the wall
    const float here = fill.at(share.distance).slope, there = fill.at(distance).slope;
    return share.slope * (most * here < there ? there / here : most);  // none is above 0
  }
};

MERGANSER_END
