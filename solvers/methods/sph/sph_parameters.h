#pragma once
/// Parameters of a weakly compressible SPH fluid, beyond FluidParameters.
#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"

namespace merganser {

struct InitialState;
struct ParameterTable;
struct SystemState;

enum class SphKernel { cubic_spline, wendland_c2 };
enum class EquationOfStateKind { tait, linear };
enum class ViscosityModel { none, artificial, laminar };
enum class DensityMethod {
  summation,   ///< rho = sum m W, deficient at free surfaces
  continuity,  ///< d rho/dt from the velocity divergence; keeps free surfaces at rho0
};

/// Which particles act on each other.
enum class Neighborhood {
  euclidean,    ///< all within 2h
  topological,  ///< those within 2h that are of the same local piece of fluid ([TN])
};

struct SphParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  double smoothing_length_factor = 1.2;  ///< h = factor * spacing; the kernel's support radius is 2h
  SphKernel kernel = SphKernel::wendland_c2;
  DensityMethod density = DensityMethod::continuity;
  EquationOfStateKind equation_of_state = EquationOfStateKind::tait;
  double sound_speed = 0;  ///< [m/s]; 0 = ten times the largest speed expected (host derives it)
  double gamma = 7;        ///< exponent of the Tait equation
  ViscosityModel viscosity_model = ViscosityModel::artificial;
  double viscosity = 0.05;         ///< artificial: alpha; laminar: kinematic viscosity [m^2/s]
  double xsph = 0;                 ///< XSPH factor, 0 = off
  double density_diffusion = 0.1;  ///< delta of the density diffusion term, 0 = off (continuity only)
  double acoustic_damping = 0.4;   ///< bulk viscosity over h c, 0 = off (continuity only)
  bool allow_tension = false;      ///< negative pressures are kept (closed domains), else clamped to 0
  FluidForcesParameters forces;
  double cfl = 0.4;  ///< dt <= cfl * h / (c + v) and cfl * sqrt(h / |a|)

  Neighborhood neighborhood = Neighborhood::euclidean;
  int topology_frames = 1;  ///< output frames from one update of the neighborhoods to the next, 0 = none
  double topology_distance = 0.5;  ///< share of h that a particle may move before an update between frames
  double topology_fusion_time =
      0.1;  ///< [s] gamma of [TN] eq. 6: until a new link counts in full for surfaces
  bool shepard_filter =
      true;  ///< free surface's densities after each update; topological and continuity only
};

/// Speed of sound [m/s] where SphParameters::sound_speed is 0, so that the fluid compresses by about 1 %
/// (Monaghan 1994): ten times the largest speed to be expected, max(v0, sqrt(v0^2 + 2 |g| H)), with v0 the
/// largest initial or emitter speed and H the height from the highest particle or emitter of this fluid down
/// to the lowest particle of any system or the lowest floor below it (a plane or tank facing against
/// gravity), whichever is lower. 10 m/s where nothing moves.
double expected_sound_speed(const SystemState& state, const InitialState& initial);

}  // namespace merganser
