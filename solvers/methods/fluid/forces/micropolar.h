#pragma once
/// Vorticity by a micropolar fluid (Bender, Koschier, Kugelstadt, Weiler 2019, "Turbulent micropolar SPH
/// fluids with foam"): every particle has an angular velocity omega, which the fluid's rotation drives and
/// which drives the fluid:
///   Dv/Dt     = nu_t curl omega,
///   Domega/Dt = D lap omega + (nu_t/Theta) (curl v - 2 omega),
/// nu_t [m^2/s] the transfer coefficient, Theta [m^2] the inertia of rotation, D [m^2/s] its diffusion.
///
/// curl omega is the symmetric sum, so that pairs exchange momentum and none is lost; curl v is the sum of
/// differences, its adjoint. The pull of omega towards curl v/2 is implicit, all else explicit. omega is part
/// of a fluid's state.
///
/// The theory of micropolar fluids has a viscosity nu_t/2 beside this transfer, so that both together never
/// add energy; the source leaves it out, for it is after turbulence. Then the transfer is a source of
/// rotation:
///   d/dt (v^2/2 + Theta omega^2/2) = 2 nu_t omega.(curl v - omega) + diffusion,
/// and a flow with curl v = k v grows with the rate nu_t (sqrt(k^2/Theta + 1/Theta^2) - 1/Theta), which is
/// nu_t k/sqrt(Theta) where Theta k^2 is large. Where it is small, omega = curl v/2 and the transfer is a
/// viscosity of -nu_t/2: a viscosity of the fluid has to make up for it.
#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"
#include "solvers/methods/fluid/forces/packed_fluid.h"

MERGANSER_BEGIN

class Micropolar {
 public:
  /// mass and h of the fluid's particles [kg], [m].
  Micropolar(const FluidForcesParameters& parameters, double density0, float mass, float h);
  /// A step dt [s] of omega and velocity [m/s]; one a particle, in the order of the grid.
  void apply(const PackedFluid& fluid, float dt, View<Vec3> velocity);
  /// [1/s]
  Array<Vec3>& omega() { return omega_; }
  const Array<Vec3>& omega() const { return omega_; }

 private:
  float h_, volume_;                   ///< [m], [m^3]
  float transfer_, rate_, diffusion_;  ///< nu_t [m^2/s], nu_t/Theta [1/s], D [m^2/s]
  Array<Vec3> omega_;
};

MERGANSER_END
