#pragma once
/// Parameters and initial data of bond-based peridynamic solids: brittle, or unbreakable where the critical
/// stretch is infinite.
#include <limits>
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct ParameterTable;

enum class PeridynamicIntegration {
  implicit_euler,   ///< backward Euler, linearized once a step
  explicit_verlet,  ///< velocity Verlet: the positions of x += dt v, v += dt f / m
};

/// One body's material (Silling & Askari 2005, eq. 24-28). Bonds join particles of one body only.
struct PeridynamicMaterial {
  int body = 0;                ///< index into InitialState::bodies
  double density = 2500;       ///< [kg/m^3] of the solid; a particle's volume is its mass over this
  double spacing = 0;          ///< [m] of the particle lattice
  double bulk_modulus = 1e7;   ///< [Pa] K; Poisson's ratio of a bond-based solid is 1/4, so E = 1.5 K
  double fracture_energy = 0;  ///< [J/m^2] G0; with critical_stretch 0: s0 = sqrt(5 G0 / (9 K horizon))
  double critical_stretch = std::numeric_limits<double>::infinity();  ///< s0; infinite = unbreakable
  double stretch_scatter = 0;  ///< s0 of a bond is drawn from s0 (1 +- this), keyed by the bond's particles
};

/// s0 = sqrt(5 G0 / (9 K delta)), G0 [J/m^2], K [Pa], delta [m] the horizon (Silling & Askari 2005, eq. 28).
double critical_stretch(double fracture_energy, double bulk_modulus, double horizon);
/// The material's own s0, or that of its fracture energy.
double mean_critical_stretch(const PeridynamicMaterial& material, double horizon);

/// A parallelogram corner + a u + b v, 0 <= a, b <= 1: bonds that cross it are broken from the beginning.
struct PreCrack {
  int body = 0;                                              ///< index into InitialState::bodies
  Point3 corner{0, 0, 0}, edge_u{1, 0, 0}, edge_v{0, 1, 0};  ///< [m]
};

/// A force that acts on some particles (tractions on a surface layer).
struct PeridynamicLoad {
  std::vector<int> particles;              ///< local indices of the system
  Point3 acceleration{0, 0, 0};            ///< [m/s^2] traction / (density * layer thickness)
  double start_time = 0, end_time = 1e30;  ///< [s]
};

struct PeridynamicsParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  PeridynamicIntegration integration = PeridynamicIntegration::implicit_euler;
  double horizon_factor = 3.015;  ///< horizon / spacing; 122 bonds a particle within a cubic lattice
  double damping = 0.0;           ///< [s] along a bond: its damping coefficient is this times its stiffness
  double tolerance = 1e-4;        ///< conjugate gradients stop at |r| <= tolerance * |b|
  int max_iterations = 200;       ///< iteration cap; reaching it is reported
  double cfl = 0.8;               ///< share of the stable step; explicit integration only
  std::vector<PeridynamicMaterial> materials;  ///< one a body
  std::vector<PreCrack> pre_cracks;
  std::vector<PeridynamicLoad> loads;
};

/// [s] Of the explicit integration: cfl 2/w (sqrt(1 + z^2) - z) with the greatest frequency w <=
/// 2/stable_step of bonds without damping and z = damping w / 2, the limit of v += dt (f(x) - C v)/m, x += dt
/// v.
double explicit_step(const PeridynamicsParameters& parameters, double stable_step);

}  // namespace merganser
