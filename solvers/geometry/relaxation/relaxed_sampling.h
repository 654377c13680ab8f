#pragma once
/// Particles that fill a closed mesh up to its surface: [ES] sec. 7.
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// Forces that move particles.
enum class RelaxationForces {
  implicitPressure,  ///< [ES] sec. 7
  blueNoise,         ///< Jiang et al. 2015 (blue_noise.h), the baseline of [ES] Fig. 5: for comparisons alone
};

/// In rest spacings a = crowding^(1/3) d.
struct BlueNoiseParameters {
  double crowding = 1.35;   ///< rest volumes a^3 of all particles, in those of the solid
  double stiffness = 0.04;  ///< k dt^2/a^2 of the pressure
  double cohesion = 0.1;    ///< gamma rho0 dt^2/a
  double damping = 0.9;     ///< of velocities, a step
};

struct RelaxationParameters {
  double spacing = 0;         ///< [m] d: a particle stands for d^3 and keeps d/2 off the surface
  double cohesion = 4;        ///< beta of eq. 35
  double adhesion = 0.2;      ///< gamma of eq. 36
  double step = 0.25;         ///< eta of eq. 37: the longest way of a step is eta 0.4 d
  double damping = 0.5;       ///< of displacements
  int most_iterations = 300;  ///< bound for meshes that do not settle
  double settled = 2e-3;      ///< in d: it ends where particles move by less in the mean (root mean square)
  RelaxationForces forces = RelaxationForces::implicitPressure;
  BlueNoiseParameters blue_noise{};  ///< beside them cohesion, adhesion, step and damping do not count
};

/// Told now and then while it lasts.
struct RelaxationProgress {
  int particles = 0;        ///< those that the volume holds, while it is prepared
  bool prepared = false;    ///< the distances of the solid and the places where particles start are there
  std::string preparing{};  ///< until then: what is being made, and which share of it is there
  double share = 0;
  int iterations = 0, most_iterations = 0;
  double moved = 0;  ///< in d, root mean square of the last step; 0 at the start
  bool ended = false;
};
using OnRelaxation = std::function<void(const RelaxationProgress&)>;
/// Asked a few times a second, also while it is prepared: true ends the relaxation without a result.
using StopAsked = std::function<bool()>;
/// Thrown then.
struct RelaxationStopped : std::exception {
  std::string of;  ///< key path of the body in a scene; empty where that is not known
  const char* what() const noexcept override { return "the relaxation of particles was stopped"; }
};

struct RelaxedSample {
  std::vector<Float3> position;  ///< [m] in line order (particle_order.h)
  int iterations = 0;
  double moved = 0;           ///< in d, root mean square of the last step
  int deep = 0;               ///< particles whose kernel does not reach the surface
  double density_spread = 0;  ///< of these: standard deviation of the density, in rest densities
  double nearest = 0;         ///< [m] smallest distance of two particles
};

/// Throws InputError where the mesh is not closed, is nowhere as thick as the spacing, or holds less than
/// half a particle; DivergenceError where particles get lost; RelaxationStopped.
namespace cpu {
/// Starting points: as many as in the end and near their places, without the time of a relaxation.
std::vector<Float3> start_points(const TriangleMesh& mesh, const RelaxationParameters& parameters);
RelaxedSample relaxed_sample(const TriangleMesh& mesh, const RelaxationParameters& parameters,
                             const OnRelaxation& progress = {}, const StopAsked& stop = {});
}  // namespace cpu
namespace gpu {
std::vector<Float3> start_points(const TriangleMesh& mesh, const RelaxationParameters& parameters);
/// Throws DeviceError where this build has no CUDA half.
RelaxedSample relaxed_sample(const TriangleMesh& mesh, const RelaxationParameters& parameters,
                             const OnRelaxation& progress = {}, const StopAsked& stop = {});
}  // namespace gpu

/// Particles that fill so large a mesh [m^3], before it is rounded.
inline double relaxed_count(double volume, double spacing) { return volume / (spacing * spacing * spacing); }

}  // namespace merganser
