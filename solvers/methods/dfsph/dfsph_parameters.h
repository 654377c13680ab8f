#pragma once
/// Parameters of an incompressible SPH fluid, beyond FluidParameters.
#include <string>
#include <vector>

#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"

namespace merganser {

struct InitialState;
struct ParameterTable;
struct SystemState;

enum class DfsphKernel { cubic_spline, wendland_c2 };
enum class DfsphWallPressure { mirrored, conservative, images };

/// See Dfsph::time_step_limit().
inline constexpr double dfsph_depth_bound = 0.55;

struct DfsphParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  double smoothing_length_factor = 1.0;  ///< h = factor * spacing; the kernel's support radius is 2h
  DfsphKernel kernel = DfsphKernel::cubic_spline;
  DfsphWallPressure wall_pressure = DfsphWallPressure::mirrored;
  double viscosity = 0;             ///< [m^2/s] kinematic, explicit
  double max_density_error = 1e-4;  ///< mean of rho/rho0 - 1 where above 0, after the density solve
  double max_divergence_error =
      1e-3;  ///< mean of dt D(rho/rho0)/Dt where above 0, after the divergence solve
  bool divergence_solve = true;
  int min_iterations = 2;
  int max_iterations = 100;
  std::vector<std::string> coupled_to;  ///< systems that take part in this one's pressure solve
  bool solids_compress = false;  ///< their elastic solids resist compression by their own stiffness alone
  bool warm_start = true;        ///< solves start from the last step's pressures
  FluidForcesParameters forces;
  double cfl = 0.4;             ///< share of the spacing that a particle may move in a step
  double min_time_step = 1e-6;  ///< [s] the CFL limit is not taken below this
};

/// Indices of the systems that take part in the pressure solve of `fluid`, its own first; none where it is
/// alone. Names that no system has are passed over.
std::vector<int> coupled_indices(const SystemState& fluid, const InitialState& initial);

}  // namespace merganser
