#include "solvers/methods/fluid/forces/air_drag.h"

#include <cmath>

#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN

namespace {

/// See air_drag.h.
struct DragByAir {
  static constexpr const char* name = "air drag";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = true;
  static constexpr int components = 6;
  CubicSpline<float> kernel;
  float volume;         ///< [m^3] V
  float drop_radius;    ///< [m] R
  float alone;          ///< color function of a particle alone
  float drag;           ///< [1/m^2] dt airDrag rho_air/(2 m), times [m/s]
  float air_viscosity;  ///< [m^2/s] kinematic
  Vec3 air;             ///< [m/s]
  View<Vec3> velocity;  ///< [m/s] changed

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>&, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    const Real r = fast_square_root(r2);
    SphPair<Real> result{};
    result.a = d * (j.pressure_term * kernel.gradient_factor(r));
    result.b.x = kernel.value(r);
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    const Vec3 u = air - i.velocity;
    const float speed = norm(u);
    if (!(speed > 0)) return;
    constexpr float at_surface = 0.5f;  // color function of a flat surface
    const float filled = (volume * sum.b.x - alone) / (at_surface - alone);
    const float lone = filled < 0 ? 1 : filled < 1 ? 1 - filled : 0;
    const float windward = 2 * volume * volume * dot(sum.a, u) / speed;
    const float area = (windward > 0 ? windward : 0) + lone * 3.14159265f * drop_radius * drop_radius;
    const float reynolds = 2 * drop_radius * speed / air_viscosity;
    const float root = cbrtf(reynolds);
    const float coefficient = reynolds > 1000 ? 0.424f : 24 / reynolds * (1 + root * root / 6);
    const float step = drag * coefficient * area * speed;  // u after the step: u/(1 + step)
    velocity[index] = i.velocity + u * (step / (1 + step));
  }
};

}  // namespace

AirDrag::AirDrag(const FluidForcesParameters& parameters, double density0, float mass, float h)
    : parameters_(parameters), h_(h), mass_(mass), volume_(static_cast<float>(mass / density0)) {}

void AirDrag::apply(const PackedFluid& fluid, float dt, View<Vec3> velocity) const {
  const FluidForcesParameters& p = parameters_;
  const CubicSpline<float> kernel(h_);
  fluid.pack(velocity);
  launch(fluid.count(),
         fluid.sum(h_, DragByAir{.kernel = kernel,
                                 .volume = volume_,
                                 .drop_radius = std::cbrt(volume_ * 3 / (4 * float(sph_pi))),
                                 .alone = volume_ * kernel.value(0.0f),
                                 .drag = dt * static_cast<float>(p.air_drag * p.air_density) / (2 * mass_),
                                 .air_viscosity = static_cast<float>(p.air_viscosity / p.air_density),
                                 .air = {static_cast<float>(p.air_velocity[0]),
                                         static_cast<float>(p.air_velocity[1]),
                                         static_cast<float>(p.air_velocity[2])},
                                 .velocity = velocity}));
}

MERGANSER_END
