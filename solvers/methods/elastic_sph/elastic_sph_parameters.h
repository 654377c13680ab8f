#pragma once
/// Parameters of corotated elastic SPH solids ([ES]).
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct ParameterTable;

enum class ElasticSolve {
  automatic,           ///< the whole system; preconditioned or block Jacobi, whatever is cheaper
  preconditioned,      ///< whole system by conjugate gradients, the factored constant part as preconditioner
  split,               ///< [ES] alg. 1: stretching directly, then volume by conjugate gradients
  conjugate_gradient,  ///< whole system, block Jacobi (Peer et al. 2018): a baseline for comparison
};

enum class ElasticLaw {
  corotated,    ///< [ES] eq. 10 and 13: quadratic in strain, rotations held over a step
  neo_hookean,  ///< stable Neo-Hookean, Smith et al. 2018: any strain, Newton's method
};

enum class ZeroEnergyControl {
  implicit_energy,  ///< [ES] eq. 20
  explicit_force,   ///< Ganzenmueller 2015, projected error: a baseline for comparison
};

enum class ElasticVolumes {
  mass,       ///< mass over rest density: those of all particles add up to the body's
  summation,  ///< [ES] eq. 5, which overestimates them at surfaces
};

/// Storage of the numbers of factors that serve as preconditioners.
enum class FactorPrecision { single, half };

/// One body's material.
struct ElasticMaterial {
  /// Keys of bodies and what they are bound to.
  static const ParameterTable& table();
  int body = 0;                 ///< index into InitialState::bodies
  double spacing = 0;           ///< [m] of the particles
  double youngs_modulus = 1e6;  ///< [Pa]
  double poisson_ratio = 0.33;
  double alpha = 10;       ///< stiffness of the zero-energy control, 0 = none
  int rest_shape_of = -1;  ///< body whose rest shape it has, particle by particle, turned; -1: its own
  bool operator==(const ElasticMaterial&) const = default;
};

struct ElasticSphParameters {
  /// Keys of scenes and what they are bound to.
  static const ParameterTable& table();
  ElasticSolve solve = ElasticSolve::automatic;
  ElasticLaw law = ElasticLaw::corotated;
  ZeroEnergyControl zero_energy = ZeroEnergyControl::implicit_energy;
  ElasticVolumes volumes = ElasticVolumes::mass;
  double elastic_time_step = 0;        ///< [s] of the factored matrix; split: of the elastic solve
  double smoothing_length_factor = 1;  ///< smoothing length / spacing; the support is twice as long
  int closest_neighbors = 0;           ///< keep only so many, 0 = all within the support
  double tolerance = 1e-4;             ///< conjugate gradients stop at |r| <= tolerance * |b|
  int max_iterations = 200;            ///< iteration cap; reaching it is reported
  double factor_memory = 0;            ///< [bytes] that all factors together may take, 0 = no limit
  int factor_parts = 0;                ///< that a body's matrix is cut into, 1 = whole, 0 = see the key
  FactorPrecision factor_precision = FactorPrecision::single;
  std::vector<ElasticMaterial> materials;  ///< one a body
};

}  // namespace merganser
