#include "solvers/methods/fluid/forces/micropolar.h"

#include <algorithm>
#include <cmath>

#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN

namespace {

/// v_i += dt nu_t (curl omega)_i, curl omega = -V sum_j ((rho0/rho_i)^2 omega_i + (rho0/rho_j)^2 omega_j) x
/// grad W; omega_i += dt D lap omega, lap omega = 2 V sum_j (rho0/rho_j) F (omega_i - omega_j) (Morris, Fox,
/// Zhu 1997).
struct RotationDrivesFlow {
  static constexpr const char* name = "micropolar flow";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = true;
  static constexpr int components = 6;
  CubicSpline<float> kernel;
  float transfer;       ///< [m^5] dt nu_t V
  float diffusion;      ///< [m^5] 2 dt D V
  View<Vec3> velocity;  ///< [m/s] changed
  View<Vec3> omega;     ///< [1/s] changed

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    const Real factor = kernel.gradient_factor(fast_square_root(r2));
    const Real wi = i.pressure_term, wj = j.pressure_term;
    return {cross(i.velocity * (wi * wi) + j.velocity * (wj * wj), d) * (-transfer * factor),
            (i.velocity - j.velocity) * (diffusion * wj * factor)};
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>&, const SphPair<float>& sum) const {
    velocity[index] += sum.a;
    omega[index] += sum.b;
  }
};

/// omega_i = (omega_i + dt (nu_t/Theta) (curl v)_i)/(1 + 2 dt nu_t/Theta),
/// (curl v)_i = (rho0/rho_i) V sum_j (v_i - v_j) x grad W.
struct FlowDrivesRotation {
  static constexpr const char* name = "micropolar rotation";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = true;
  static constexpr int components = 3;
  CubicSpline<float> kernel;
  float volume;      ///< [m^3]
  float share;       ///< dt nu_t/Theta
  View<Vec3> omega;  ///< [1/s] changed

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    SphPair<Real> result{};
    result.a = cross(i.velocity - j.velocity, d) * kernel.gradient_factor(fast_square_root(r2));
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    const Vec3 curl = sum.a * (volume * i.pressure_term);
    omega[index] = (omega[index] + share * curl) * (1 / (1 + 2 * share));
  }
};

}  // namespace

Micropolar::Micropolar(const FluidForcesParameters& parameters, double density0, float mass, float h)
    : h_(h),
      volume_(static_cast<float>(mass / density0)),
      transfer_(static_cast<float>(parameters.vorticity)),
      rate_(static_cast<float>(parameters.vorticity / parameters.vorticity_inertia)),
      diffusion_(static_cast<float>(parameters.vorticity_diffusion)) {}

void Micropolar::apply(const PackedFluid& fluid, float dt, View<Vec3> velocity) {
  const CubicSpline<float> kernel(h_);
  fluid.pack(omega_.const_view());
  launch(fluid.count(), fluid.sum(h_, RotationDrivesFlow{.kernel = kernel,
                                                         .transfer = dt * transfer_ * volume_,
                                                         .diffusion = 2 * dt * diffusion_ * volume_,
                                                         .velocity = velocity,
                                                         .omega = omega_.view()}));
  fluid.pack(velocity);
  launch(
      fluid.count(),
      fluid.sum(h_, FlowDrivesRotation{
                        .kernel = kernel, .volume = volume_, .share = dt * rate_, .omega = omega_.view()}));
}

MERGANSER_END
