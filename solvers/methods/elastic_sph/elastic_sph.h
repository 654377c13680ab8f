#pragma once
/// Corotated elastic SPH solids ([ES]). See README.md for the equations.
#include <memory>

#include "solvers/core/held_impulses.h"
#include "solvers/core/prescribed_motions.h"
#include "solvers/core/setup_report.h"
#include "solvers/core/system.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/methods/elastic_sph/backward_euler.h"
#include "solvers/methods/elastic_sph/split_solve.h"

MERGANSER_BEGIN

struct ElasticExchange;

class ElasticSph : public System, public HeldImpulses, public SetupReport {
 public:
  /// Throws InputError where parameters or prescribed motions do not fit the particles, whose positions are
  /// the rest shape, and where `split` is asked for and the factors do not fit the memory allowed.
  ElasticSph(const SystemState& state, int system_index, const ParticleStore& particles);

  /// `split` gives its members velocities as an explicit system would: it solves for each particle by itself.
  bool implicit() const override { return model_.implicit(); }
  bool stores_impacts() const override { return true; }
  void prepare(const StepContext& step) override;
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void record_exchange(const StepContext& step, const MetaParticleView& groups,
                       View<const Vec3> end_velocity) override;
  void write_held_impulses(const StepContext& step, const MetaParticleView& groups,
                           View<const Vec3> end_velocity, View<Vec3> impulse) override;
  /// The impulses on held particles are those of these velocities, which its own solve found.
  void before_pressure(const StepContext& step, View<const Vec3> end_velocity) override {
    solved_velocity_.keep(step.particles.range(model_.system_index), end_velocity);
  }
  /// Walls with names get what they give within solves.
  void measure_wall_loads(const std::vector<WallParameters>& walls) {
    model_.contact_walls.measure_loads(walls);
  }
  void measure_before_walls(const StepContext& step, View<const Vec3> end_velocity) override;
  double energy_before_walls() const override { return before_walls_.fetched(); }
  /// Keeps what rounding took off the positions.
  void finish(const StepContext& step, View<const Vec3> end_velocity) override;
  /// Backward Euler is stable at any step; the split solve must not outrun the step it was made for.
  double time_step_limit() const override;
  void measure(const ParticleStore& particles, Measures what) override;
  SystemStatistics measured() const override;
  WallLoad wall_load(int k) const override { return model_.contact_walls.load(k); }
  bool tolerance_met() const override { return model_.statistics.tolerance_met; }
  /// [ES] alg. 1, line 11: (v** - v) / dt_el [m/s^2] of the particles as they are, local indices; zero for
  /// held ones. `step`: its gravity acts as part of the external forces, prescribed parts move as they do
  /// over its dt.
  void accelerations(const StepContext& step, View<Vec3> acceleration);
  ImplicitSystem* implicit_system() override { return backward_euler_.get(); }
  std::vector<std::string> notes() const override;
  std::vector<std::string> warnings() const override;
  std::vector<std::pair<std::string, double>> setup_metrics() const override;
  /// Of the factors; zero where there is none.
  FactoredBodies::Figures factor_metrics() const;
  View<const int> bond_first() const override { return bond_first_.view(); }
  View<const int> bond_neighbor() const override { return bond_neighbor_.view(); }
  /// "stress" (von Mises, of the Cauchy stress [Pa]) and "volume_ratio" (det F), of the last measure()
  /// of all.
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

 private:
  /// Forces of positions, once prescribed parts have their velocities.
  void prepare_forces(const StepContext& step);
  /// Of the forces that own particles have with `own_velocity` [m/s].
  ElasticExchange exchange_of(const StepContext& step, const MetaParticleView& groups,
                              View<const Vec3> end_velocity, View<const Vec3> own_velocity);
  ElasticSph(const SystemState& state, int system_index, const ParticleStore& particles,
             const RestShape& shape);

  ElasticModel model_;
  PrescribedMotions prescribed_;
  Array<int> bond_first_, bond_neighbor_;
  int degenerate_, first_degenerate_;                     ///< see RestShape
  std::unique_ptr<ElasticBackwardEuler> backward_euler_;  ///< or split_
  std::unique_ptr<ImplicitCoupling> alone_;  ///< solves for this system where no other shares the solve
  std::unique_ptr<ElasticSplitSolve> split_;

  SolvedVelocities solved_velocity_;
  Array<float> body_volume_;  ///< [m^3] nominal, by body
  Array<float> stress_, volume_ratio_;
  Array<Vec3> force_, product_;                  ///< [N], [N/s], of the step's end
  Reduction<double> energy_sum_, before_walls_;  ///< [J]
  /// [J] at the beginning and the end of the step: what turning rotations takes; neo-Hookean: the energies.
  Reduction<double> turning_before_, turning_after_;
  Reduction<StepExchange> exchange_;
};

/// The system of the given index of the store; its particles are already there, in the order of `state`.
std::unique_ptr<System> make_elastic_sph(const SystemState& state, const InitialState& initial,
                                         int system_index, const ParticleStore& particles);

MERGANSER_END
