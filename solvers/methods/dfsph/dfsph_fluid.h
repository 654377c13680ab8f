#pragma once
/// The fluid of dfsph.h: alone, or with others in one pressure solve.
#include "solvers/core/held_impulses.h"
#include "solvers/methods/dfsph/coupled_pressure.h"
#include "solvers/methods/dfsph/dfsph.h"
#include "solvers/methods/fluid/forces/fluid_forces.h"

MERGANSER_BEGIN

class Dfsph final : public System, public FluidFields, public HeldImpulses {
 public:
  Dfsph(const SystemState& state, const InitialState& initial, int system_index,
        const ParticleStore& particles);

  bool implicit() const override { return false; }
  void meet(const std::vector<std::unique_ptr<System>>& systems) override;
  std::vector<int> coupled_systems() const override;
  void prepare(const StepContext& step) override;
  void prepare_coupled(const StepContext& step) override;
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void advanced(const StepContext& step) override;
  void integrate_coupled(const StepContext& step, const MetaParticleView& groups, int stage,
                         View<Vec3> end_velocity) override;
  void record_exchange(const StepContext& step, const MetaParticleView& groups,
                       View<const Vec3> end_velocity) override;
  void write_held_impulses(const StepContext& step, const MetaParticleView& groups,
                           View<const Vec3> end_velocity, View<Vec3> impulse) override;
  void add_held_impulses(const StepContext& step, const MetaParticleView& groups,
                         View<Vec3> impulse) override;
  void measure(const ParticleStore& particles, Measures what) override;
  double time_step_limit() const override;
  SystemStatistics measured() const override;
  WallLoad wall_load(int k) const override;
  bool tolerance_met() const override { return statistics_.tolerance_met; }
  void particles_added(const ParticleStore& particles, int count, const Bounds& box) override;
  void particles_removed(View<const int> kept) override;
  SmoothingKernel smoothing_kernel() const override { return pressure_.kernel(); }
  void write_pressure(View<float> pressure) const override;
  void write_density(View<float> density) const override;
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

 private:
  double max_hydrostatic_head() const;
  /// [s] The longest step for which particles stay near where pressure acts on them.
  double longest_step() const;
  /// Of all fluids in it.
  CompressionPace pace_of_shared_solve() const;
  void sort_particles(ParticleStore& store);
  /// Rows, densities, diagonal.
  void find_factors(const ParticleStore& store);
  /// Velocities after the divergence solve.
  void make_divergence_free(const StepContext& step, View<const Vec3> velocity);
  /// What changes velocities between the solves.
  void add_forces(const StepContext& step, View<const Vec3> velocity);
  PressureConstraint members_as_one(const ParticleStore& store, const MetaParticleView& groups);
  /// The velocities [m/s] that the density solve starts from.
  void predict(const StepContext& step, const MetaParticleView& groups, View<Vec3> predicted);
  bool has_forces() const { return parameters_.viscosity > 0 || forces_.any(); }
  bool leads() const { return own_solve_ != nullptr; }
  bool is_coupled() const { return coupled_ != nullptr; }
  void resize(int count);
  void note(const PressureSolveResult& solved);
  void note(int stage, const PressureSolveResult& solved);

  DfsphParameters parameters_;
  int system_index_;
  double density0_;                 ///< [kg/m^3]
  Vec3 gravity_;                    ///< [m/s^2]
  mutable DfsphPressure pressure_;  ///< frames let it compute what they show
  FluidForces forces_;
  UniformGrid grid_;
  Nozzles nozzles_;

  Array<float> mobility_;       ///< [m^3/kg]
  Array<int> apart_;            ///< see Apart
  Array<Vec3> change_;          ///< [m/s] by the divergence solve and forces
  Array<Vec3> group_velocity_;  ///< [m/s] per merge group
  Array<Range> group_rows_;     ///< own members of each
  BoundsKnowledge bounds_known_;
  Reduction<Both<float, Bounds>> motion_;
  Reduction<float> largest_compression_;
  Reduction<StepExchange> exchange_;
  SystemStatistics statistics_;

  std::vector<const Dfsph*> shares_solve_;      ///< of the fluid that leads: the others
  std::vector<HeldImpulses*> pressed_;          ///< and all systems in its solve
  std::unique_ptr<CoupledPressure> own_solve_;  ///< where other systems take part in this one's solve
  CoupledPressure* coupled_ = nullptr;          ///< the solve that this one takes part in, if it is not alone
};

MERGANSER_END
