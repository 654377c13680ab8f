#pragma once
/// Drag of still or moving air on a fluid's surface and on its drops.
///
/// Quadratic drag with the coefficient of a sphere as Gissler, Band, Peer, Ihmsen, Teschner 2017
/// ("Approximate air-fluid interactions for SPH") take it from Liu, Mather, Reitz 1993; drops do not flatten.
/// Where they search neighbors for those that a particle hides behind, the exposed area comes from the
/// gradient of the color function c = sum_j V_j W: -2 V_i grad c is the particle's part of the surface with
/// its outward normal (2: particles fill the inner half of the layer where c falls from 1 to 0). With u =
/// v_air - v_i:
///   a_i = airDrag rho_air/(2 m) C(Re) A_i |u| u,   Re = 2 R |u|/nu_air,
///   C = 24/Re (1 + Re^(2/3)/6) for Re <= 1000, else 0.424,
///   A_i = max(0, 2 V grad c . u/|u|) + (share of a lone drop) pi R^2,
/// R the radius of a ball of the particle's volume. The step is implicit in |u|, so any step is stable.
#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"
#include "solvers/methods/fluid/forces/packed_fluid.h"

MERGANSER_BEGIN

class AirDrag {
 public:
  /// mass and h of the fluid's particles [kg], [m].
  AirDrag(const FluidForcesParameters& parameters, double density0, float mass, float h);
  /// Velocities [m/s] after a step dt [s]; one a particle, in the order of the grid.
  void apply(const PackedFluid& fluid, float dt, View<Vec3> velocity) const;

 private:
  FluidForcesParameters parameters_;
  float h_, mass_, volume_;  ///< [m], [kg], [m^3]
};

MERGANSER_END
