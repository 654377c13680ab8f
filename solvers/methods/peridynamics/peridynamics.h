#pragma once
/// Brittle solids: bond-based peridynamics, implicit or explicit. See README.md for the equations.
#include <memory>

#include "solvers/core/held_impulses.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/prescribed_motions.h"
#include "solvers/core/system.h"
#include "solvers/coupling/implicit/contact_walls.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/methods/peridynamics/bonds.h"
#include "solvers/methods/peridynamics/loads.h"
#include "solvers/methods/peridynamics/peridynamic_matrix.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"

MERGANSER_BEGIN

struct BondExchange;

class Peridynamics : public System, public HeldImpulses, public ImplicitSystem {
 public:
  /// Throws InputError where parameters, pre-cracks, loads or prescribed motions do not fit the particles.
  /// The particles' positions are the reference state; `seed` is for the scatter of critical stretches.
  Peridynamics(const SystemState& state, int system_index, const ParticleStore& particles,
               std::uint32_t seed);

  bool implicit() const override { return parameters_.integration == PeridynamicIntegration::implicit_euler; }
  bool half_step_behind() const override { return !implicit(); }
  /// Bonds and loads, without damping. Once positions have advanced, forces are those of the new ones.
  void write_half_kick(const StepContext& step, bool advanced, View<Vec3> half_kick) override;
  void prepare(const StepContext& step) override;
  /// Implicit: the second stage starts from the first stage's own solution; its tolerance refers to the first
  /// stage's |b|. Explicit: both stages have the same forces. end_velocity is written only.
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void record_exchange(const StepContext& step, const MetaParticleView& groups,
                       View<const Vec3> end_velocity) override;
  void write_held_impulses(const StepContext& step, const MetaParticleView& groups,
                           View<const Vec3> end_velocity, View<Vec3> impulse) override;
  void measure_before_walls(const StepContext& step, View<const Vec3>) override {
    sum_energy(step.particles, before_walls_);
  }
  double energy_before_walls() const override { return before_walls_.fetched(); }
  /// Breaks bonds at the new positions.
  void finish(const StepContext& step, View<const Vec3> end_velocity) override;
  void measure(const ParticleStore& particles, Measures what) override;
  double time_step_limit() const override;
  SystemStatistics measured() const override;
  bool tolerance_met() const override { return statistics_.tolerance_met; }
  WallLoad wall_load(int k) const override { return contact_walls_.load(k); }
  /// Walls with names get what they give within solves.
  void measure_wall_loads(const std::vector<WallParameters>& walls) {
    if (implicit()) contact_walls_.measure_loads(walls);
  }
  View<const int> bond_first() const override { return bonds_.list().first; }
  View<const int> bond_neighbor() const override { return bonds_.list().neighbor; }
  /// "damage" and "fragment".
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  void save(StateArchive& archive, const std::string& prefix) const override {
    bonds_.save(archive, prefix);
    alone_.save(archive, prefix);
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    bonds_.load(archive, prefix);
    alone_.load(archive, prefix);
  }

  PeridynamicBonds& bonds() { return bonds_; }

  ImplicitSystem* implicit_system() override { return implicit() ? this : nullptr; }
  int system_index() const override { return system_index_; }
  double tolerance() const override { return parameters_.tolerance; }
  int max_iterations() const override { return parameters_.max_iterations; }
  void right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) override;
  void diagonal(double dt, View<SymmetricMatrix3> blocks) override;
  void multiply(SolveProgress progress, double dt, const PartRows& rows, View<const Vec3> u,
                View<Vec3> y) override;
  /// The step's factor is kept on the device.
  void add_to_key(double, LaunchKey&) const override {}
  void solved(int stage, const LinearSolveResult& result) override;
  View<Vec3> wall_impulse() override { return contact_walls_.impulse(); }
  void contact_walls(const StepContext& step) override {
    contact_walls_.sum_loads(step, step.particles.range(system_index_));
  }

 private:
  BondExchange exchange_of(const StepContext& step, const MetaParticleView& groups,
                           View<const Vec3> end_velocity);
  float factor(double dt) const { return float(dt * (dt + parameters_.damping)); }
  void sum_energy(const ParticleStore& particles, Reduction<double>& sum);
  void find_impulses(const StepContext& step, View<Vec3> impulse);
  void integrate_explicit(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity);

  int system_index_;
  PeridynamicsParameters parameters_;
  PeridynamicBonds bonds_;
  PrescribedMotions prescribed_;
  PeridynamicLoads loads_;

  Array<Vec3> impulse_;                         ///< [N s] dt f with loads, of this step
  Array<SymmetricMatrix3> stiffness_diagonal_;  ///< [N/m], of this step
  Array<float> kept_factor_;                    ///< [s^2] factor() of this step
  Array<Vec3> braking_;                         ///< [N s] (dt C + dt^2 K) v; scratch
  ContactWalls contact_walls_;                  ///< of the implicit integration
  ImplicitCoupling alone_;                      ///< solves for this system where no other shares the solve

  // explicit integration
  StageRows rows_;
  Array<Vec3> change_;  ///< [m/s]; scratch once positions have advanced

  Array<Vec3> bond_quadratics_;  ///< see BondQuadratics
  Reduction<StepExchange> exchange_, loaded_;
  Reduction<double> energy_, before_walls_;

  SystemStatistics statistics_;
};

/// The system of the given index of the store; its particles are already there, in the order of `state`.
std::unique_ptr<System> make_peridynamics(const SystemState& state, const InitialState& initial,
                                          int system_index, const ParticleStore& particles);

MERGANSER_END
