#include "solvers/methods/fluid/forces/surface_tension.h"

MERGANSER_BEGIN

namespace {

/// beta rho0 pi int_d^R A(r) (r^2 - d^2) dr [m/s^2] over d/R. Midpoint rule over a, r = R (3 - cos a)/4,
/// because the law has vertical tangents at both ends of (R/2, R).
std::vector<float> tabulate_pull(double adhesion, double density0, double radius) {
  constexpr int cells = 64, parts = 2000;
  const auto integral = [](double from, const auto& weight) {
    double sum = 0;
    for (int k = 0; k < parts; ++k) {
      const double angle = sph_pi * (k + 0.5) / parts, r = 0.75 - 0.25 * std::cos(angle);
      if (r > from) sum += adhesion_law(r) * weight(r) * 0.25 * std::sin(angle) * sph_pi / parts;
    }
    return sum;
  };
  const double moment = integral(0, [](double r) { return std::pow(r, 4); });
  const double beta = pair_strength(adhesion, density0, moment * std::pow(radius, 5));
  std::vector<float> pull;
  for (int k = 0; k <= cells; ++k) {
    const double d = double(k) / cells;
    pull.push_back(static_cast<float>(beta * density0 * sph_pi * std::pow(radius, 3) *
                                      integral(d, [&](double r) { return r * r - d * d; })));
  }
  return pull;
}

}  // namespace

SurfaceTension::SurfaceTension(const FluidForcesParameters& parameters, double density0, float mass, float h)
    : h_(h), volume_(static_cast<float>(mass / density0)) {
  const double gamma = tension_strength(parameters.surface_tension, density0, h, double(volume_));
  cohesion_ = static_cast<float>(gamma * mass);
  curvature_ = static_cast<float>(gamma * density0 / density_of_source);
  if (parameters.adhesion > 0) pull_.assign(tabulate_pull(parameters.adhesion, density0, 2 * double(h)));
}

void SurfaceTension::apply(const PackedFluid& fluid, float dt, View<Vec3> velocity) {
  fluid.pack(velocity);
  launch(fluid.count(), fluid.sum(h_, SurfaceNormal{.kernel = WendlandC2<float>(h_),
                                                    .scale = 2 * h_ * volume_,
                                                    .packed = fluid.scratch}));
  launch(fluid.count(), fluid.sum(h_, TensionAndAdhesion{.spline = CohesionSpline<float>(2 * h_),
                                                         .cohesion = cohesion_,
                                                         .curvature = curvature_,
                                                         .least_r2 = 1e-8f * h_ * h_,
                                                         .dt = dt,
                                                         .walls = fluid.walls,
                                                         .pull = {pull_.const_view(), 0.5f / h_},
                                                         .velocity = velocity}));
}

MERGANSER_END
