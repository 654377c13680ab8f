#pragma once
/// Surface tension and adhesion to walls (Akinci, Akinci, Teschner 2013, eq. 1-7).
///
/// Cohesion -gamma m_i m_j C(r) x_ij/r and curvature -gamma m_i (n_i - n_j), both times
/// K_ij = 2 rho0/(rho_i + rho_j). Their gamma has no unit of its own; here it is scaled so that both together
/// give evenly spread particles the tension in N/m (cohesion.h), and the curvature term has the share that it
/// has in the source at rho0 = 1000 kg/m^3. Both are then the same whatever the spacing and density are.
///
/// Walls are half spaces (the source: one layer of samples): the pull of all that lies behind a plane at
/// distance d is beta rho0 pi int_d^R A(r) (r^2 - d^2) dr, scaled so that pulling the fluid off takes the
/// work 2 `adhesion` per area. By Young and Dupre cos(contact angle) = 2 adhesion/surface tension - 1.
#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"
#include "solvers/methods/fluid/forces/packed_fluid.h"
#include "solvers/methods/fluid/forces/tension_terms.h"

MERGANSER_BEGIN

class SurfaceTension {
 public:
  /// mass and h of the fluid's particles [kg], [m].
  SurfaceTension(const FluidForcesParameters& parameters, double density0, float mass, float h);
  /// v += dt a [m/s]; one a particle, in the order of the grid.
  void apply(const PackedFluid& fluid, float dt, View<Vec3> velocity);

 private:
  float h_, volume_;            ///< [m], [m^3]
  float cohesion_, curvature_;  ///< see TensionAndAdhesion
  Array<float> pull_;           ///< see WallPull; empty without adhesion
};

MERGANSER_END
