#pragma once
/// Vorticity by a micropolar fluid (Bender, Koschier, Kugelstadt, Weiler 2019, "Turbulent micropolar SPH
/// fluids with foam"): every particle has an angular velocity omega, which the fluid's rotation drives and
/// which drives the fluid:
///   Dv/Dt     = nu_t curl omega,
///   Domega/Dt = D lap omega + (nu_t/Theta) (curl v - 2 omega),
/// nu_t [m^2/s] the transfer coefficient, Theta [m^2] the inertia of rotation, D [m^2/s] its diffusion.
///
/// curl omega is the symmetric sum, so that pairs exchange momentum and none is lost; curl v is the sum of
/// differences, its adjoint, so that rotation takes the energy that it gives. The pull of omega towards
/// curl v/2 is implicit, all else explicit. omega is part of a fluid's state.
#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"
#include "solvers/methods/fluid/forces/packed_fluid.h"

MERGANSER_BEGIN

class Micropolar {
 public:
  /// mass and h of the fluid's particles [kg], [m].
  Micropolar(const FluidForcesParameters& parameters, double density0, float mass, float h);
  /// A step dt [s] of omega and velocity [m/s]; one a particle, in the order of the grid.
  void apply(const PackedFluid& fluid, float dt, View<Vec3> velocity);
  /// Stable steps [s] of diffusion and of waves of v and omega.
  double time_step_limit() const { return time_step_limit_; }
  /// [1/s]
  Array<Vec3>& omega() { return omega_; }
  const Array<Vec3>& omega() const { return omega_; }

 private:
  float h_, volume_;                   ///< [m], [m^3]
  float transfer_, rate_, diffusion_;  ///< nu_t [m^2/s], nu_t/Theta [1/s], D [m^2/s]
  double time_step_limit_;
  Array<Vec3> omega_;
};

MERGANSER_END
