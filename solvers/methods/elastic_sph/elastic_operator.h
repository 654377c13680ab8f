#pragma once
/// Forces, energies and stiffness of a system's elastic bodies. See README.md for the equations.
#include "device/reduce.h"
#include "solvers/methods/elastic_sph/elastic_terms.h"
#include "solvers/methods/elastic_sph/neo_hookean_terms.h"
#include "solvers/methods/elastic_sph/rotations.h"

MERGANSER_BEGIN

/// Energies that take part in a force or a product.
enum class ElasticEnergies {
  all,
  constant,  ///< stretching and zero-energy control, whose matrix A0 has no rotations
  volume
};

/// Whose rotations a force takes.
enum class RotationsOf {
  step,       ///< those that are kept over the step
  new_step,   ///< those of the positions; from now on they are the step's
  positions,  ///< those of the positions; the step's stay
};

/// Local indices throughout; positions are those of ExactPositions.
class ElasticOperator {
 public:
  using Positions = LaneView<const PreciseNumber>;
  ElasticOperator(const RestShape& shape, ZeroEnergyControl control, ElasticLaw law = ElasticLaw::corotated);
  /// Forces are not linear in positions even where rotations are held; all energies take part together, and
  /// a product's matrix is that of find_derivative().
  bool neo_hookean() const { return law_ == ElasticLaw::neo_hookean; }

  /// Some body has an implicit zero-energy control.
  bool has_implicit_control() const { return shape_.controlled(); }
  /// Some body has an explicit zero-energy control, whose impulse find_control_impulse() gives.
  bool has_explicit_control() const { return shape_.penalised(); }

  /// Blocks of eight neighbors that a product runs over.
  int slots() const { return shape_.slots(); }

  /// result [N times factor] = factor f(x). The linear part is then that of the forces' rotations.
  void find_forces(Positions x, ElasticEnergies energies, RotationsOf rotations, double factor,
                   View<Vec3> result);
  /// Neo-Hookean: the rotations of the last find_forces(), which are the step's from now on, and the second
  /// derivative there, made positive, for the products that follow. Once after a find_forces().
  void find_derivative();
  /// result = h u + factor f' u with effective masses h, zero where h is; without them factor f' u. f' [N/m]
  /// is the derivative of the forces with the rotations held.
  void find_product(ElasticEnergies energies, SolveProgress progress, View<const float> effective_mass,
                    View<const Vec3> u, StepNumber factor, View<Vec3> result);
  /// A in find_known_product().
  struct KnownMatrix {
    View<const float> effective_mass, own_mass;  ///< [kg] h, 0 = fixed row; m
    StepNumber ratio_squared, dt_squared;        ///< (dt/dt0)^2, [s^2] dt^2
  };
  /// product = A u where known = A0 u is at hand, see known_product.h.
  void find_known_product(const KnownMatrix& matrix, View<const Vec3> u, View<const Vec3> known,
                          View<Vec3> product);
  /// Diagonal blocks of -factor f', of all energies or of the volume's.
  void find_diagonal(ElasticEnergies energies, double factor, View<SymmetricMatrix3> blocks);

  /// Sums the energy [J] with the rotations of x; the strains of find_stress() are then those of x.
  void sum_energy(Positions x, Reduction<double>& sum);
  /// Sums what a neo-Hookean step makes least, see StepPotential; x: x + dt (v + u).
  void sum_step_potential(Positions x, StepPotential terms, Reduction<double>& sum);
  /// Sums the energy [J] with the step's rotations less that with those of x.
  void sum_turning_energy(Positions x, Reduction<double>& sum);
  /// impulse [N s] = that of the explicit zero-energy control over a time dt [s], with the step's rotations.
  void find_control_impulse(Positions x, double dt, Array<Vec3>& impulse);
  /// Stress [Pa] and volume ratio of the last sum_energy(), see ElasticOutput; volume [m^3] by body.
  void find_stress(View<const float> volume, View<const int> body, View<float> stress,
                   View<float> volume_ratio);

  /// The rotations; the rest shape is kept to refuse another scene's.
  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  bool controlled(ElasticEnergies energies) const {
    return shape_.controlled() && energies != ElasticEnergies::volume;
  }
  StepRotations rotations(RotationsOf which);
  void find_neo_hookean_energies(Positions x);
  void find_neo_hookean_forces(Positions x, const ElasticRows& rows);
  /// R and, in the stress fields, F - R of the positions; energies unless they are empty.
  void measure_strains(Positions x, const StepRotations& rotations, View<float> energy);

  ElasticShape shape_;
  ElasticLaw law_;
  LaneFields derivative_;         ///< neo-Hookean: [J] of the stresses
  Array<double> precise_energy_;  ///< neo-Hookean: [J]
  PreciseFields strain_;          ///< see PositionStress
  PreciseFields sums_;            ///< GPU: see SumPositions
  Array<int> lost_;               ///< GPU: see PairStress
  LaneFields vector_, rotation_, stress_;
  LaneFields rotated_;                                 ///< of the step, see turned::
  Array<UnitQuaternion> quaternion_, own_quaternion_;  ///< of the step; of the positions last looked at
  Array<float> constant_diagonal_;                     ///< [N/m]
  Array<float> energy_;                                ///< [J]
};

MERGANSER_END
