#include "solvers/methods/sph/sph.h"

#include <cmath>
#include <optional>

#include "solvers/base/parameter_table.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/checked_parameters.h"
#include "solvers/core/fluid_fields.h"
#include "solvers/core/held_impulses.h"
#include "solvers/core/topological_links.h"
#include "solvers/methods/fluid/check_fluid.h"
#include "solvers/methods/fluid/forces/fluid_forces.h"
#include "solvers/methods/sph/end_velocity.h"
#include "solvers/methods/sph/reductions.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "solvers/methods/sph/sph_sums.h"
#include "solvers/methods/sph/viscous_step.h"

MERGANSER_BEGIN

namespace {

struct HeldFluidImpulse {
  static constexpr const char* name = "sph held impulses";
  HeldParticles held;
  int first_particle;
  View<const Vec3> acceleration;  ///< [m/s^2] of own particles
  float mass, dt;                 ///< [kg], [s]
  View<Vec3> impulse;             ///< [N s] of own particles, written
  MERGANSER_METHOD void operator()(int i) const {
    impulse[i] = held.holds(first_particle + i) ? mass * dt * acceleration[i] : Vec3{0, 0, 0};
  }
};

class Sph final : public System, public TopologicalLinks, public FluidFields, public HeldImpulses {
 public:
  Sph(const SystemState& state, const InitialState& initial, int system_index,
      const ParticleStore& particles);

  bool implicit() const override { return false; }
  void prepare(const StepContext& step) override;
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void finish(const StepContext& step, View<const Vec3> end_velocity) override;
  void advanced(const StepContext& step) override {
    const Range own = step.particles.range(system_index_);
    const View<const Vec3> moves = sums_.moves();
    if (moves.count > 0)
      launch(own.count, MovePlaces{moves, step.particles.position.view().subview(own.first, own.count)});
  }
  void measure(const ParticleStore& particles, Measures what) override;
  double time_step_limit() const override;
  SystemStatistics measured() const override;
  bool tolerance_met() const override { return forces_.last_solve().tolerance_met; }
  WallLoad wall_load(int k) const override {
    WallLoad load = sums_.wall_load(k);
    return load += forces_.wall_load(k);
  }
  void particles_added(const ParticleStore& particles, int count, const Bounds& box) override;
  void particles_removed(View<const int> kept) override;
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  LinkedPairs linked_pairs() const override;
  long long links_between(const ParticleStore& particles, int body, int other) override;
  long long take_late_pairs() override { return topology_ ? topology_->take_late_pairs() : 0; }
  SmoothingKernel smoothing_kernel() const override { return sums_.kernel(); }
  void write_pressure(View<float> pressure) const override;
  void write_density(View<float> density) const override;
  /// Members of groups that are held fast: what their neighbors press on them.
  void write_held_impulses(const StepContext& step, const MetaParticleView& groups, View<const Vec3>,
                           View<Vec3> impulse) override {
    launch(impulse.count, HeldFluidImpulse{.held = {step.particles.inverse_mass.const_view(), groups},
                                           .first_particle = step.particles.range(system_index_).first,
                                           .acceleration = fields_.acceleration.const_view(),
                                           .mass = sums_.mass(),
                                           .dt = float(step.dt),
                                           .impulse = impulse});
  }
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

 private:
  /// Sorts particles into cell order where the step wants it, and renews topological neighborhoods.
  void sort_particles(ParticleStore& store);
  FluidParticles fluid_particles(const ParticleStore& store) const;
  SphNeighbors neighbors() const { return {grid_, topology_ ? &*topology_ : nullptr}; }
  void resize(int count) {
    sums_.resize(count, fields_);
    forces_.resize(count);
  }

  SphParameters parameters_;
  int system_index_;
  Vec3 gravity_;
  SphSums sums_;
  FluidForces forces_;
  UniformGrid grid_;
  std::optional<TopologyUpdates> topology_;  ///< where neighborhoods are topological

  SphFields fields_;                   ///< acceleration: of the last prepare()
  Array<Vec3> displacement_velocity_;  ///< [m/s] with which the positions came about, see finish()
  bool may_be_closed_;                 ///< the first step looks for gaps
  bool moved_as_group_ = false;        ///< true: particles were members of groups in the last step
  Array<Vec3> group_velocity_;         ///< [m/s] per merge group
  Array<Vec3> spare_velocity_;
  double density_lag_ = 0;  ///< [s] by which positions are ahead of densities
  BoundsKnowledge bounds_known_;
  Reduction<Both<SpeedAndAcceleration, Bounds>> motion_;
  Reduction<CompressionSums> compression_reduction_;
};

Sph::Sph(const SystemState& state, const InitialState& initial, int system_index,
         const ParticleStore& particles)
    : parameters_((check_fluid(state), checked_parameters<SphParameters>(state))),
      system_index_(system_index),
      gravity_(to_vec3(initial.gravity)),
      sums_(parameters_, state.fluid, initial,
            static_cast<float>(parameters_.sound_speed > 0 ? parameters_.sound_speed
                                                           : expected_sound_speed(state, initial))),
      forces_(parameters_.forces, state.fluid.density0, sums_.mass(), sums_.smoothing_length()) {
  if (parameters_.neighborhood == Neighborhood::topological) {
    require_open_domain(state, initial.periodic_length, "sph.neighborhood topological", "euclidean");
    if (!state.fluid.kill_box.boxes.empty())
      throw InputError("system '" + state.name +
                       "': killBox does not go with neighborhood topological; use euclidean or no killBox");
  }
  may_be_closed_ = parameters_.neighborhood == Neighborhood::euclidean && keeps_its_vessel(state, initial);
  forces_.measure(initial.walls);
  grid_.set_periodic(to_vec3(initial.periodic_origin), to_vec3(initial.periodic_length));
  const Range own = particles.range(system_index);
  resize(own.count);
  sums_.start_mean_velocity(0, particles.velocity.const_view().subview(own.first, own.count), fields_);
  if (parameters_.neighborhood == Neighborhood::euclidean) return;
  topology_.emplace(parameters_, sums_.smoothing_length());
  topology_->start(fluid_particles(particles));
}

FluidParticles Sph::fluid_particles(const ParticleStore& store) const {
  const Range own = store.range(system_index_);
  return {store.position.const_view().subview(own.first, own.count),
          store.mass.const_view().subview(own.first, own.count),
          store.id.const_view().subview(own.first, own.count),
          store.body.const_view().subview(own.first, own.count)};
}

void Sph::sort_particles(ParticleStore& store) {
  const View<const Vec3> position = fluid_particles(store).position;
  if (topology_ && !topology_->due(position)) return;
  const float support = 2 * sums_.smoothing_length();
  if (bounds_known_)
    grid_.build_order(position, bounds_known_.now(motion_.fetched().second), support);
  else
    grid_.build_order(position, support);
  store.permute(system_index_, grid_.order());
  sums_.permute(grid_.order(), fields_);
  forces_.permute(grid_.order());
  if (moved_as_group_) permute_array(displacement_velocity_, grid_.order(), spare_velocity_);
  if (!topology_) return;
  topology_->permute(grid_.order());
  topology_->update(fluid_particles(store));
}

void Sph::prepare(const StepContext& step) {
  ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  sort_particles(store);
  sums_.use_walls(step.walls);
  bounds_known_.forget();  // from here on
  const View<const Vec3> position = store.position.const_view().subview(own.first, own.count);
  if (!topology_) grid_.use_permuted(position);
  const View<const Vec3> velocity = store.velocity.const_view().subview(own.first, own.count);
  if (may_be_closed_ && !has_gap(grid_.view(), step.walls, sums_.spacing())) {
    sums_.close();
    sums_.start_mean_velocity(0, velocity, fields_);
  }
  may_be_closed_ = false;
  const View<const Vec3> moved_with = moved_as_group_ ? displacement_velocity_.const_view() : velocity;
  sums_.pack(position, moved_with, fields_.compression.const_view());
  sums_.update_density(neighbors(), moved_with, density_lag_, fields_);
  if (topology_ && topology_->take_renewed() && parameters_.shepard_filter &&
      parameters_.density == DensityMethod::continuity)
    sums_.filter_density(neighbors(), fields_);
  if (moved_as_group_) sums_.pack_velocity(velocity);
  sums_.find_moves(grid_, step.dt);
  sums_.update_acceleration(neighbors(), step.time, step.dt, fields_);
  const float dt = static_cast<float>(step.dt);
  if (forces_.any())
    forces_.add(sums_.packed(grid_, fields_, step.time), dt, velocity, step.gravity, dt,
                fields_.acceleration.view());
  density_lag_ = 0;
  moved_as_group_ = false;
}

/// Positions of members came about by their groups' velocities, not by those that they have after splitting;
/// the density follows the positions. (A particle that immobile ones hold fast, and that gets its velocity
/// back every step, was compressed without end.)
void Sph::finish(const StepContext& step, View<const Vec3> end_velocity) {
  density_lag_ = step.dt;
  if (topology_ && topology_->step_ended(step.dt, step.frame_end))
    topology_->update(fluid_particles(step.particles));
  if (!moved_as_group_) return;
  const Range own = step.particles.range(system_index_);
  displacement_velocity_.assign(end_velocity.subview(own.first, own.count));
}

void Sph::integrate(const StepContext& step, const MetaParticleView& groups, int, View<Vec3> end_velocity) {
  const Range own = step.particles.range(system_index_);
  const float dt = static_cast<float>(step.dt);
  const Vec3 gravity = sums_.felt(step.gravity);
  moved_as_group_ = groups.group_count > 0;
  if (groups.group_count > group_velocity_.size()) group_velocity_.resize(groups.group_count);
  launch_group_sums(groups.group_count, GroupEndVelocity{.members = {groups, own},
                                                         .acceleration = fields_.acceleration.const_view(),
                                                         .gravity = gravity,
                                                         .dt = dt,
                                                         .group_velocity = group_velocity_.view()});
  launch(own.count, SphEndVelocity{.group_of = groups.group_count > 0 ? groups.group_of : View<const int>{},
                                   .group_velocity = group_velocity_.const_view(),
                                   .own = own,
                                   .velocity = step.particles.velocity.const_view(),
                                   .inverse_mass = step.particles.inverse_mass.const_view(),
                                   .acceleration = fields_.acceleration.const_view(),
                                   .xsph = fields_.xsph.const_view(),
                                   .gravity = gravity,
                                   .dt = dt,
                                   .end_velocity = end_velocity});
}

void Sph::measure(const ParticleStore& particles, Measures what) {
  const Range own = particles.range(system_index_);
  motion_.run(
      own.count,
      together(LargestSpeedAndAcceleration{particles.velocity.const_view().subview(own.first, own.count),
                                           fields_.acceleration.const_view(), sums_.felt(gravity_)},
               PositionBounds{fluid_particles(particles).position}));
  bounds_known_.measured();
  if (what == Measures::all)
    compression_reduction_.run(fields_.compression.size(),
                               SumCompression{fields_.compression.const_view(), sums_.equation_of_state()});
}

double Sph::time_step_limit() const {
  const SpeedAndAcceleration largest = motion_.fetched().first;
  const double h = sums_.smoothing_length();
  double dt = parameters_.cfl * h / (sums_.sound_speed() + std::sqrt(double(largest.speed_squared)));
  if (largest.acceleration_squared > 0)
    dt = std::min(dt, parameters_.cfl * std::sqrt(h / std::sqrt(double(largest.acceleration_squared))));
  const double nu = sums_.kinematic_viscosity();
  if (nu > 0) dt = std::min(dt, longest_viscous_step(parameters_.viscosity_model) * h * h / nu);
  return std::min(dt, forces_.time_step_limit());
}

SystemStatistics Sph::measured() const {
  const CompressionSums sums = compression_reduction_.fetched();
  SystemStatistics statistics;
  statistics.density_error = sums.largest;
  statistics.elastic_energy = sums_.mass() * sums.energy;
  const LinearSolveResult& viscosity = forces_.last_solve();
  statistics.iterations[0] = viscosity.iterations;
  statistics.residual = viscosity.residual;
  statistics.tolerance_met = viscosity.tolerance_met;
  return statistics;
}

void Sph::particles_added(const ParticleStore& particles, int count, const Bounds& box) {
  bounds_known_.add(box);
  const Range own = particles.range(system_index_);
  resize(own.count);
  sums_.start_mean_velocity(own.count - count,
                            particles.velocity.const_view().subview(own.end() - count, count), fields_);
  if (topology_) topology_->particles_added(count);
  if (!moved_as_group_) return;
  displacement_velocity_.resize(own.count);
  copy_on_device(displacement_velocity_.data() + own.count - count,
                 particles.velocity.const_view().data + own.end() - count, sizeof(Vec3) * size_t(count));
}

void Sph::particles_removed(View<const int> kept) {
  bounds_known_.forget();
  sums_.keep(kept, fields_);
  forces_.keep(kept);
  if (moved_as_group_) keep_elements(displacement_velocity_, kept, spare_velocity_);
  resize(kept.count);
}

std::vector<std::pair<std::string, std::vector<float>>> Sph::frame_fields() const {
  Array<float> density(fields_.compression.size()), pressure(density.size());
  write_density(density.view());
  write_pressure(pressure.view());
  return {{"density", density.to_host()}, {"pressure", pressure.to_host()}};
}

void Sph::write_pressure(View<float> pressure) const {
  launch(pressure.count,
         PressureOfCompression{sums_.equation_of_state(), fields_.compression.const_view(), pressure});
  sums_.add_head(pressure);
}

void Sph::write_density(View<float> density) const {
  launch(density.count,
         DensityOfCompression{sums_.equation_of_state().density0, fields_.compression.const_view(), density});
}

LinkedPairs Sph::linked_pairs() const { return topology_ ? topology_->linked_pairs() : LinkedPairs{}; }

long long Sph::links_between(const ParticleStore& particles, int body, int other) {
  return topology_ ? topology_->links_between(fluid_particles(particles).body, body, other) : 0;
}

void Sph::save(StateArchive& archive, const std::string& prefix) const {
  const std::vector<Vec3> acceleration = fields_.acceleration.to_host();
  archive.put(prefix + "/compression", fields_.compression.to_host());
  archive.put(prefix + "/acceleration", reinterpret_cast<const float*>(acceleration.data()),
              3 * acceleration.size());
  archive.put(prefix + "/density_lag", &density_lag_, 1);
  archive.put(prefix + "/closed", std::vector<std::int32_t>{sums_.is_closed()});
  std::vector<Vec3> displacement;
  if (moved_as_group_) displacement = displacement_velocity_.to_host();
  archive.put(prefix + "/displacement_velocity", reinterpret_cast<const float*>(displacement.data()),
              3 * displacement.size());
  const std::vector<Quad> mean = fields_.mean_velocity.to_host();
  archive.put(prefix + "/mean_velocity", reinterpret_cast<const float*>(mean.data()), 4 * mean.size());
  forces_.save(archive, prefix);
  if (topology_) topology_->save(archive, prefix + "/topology");
}

void Sph::load(const StateArchive& archive, const std::string& prefix) {
  const auto compression = archive.get<float>(prefix + "/compression");
  const auto acceleration = archive.get<float>(prefix + "/acceleration");
  const auto lag = archive.get<double>(prefix + "/density_lag");
  const auto closed = archive.get<std::int32_t>(prefix + "/closed");
  if (acceleration.size() != 3 * compression.size() || lag.size() != 1 || closed.size() != 1)
    throw FileError("checkpoint: the fluid's arrays under '" + prefix + "' do not belong together");
  resize(static_cast<int>(compression.size()));
  bounds_known_.forget();
  fields_.compression.assign(compression);
  copy_to_device(fields_.acceleration.data(), acceleration.data(), sizeof(float) * acceleration.size());
  density_lag_ = lag[0];
  may_be_closed_ = false;
  if (closed[0] != 0) sums_.close();
  const auto displacement = archive.get<float>(prefix + "/displacement_velocity");
  moved_as_group_ = !displacement.empty();
  displacement_velocity_.resize(static_cast<int>(displacement.size() / 3));
  copy_to_device(displacement_velocity_.data(), displacement.data(), sizeof(float) * displacement.size());
  const auto mean = archive.get<float>(prefix + "/mean_velocity");
  if (mean.size() != 4 * size_t(fields_.mean_velocity.size()))
    throw FileError("checkpoint: '" + prefix + "/mean_velocity' does not belong to the fluid's particles");
  copy_to_device(fields_.mean_velocity.data(), mean.data(), sizeof(float) * mean.size());
  forces_.load(archive, prefix);
  if (topology_) topology_->load(archive, prefix + "/topology");
}

}  // namespace

std::unique_ptr<System> make_sph(const SystemState& state, const InitialState& initial, int system_index,
                                 const ParticleStore& particles) {
  return std::make_unique<Sph>(state, initial, system_index, particles);
}

MERGANSER_END
