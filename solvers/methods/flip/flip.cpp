#include "solvers/methods/flip/flip.h"

#include <algorithm>
#include <cmath>

#include "device/sum_of.h"
#include "solvers/core/checked_parameters.h"
#include "solvers/core/fluid_fields.h"
#include "solvers/core/held_impulses.h"
#include "solvers/methods/flip/end_velocity.h"
#include "solvers/methods/flip/flip_solve.h"
#include "solvers/methods/flip/grid_at_point.h"
#include "solvers/methods/flip/particle_to_grid.h"
#include "solvers/methods/flip/reseed.h"
#include "solvers/methods/fluid/check_fluid.h"

MERGANSER_BEGIN

namespace {

struct LargestSpeed {
  static constexpr const char* name = "flip largest speed";
  View<const Vec3> velocity;
  MERGANSER_METHOD float operator()(int i) const { return norm_squared(velocity[i]); }
};

class Flip final : public System, public FluidFields, public HeldImpulses {
 public:
  Flip(const SystemState& state, const InitialState& initial, int system_index,
       const ParticleStore& particles)
      : parameters_((check_fluid(state), checked_parameters<FlipParameters>(state))),
        system_index_(system_index),
        spacing_(static_cast<float>(2 * state.fluid.particle_radius)),
        dx_(static_cast<float>(2 * state.fluid.particle_radius * parameters_.cell_size)),
        density0_(state.fluid.density0),
        gravity_(std::hypot(initial.gravity[0], initial.gravity[1], initial.gravity[2])),
        reseeding_(std::pow(parameters_.cell_size, 3), static_cast<float>(state.fluid.particle_radius),
                   initial.seed),
        solve_(std::make_unique<FlipSolve>(parameters_, spacing_, dx_, density0_, initial)),
        with_sheets_(solve_->has_sheets()),
        fluids_{this} {
    require_open_domain(state, initial.periodic_length, "a FLIP fluid", "an SPH fluid");
    velocities_.resize(particles.range(system_index).count);
    coupled_ = coupled_indices_of_flip(state, initial);
  }

  bool implicit() const override { return false; }
  void prepare(const StepContext& step) override;
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void meet(const std::vector<std::unique_ptr<System>>& systems) override;
  std::vector<int> coupled_systems() const override { return coupled_; }
  void integrate_coupled(const StepContext& step, const MetaParticleView& groups, int stage,
                         View<Vec3> end_velocity) override;
  void advanced(const StepContext& step) override;
  void finish(const StepContext& step, View<const Vec3>) override {
    if (step.particles.range(system_index_).count == 0) return;
    velocities_.end_step();
    has_moved_ = true;
  }
  void measure(const ParticleStore& particles, Measures what) override;
  double time_step_limit() const override;
  SystemStatistics measured() const override {
    SystemStatistics result = solve_ ? solve_->statistics() : SystemStatistics{};
    result.density_error = solve().largest_density_error();
    return result;
  }
  /// What happens to its own particles in groups, groups tell.
  void write_held_impulses(const StepContext&, const MetaParticleView&, View<const Vec3>,
                           View<Vec3> impulse) override {
    fill_zero(impulse.data, sizeof(Vec3) * size_t(impulse.count));
  }
  void add_held_impulses(const StepContext& step, const MetaParticleView& groups,
                         View<Vec3> impulse) override {
    if (solve_) solve_->add_held_impulses({step.particles.inverse_mass.const_view(), groups}, impulse);
  }
  WallLoad wall_load(int k) const override { return solve_ ? solve_->wall_load(k) : WallLoad{}; }
  bool tolerance_met() const override { return !solve_ || solve_->statistics().tolerance_met; }
  bool moves_in_prepare() const override { return parameters_.reseeding; }
  void particles_added(const ParticleStore& particles, int, const Bounds& box) override {
    velocities_.resize(particles.range(system_index_).count);
    bounds_known_.add(box);
  }
  void particles_removed(View<const int> kept) override {
    velocities_.keep(kept);
    bounds_known_.forget();
  }
  /// As wide as that of SPH by default; the pressure is the grid's.
  SmoothingKernel smoothing_kernel() const override { return WendlandC2<float>(1.2f * spacing_); }
  bool write_at_point(FluidField field, const Vec3& point, View<PointSums> to) const override;
  void save(StateArchive& archive, const std::string& prefix) const override {
    velocities_.save(archive, prefix);
    archive.put(prefix + "/has_moved", std::vector<std::int32_t>{has_moved_ ? 1 : 0});
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    bounds_known_.forget();
    velocities_.load(archive, prefix);
    has_moved_ = archive.get<std::int32_t>(prefix + "/has_moved").at(0) != 0;
  }

 private:
  const FlipSolve& solve() const { return *fluids_.front()->solve_; }
  /// Once a step: of all fluids of the solve.
  void mark_cells(const StepContext& step);
  /// The projection, and from it end velocities of all fluids of the solve.
  void solve_all(const StepContext& step, const MetaParticleView& groups, int stage, View<Vec3> end_velocity);
  /// End velocities of this one.
  void take_velocities(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity);
  View<const Vec3> displacement() const {
    return solve().corrects_volume() ? displacement_.const_view() : View<const Vec3>{};
  }
  void sort(ParticleStore& store, Range own);
  bool reseed(const StepContext& step, Range own);
  /// See flip_crossing_rate(); speed_squared [m^2/s^2]: the greatest.
  double crossing_rate(double speed_squared) const;

  FlipParameters parameters_;
  int system_index_;
  float spacing_, dx_;  ///< [m]
  double density0_;     ///< [kg/m^3]
  double gravity_;      ///< [m/s^2]
  UniformGrid sorted_;
  GridBounds placement_;  ///< these two for reseeding
  ForeignParticles foreign_;
  FlipVelocities velocities_;
  FlipReseeding reseeding_;
  std::vector<int> coupled_;          ///< systems of the pressure solve; empty: it alone
  std::unique_ptr<FlipSolve> solve_;  ///< of the first fluid, for all that are solved together
  bool with_sheets_;
  std::vector<Flip*> fluids_;  ///< in the order of the scene
  bool alone_ = true;          ///< no other system in the scene
  std::vector<HeldImpulses*> pressed_;
  bool has_moved_ = false;  ///< by a step: affine matrices are known

  Array<Vec3> projected_, shift_, group_velocity_;  ///< [m/s]
  Array<Vec3> displacement_;                        ///< [m]
  Reduction<float> largest_;                        ///< speed squared [m^2/s^2] at the beginning of a step
  Reduction<Both<float, Bounds>> motion_;
  BoundsKnowledge bounds_known_;
};

void Flip::prepare(const StepContext& step) {
  ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  if (solve_) solve_->begin_step();
  if (own.count == 0) return;
  sort(store, own);
  bounds_known_.forget();  // from here on
  if (parameters_.reseeding && reseed(step, own)) sort(store, own);
}

void Flip::sort(ParticleStore& store, Range own) {
  const View<const Vec3> position = store.position.const_view().subview(own.first, own.count);
  if (bounds_known_)
    sorted_.build_order(position, bounds_known_.now(motion_.fetched().second), dx_);
  else
    sorted_.build_order(position, dx_);
  store.permute(system_index_, sorted_.order());
  velocities_.permute(sorted_.order());
  sorted_.use_permuted(store.position.const_view().subview(own.first, own.count));
}

/// True where a particle has moved.
bool Flip::reseed(const StepContext& step, Range own) {
  const auto [low, cells] = placement_.around(
      {step.particles.position.const_view().subview(own.first, own.count)}, sorted_.bounds(), dx_);
  FlipGrid box;
  box.low = low;
  box.cells = cells;
  box.dx = dx_;
  box.inverse_dx = 1 / dx_;
  foreign_.find(step.particles, box, sorted_.view().shape, {own});
  return reseeding_.apply(step.particles, own, sorted_.view(), foreign_.view(), step.walls,
                          velocities_.affine(), step.step) > 0;
}

void Flip::mark_cells(const StepContext& step) {
  const ParticleStore& store = step.particles;
  std::vector<SolvedFluid> fluids;
  double rate = 0;
  for (Flip* fluid : fluids_) {
    const Range own = store.range(fluid->system_index_);
    if (own.count == 0) continue;
    fluids.push_back({own, &fluid->sorted_, &fluid->velocities_, &fluid->displacement_, fluid->density0_});
    const View<const Vec3> velocity = store.velocity.const_view().subview(own.first, own.count);
    largest_.run(own.count, maximum_of(LargestSpeed{velocity}));
    rate = std::max(rate, crossing_rate(largest_.read()));
  }
  solve_->mark(step, std::move(fluids), coupled_, rate);
}

void Flip::meet(const std::vector<std::unique_ptr<System>>& systems) {
  alone_ = systems.size() == 1;
  for (const int s : coupled_) {
    System* system = systems[size_t(s)].get();
    auto* fluid = dynamic_cast<Flip*>(system);
    if (fluid && fluid != this) fluids_.push_back(fluid);
  }
  std::sort(fluids_.begin(), fluids_.end(),
            [](const Flip* a, const Flip* b) { return a->system_index_ < b->system_index_; });
  if (fluids_.front() != this) {
    solve_.reset();
    return;
  }
  for (const int s : coupled_) {
    System* system = systems[size_t(s)].get();
    if (auto* bodies = dynamic_cast<PressedBodies*>(system)) solve_->use(s, *bodies);
  }
  for (size_t s = 0; s < systems.size(); ++s) {
    if (auto* held = dynamic_cast<HeldImpulses*>(systems[s].get())) pressed_.push_back(held);
    auto* bodies = dynamic_cast<PressedBodies*>(systems[s].get());
    if (bodies && std::find(coupled_.begin(), coupled_.end(), int(s)) == coupled_.end())
      solve_->use_other(int(s), *bodies);
  }
  for (const int s : solve_->sheets()) solve_->use(s, dynamic_cast<PressedSheet&>(*systems[size_t(s)]));
}

/// With others in the solve only once these know what they do without.
void Flip::integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                     View<Vec3> end_velocity) {
  const Range own = step.particles.range(system_index_);
  if (alone_) {
    solve_all(step, groups, stage, end_velocity);
    return;
  }
  launch(own.count, FreeVelocity{.groups = groups,
                                 .velocity = step.particles.velocity.const_view(),
                                 .inverse_mass = step.particles.inverse_mass.const_view(),
                                 .first = own.first,
                                 .fall = static_cast<float>(step.dt) * step.gravity,
                                 .free_velocity = end_velocity.subview(own.first, own.count)});
}

void Flip::integrate_coupled(const StepContext& step, const MetaParticleView& groups, int stage,
                             View<Vec3> end_velocity) {
  if (!solve_ || alone_) return;
  for (HeldImpulses* system : pressed_) system->before_pressure(step, end_velocity);
  solve_all(step, groups, stage, end_velocity);
}

void Flip::solve_all(const StepContext& step, const MetaParticleView& groups, int stage,
                     View<Vec3> end_velocity) {
  const auto has_particles = [&](const Flip* fluid) {
    return step.particles.range(fluid->system_index_).count > 0;
  };
  if (std::none_of(fluids_.begin(), fluids_.end(), has_particles)) return;
  if (stage == 0) mark_cells(step);
  solve_->project(step, groups, stage, end_velocity);
  for (Flip* fluid : fluids_)
    if (has_particles(fluid)) fluid->take_velocities(step, groups, end_velocity);
  solve_->push_others(step, groups, end_velocity);
}

void Flip::take_velocities(const StepContext& step, const MetaParticleView& groups, View<Vec3> end_velocity) {
  const ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  projected_.resize(own.count);
  shift_.resize(own.count);
  if (groups.group_count > group_velocity_.size()) group_velocity_.resize(groups.group_count);
  // A body that turns has no affine matrices yet, so the first step keeps velocities.
  const double blend = !has_moved_ ? 1
                       : parameters_.transfer == FlipTransfer::apic
                           ? 0
                           : std::pow(parameters_.flip_blend, solve().crossings());
  launch(own.count, FacesToParticles{.grid = solve().pressure().grid(),
                                     .lattice = sorted_.view().shape,
                                     .position = store.position.const_view().subview(own.first, own.count),
                                     .free_velocity = velocities_.free_velocity(),
                                     .u = solve().faces(),
                                     .change = solve().pressure().change(),
                                     .blend = static_cast<float>(blend),
                                     .velocity = projected_.view(),
                                     .affine = velocities_.next_affine()});
  launch_group_sums(groups.group_count, FlipGroupVelocity{.members = {groups, own},
                                                          .velocity = projected_.const_view(),
                                                          .group_velocity = group_velocity_.view()});
  launch(own.count, FlipEndVelocity{.group_of = groups.group_count > 0 ? groups.group_of : View<const int>{},
                                    .group_velocity = group_velocity_.const_view(),
                                    .own = own,
                                    .before = store.velocity.const_view(),
                                    .inverse_mass = store.inverse_mass.const_view(),
                                    .projected = projected_.const_view(),
                                    .displacement = displacement(),
                                    .dt = static_cast<float>(step.dt),
                                    .affine = velocities_.next_affine(),
                                    .shift = shift_.view(),
                                    .end_velocity = end_velocity});
}

bool Flip::write_at_point(FluidField field, const Vec3& point, View<PointSums> to) const {
  const FlipPressure& pressure = solve().pressure();
  const double dt = solve().solved_dt();
  launch(1, GridAtPoint{.grid = pressure.grid(),
                        .kind = dt > 0 ? pressure.kind() : View<const signed char>{},
                        .pressure = pressure.pressure(),
                        .density_error = pressure.density_error(),
                        .density0 = density0_,
                        .pressure_of_unknown = dt > 0 ? solve().density0() * double(dx_) / dt : 0,
                        .field = field,
                        .point = point,
                        .to = to});
  return true;
}

/// The shift has moved the particles; their velocities do not keep it, nor do walls meet it.
void Flip::advanced(const StepContext& step) {
  const Range own = step.particles.range(system_index_);
  if (own.count == 0) return;
  launch(own.count, TakeOffShift{.shift = shift_.const_view(),
                                 .displacement = displacement(),
                                 .affine = velocities_.next_affine(),
                                 .strain = parameters_.transfer == FlipTransfer::apic ? 1.0f : 0.5f,
                                 .dt = static_cast<float>(step.dt),
                                 .velocity = step.particles.velocity.view().subview(own.first, own.count)});
}

double Flip::crossing_rate(double speed_squared) const {
  return flip_crossing_rate(std::sqrt(speed_squared), gravity_, double(dx_));
}

void Flip::measure(const ParticleStore& particles, Measures) {
  const Range own = particles.range(system_index_);
  motion_.run(
      own.count,
      together(maximum_of(LargestSpeed{particles.velocity.const_view().subview(own.first, own.count)}),
               PositionBounds{particles.position.const_view().subview(own.first, own.count)}));
  bounds_known_.measured();
}

double Flip::time_step_limit() const {
  const double rate = crossing_rate(motion_.fetched().first);
  return rate > 0 ? parameters_.cfl / rate : 1e30;
}

}  // namespace

std::unique_ptr<System> make_flip(const SystemState& state, const InitialState& initial, int system_index,
                                  const ParticleStore& particles) {
  return std::make_unique<Flip>(state, initial, system_index, particles);
}

MERGANSER_END
