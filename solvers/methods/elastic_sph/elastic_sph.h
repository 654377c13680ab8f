#pragma once
/// Corotated elastic SPH solids ([ES]). See README.md for the equations.
#include <memory>

#include "solvers/core/prescribed_motions.h"
#include "solvers/core/system.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "solvers/methods/elastic_sph/elastic_terms.h"
#include "solvers/methods/elastic_sph/factored_bodies.h"
#include "solvers/methods/elastic_sph/rotations.h"

MERGANSER_BEGIN

class ElasticSph : public System, public ImplicitSystem {
 public:
  /// Throws InputError where parameters or prescribed motions do not fit the particles, whose positions are
  /// the rest shape, and where `split` is asked for and the factors do not fit the memory allowed.
  ElasticSph(const SystemState& state, int system_index, const ParticleStore& particles);

  const char* type() const override { return "elastic SPH"; }
  /// `split` gives its members velocities as an explicit system would: it solves for each particle by itself.
  bool implicit() const override { return parameters_.solve != ElasticSolve::split; }
  void prepare(StepContext& step) override;
  void integrate(StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void record_exchange(const StepContext& step, const MetaParticleView& groups,
                       View<const Vec3> end_velocity) override;
  void measure_before_walls(const StepContext& step) override;
  double energy_before_walls() const override { return before_walls_.fetched(); }
  /// Keeps what rounding took off the positions.
  void finish(StepContext& step) override;
  /// Backward Euler is stable at any step; the split solve must not outrun the step it was made for.
  double time_step_limit() const override;
  void measure(const ParticleStore& particles, Measures what) override;
  SystemStatistics measured() const override;
  bool tolerance_met() const override { return statistics_.tolerance_met; }
  std::vector<std::string> notes() const override;
  std::vector<std::pair<std::string, double>> setup_metrics() const override;
  View<const int> bond_first() const override { return bond_first_.view(); }
  View<const int> bond_neighbor() const override { return bond_neighbor_.view(); }
  /// "stress" (von Mises, of the Cauchy stress [Pa]) and "volume_ratio" (det F), of the last measure()
  /// of all.
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

  /// [ES] alg. 1, line 11: (v** - v) / dt_el [m/s^2] of the particles as they are, local indices; zero for
  /// held ones. `step`: its gravity acts as part of the external forces, its dt is not used.
  void accelerations(StepContext& step, View<Vec3> acceleration);
  /// [N] forces of stretching, volume and zero-energy control at positions x, with the rotations of x.
  void forces(View<const Vec3> x, View<Vec3> force);
  /// [J] of stretching, volume and zero-energy control at positions x (blocking).
  double energy(View<const Vec3> x);
  /// Particles whose neighbors do not span space, and the first one's local index.
  int degenerate_neighborhoods() const { return degenerate_; }
  int first_degenerate() const { return first_degenerate_; }
  /// Zero where there is no factor.
  FactoredBodies::Figures factor_metrics() const {
    return factored_ ? factored_->setup_metrics() : FactoredBodies::Figures{};
  }

  ImplicitSystem* implicit_system() override { return implicit() ? this : nullptr; }
  int system_index() const override { return system_index_; }
  double tolerance() const override { return parameters_.tolerance; }
  int max_iterations() const override { return parameters_.max_iterations; }
  void right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) override;
  void diagonal(double dt, View<SymmetricMatrix3> blocks) override;
  void multiply(SolveProgress progress, double dt, const PartRows& rows, View<const Vec3> u,
                View<Vec3> y) override;
  bool preconditions() const override { return implicit() && factored_; }
  bool half_factor() const { return implicit() && parameters_.half_factor; }
  void precondition(const PartRows& rows, View<const Vec3> r, View<Vec3> z) override {
    factored_->solve(r, rows.effective_mass, z);
  }
  void multiply_known(double dt, const PartRows& rows, View<const Vec3> u, View<const Vec3> known,
                      View<Vec3> y) override;
  bool warm_start() const override { return true; }
  View<Vec3> wall_impulse() override { return wall_impulse_.view(); }
  BodyBalance* balance() override { return balance_.get(); }
  /// Numbers of the step are kept on the device.
  void add_to_key(double, LaunchKey&) const override {}
  void solved(int stage, const LinearSolveResult& result) override;

 private:
  struct VolumeMatrix;
  ElasticSph(const SystemState& state, int system_index, const ParticleStore& particles,
             const RestShape& shape);
  void make_factors(const RestShape& shape, const ParticleStore& particles, const std::string& name);
  /// position_ = the system's positions in the store after a time dt with these velocities.
  void set_positions(const ParticleStore& particles, View<const Vec3> velocity, double dt);
  /// position_ = any positions.
  void set_positions(View<const Vec3> x);
  /// R and, in the stress fields, F - R of the positions in position_; energies unless they are empty.
  void measure_strains(const StepRotations& rotations, View<float> energy);
  /// result = factor f of the positions in position_; the linear part, rotated_, is then that of their
  /// rotations.
  void find_forces(const ElasticParts& parts, bool control, const StepRotations& rotations, double factor,
                   View<Vec3> result);
  /// result = h u + factor f' u, without inertias factor f' u; f' the derivative of the forces.
  void find_product(const ElasticParts& parts, bool control, SolveProgress progress,
                    View<const float> effective_mass, View<const Vec3> u, StepNumber factor,
                    View<Vec3> result);
  /// Sums [J] with the rotations of the positions; leaves what measure_strains() does.
  void sum_energy(Reduction<double>& sum);
  /// Sums [J] of position_, with the step's rotations less with its own.
  void sum_turning_energy(Reduction<double>& sum);
  void integrate_split(const StepContext& step, const MetaParticleView& groups, int stage,
                       View<Vec3> end_velocity);
  /// [ES] alg. 1, lines 3 to 6: change_ of stretching and zero-energy control over the elastic step.
  void solve_stretching(const StepContext& step);
  /// Lines 7 to 9: volume_change_; start: the velocities that line 6 gave.
  LinearSolveResult solve_volume(const ParticleStore& particles, View<const Vec3> start);

  int system_index_;
  ElasticSphParameters parameters_;
  ElasticShape shape_;
  PrescribedMotions prescribed_;
  Array<int> bond_first_, bond_neighbor_;
  int degenerate_, first_degenerate_;
  std::string name_, too_large_;  ///< of the system; why there is no factor
  std::unique_ptr<BodyBalance> balance_;
  std::unique_ptr<FactoredBodies> factored_;

  PreciseFields position_, strain_;  ///< [m]; see PositionStress
  PreciseFields sums_;               ///< GPU: see SumPositions
  Array<int> lost_;                  ///< GPU: see PairStress
  LaneFields vector_, rotation_, stress_;
  LaneFields rotated_;            ///< of the step, see rotated::
  bool rotations_found_ = false;  ///< since the step began
  Array<float> numbers_;          ///< of the solve: -dt^2, dt^2 [s^2], (dt/dt_el)^2
  Array<Vec3> rounding_error_,
      before_;  ///< [m] see KeepRoundingError; positions at the beginning of the step
  Array<Quaternion> quaternion_, energy_quaternion_;  ///< of the step; of the positions last looked at
  Array<float> constant_diagonal_, own_mass_;         ///< [N/m], [kg]
  Array<Vec3> impulse_;          ///< [N s] of the explicit zero-energy control, of this step
  Array<Vec3> wall_impulse_;     ///< [N s] of the solve; empty: split
  Array<Vec3> force_, product_;  ///< [N], [N/s], scratch
  Array<float> body_volume_;     ///< [m^3] nominal, by body
  Array<float> energy_, stress_field_, volume_ratio_;

  // split
  Array<int> representative_, own_begin_, own_end_;
  Array<float> mass_, effective_mass_;
  Array<Vec3> start_, change_, volume_change_, right_side_, residual_, middle_;
  Array<SymmetricMatrix3> block_;
  ConjugateGradient volume_solver_;
  int expected_ = 8;  ///< iterations of its solve, those of the last one

  std::unique_ptr<ImplicitCoupling> alone_;      ///< solves for this system where no other shares the solve
  Reduction<double> energy_sum_, before_walls_;  ///< [J]
  Reduction<double> turning_before_, turning_after_;  ///< [J] at the beginning and the end of the step
  Reduction<StepExchange> exchange_;
  SystemStatistics statistics_;
};

/// The system of the given index of the store; its particles are already there, in the order of `state`.
std::unique_ptr<System> make_elastic_sph(const SystemState& state, const InitialState& initial,
                                         int system_index, const ParticleStore& particles);

MERGANSER_END
