#include "solvers/methods/sph/sph.h"

#include <cmath>
#include <optional>
#include <variant>

#include "device/uniform_grid.h"
#include "solvers/base/parameter_table.h"
#include "solvers/core/checked_parameters.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/methods/fluid/check_fluid.h"
#include "solvers/methods/sph/acceleration.h"
#include "solvers/methods/sph/density.h"
#include "solvers/methods/sph/end_velocity.h"
#include "solvers/methods/sph/list_sum.h"
#include "solvers/methods/sph/masked_sum.h"
#include "solvers/methods/sph/pack_particles.h"
#include "solvers/methods/sph/reductions.h"
#include "solvers/methods/sph/shepard_filter.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "solvers/methods/sph/topology_updates.h"
#include "solvers/methods/sph/xsph.h"

MERGANSER_BEGIN

namespace {

Vec3 to_vec3(const Point3& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

class Sph final : public System {
 public:
  Sph(const SystemState& state, const InitialState& initial, int system_index,
      const ParticleStore& particles);

  const char* type() const override { return "sph"; }
  bool implicit() const override { return false; }
  void prepare(StepContext& step) override;
  void integrate(StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void finish(StepContext& step) override;
  void measure(const ParticleStore& particles, Measures what) override;
  double time_step_limit() const override;
  SystemStatistics measured() const override;
  void particles_added(const ParticleStore& particles, int count, const Bounds& box) override;
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  LinkedPairs linked_pairs() const override;
  long long links_between(const ParticleStore& particles, int body, int other) override;
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

 private:
  using AnyKernel = std::variant<WendlandC2<float>, CubicSpline<float>>;

  SphParticles packed() { return {packed_position_.view(), packed_velocity_.view()}; }
  template <class Kernel>
  void update_density(const Kernel& kernel);
  template <class Kernel>
  void filter_density(const Kernel& kernel);
  template <class Kernel>
  void update_acceleration(const Kernel& kernel);
  template <ViscosityModel model, class Kernel>
  void sum_acceleration(const Kernel& kernel);
  template <class Term>
  void sum_over_neighbors(const Term& term) {
    if (topology_)
      launch(compression_.size(), SphListSum<Term>{term, topology_->linked(), packed(), 2 * h_});
    else
      launch(compression_.size(), SphSum<Term>{term, grid_.view(), packed(), 2 * h_});
  }
  /// Sorts particles into cell order where the step wants it, and renews topological neighborhoods.
  void sort_particles(ParticleStore& store);
  FluidParticles fluid_particles(const ParticleStore& store) const;
  DensityOutput density_output() {
    return {.state = state_, .compression = compression_.view(), .velocity = packed_velocity_.view()};
  }
  /// nu of the continuum limit, see acceleration.h.
  float kinematic_viscosity() const;
  void resize(int count);

  SphParameters parameters_;
  int system_index_;
  Vec3 gravity_;
  float h_, mass_, volume_, sound_speed_;
  EquationOfState state_;
  AnyKernel kernel_;
  Walls walls_;
  WallVolumeMap fill_;
  UniformGrid grid_;
  std::optional<TopologyUpdates> topology_;  ///< where neighborhoods are topological

  Array<float> compression_;  ///< rho/rho0 - 1
  Array<Vec3> acceleration_;  ///< [m/s^2] without body forces, of the last prepare()
  Array<Vec3> xsph_;          ///< [m/s], empty where switched off
  Array<Quad> packed_position_, packed_velocity_;
  Array<Vec3> displacement_velocity_;  ///< [m/s] with which the positions came about, see finish()
  bool moved_as_group_ = false;        ///< true: particles were members of groups in the last step
  Array<Vec3> group_velocity_;         ///< [m/s] per merge group
  Array<float> spare_compression_;
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
      h_(static_cast<float>(2 * state.fluid.particle_radius * parameters_.smoothing_length_factor)),
      mass_(static_cast<float>(state.fluid.density0 * std::pow(2 * state.fluid.particle_radius, 3))),
      volume_(static_cast<float>(std::pow(2 * state.fluid.particle_radius, 3))),
      sound_speed_(static_cast<float>(parameters_.sound_speed > 0 ? parameters_.sound_speed
                                                                  : expected_sound_speed(state, initial))),
      state_{.density0 = static_cast<float>(state.fluid.density0),
             .sound_speed_squared = sound_speed_ * sound_speed_,
             .gamma = static_cast<float>(parameters_.gamma),
             .tait = parameters_.equation_of_state == EquationOfStateKind::tait,
             .tension = parameters_.allow_tension},
      kernel_(parameters_.kernel == SphKernel::wendland_c2 ? AnyKernel(WendlandC2<float>(h_))
                                                           : AnyKernel(CubicSpline<float>(h_))),
      walls_(initial.walls),
      fill_(parameters_.kernel == SphKernel::wendland_c2 ? WallVolumeMap(WendlandC2<double>(1), h_)
                                                         : WallVolumeMap(CubicSpline<double>(1), h_)) {
  if (parameters_.neighborhood == Neighborhood::topological)
    require_open_domain(state, initial.periodic_length, "sph.neighborhood topological", "euclidean");
  grid_.set_periodic(to_vec3(initial.periodic_origin), to_vec3(initial.periodic_length));
  resize(particles.range(system_index).count);
  if (parameters_.neighborhood == Neighborhood::euclidean) return;
  topology_.emplace(parameters_, h_);
  topology_->start(fluid_particles(particles));
}

void Sph::resize(int count) {
  compression_.resize(count);
  acceleration_.resize(count);
  packed_position_.resize(count);
  packed_velocity_.resize(count);
  if (parameters_.xsph > 0) xsph_.resize(count);
}

float Sph::kinematic_viscosity() const {
  const double v = parameters_.viscosity;
  switch (parameters_.viscosity_model) {
    case ViscosityModel::none:
      return 0;
    case ViscosityModel::laminar:
      return static_cast<float>(v);
    case ViscosityModel::artificial:
      return static_cast<float>(v * h_ * sound_speed_ / 10);
  }
  return 0;
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
  if (bounds_known_)
    grid_.build(position, bounds_known_.now(motion_.fetched().second), 2 * h_);
  else
    grid_.build(position, 2 * h_);
  store.permute(system_index_, grid_.order());
  permute_array(compression_, grid_.order(), spare_compression_);
  if (moved_as_group_) permute_array(displacement_velocity_, grid_.order(), spare_velocity_);
  if (!topology_) return;
  topology_->permute(grid_.order());
  topology_->update(fluid_particles(store));
}

void Sph::prepare(StepContext& step) {
  ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  if (own.count == 0) return;
  sort_particles(store);
  bounds_known_.forget();  // from here on
  const View<const Vec3> position = store.position.const_view().subview(own.first, own.count);
  if (!topology_) grid_.use_permuted(position);
  const View<const Vec3> velocity = store.velocity.const_view().subview(own.first, own.count);
  launch(own.count,
         PackParticles{.position = position,
                       .velocity = moved_as_group_ ? displacement_velocity_.const_view() : velocity,
                       .compression = compression_.const_view(),
                       .packed_position = packed_position_.view(),
                       .packed_velocity = packed_velocity_.view()});
  std::visit([&](const auto& kernel) { update_density(kernel); }, kernel_);
  if (topology_ && topology_->take_renewed() && parameters_.shepard_filter &&
      parameters_.density == DensityMethod::continuity) {
    launch(own.count, PackCompression{compression_.const_view(), packed_position_.view()});
    std::visit([&](const auto& kernel) { filter_density(kernel); }, kernel_);
  }
  if (moved_as_group_) launch(own.count, PackVelocity{velocity, packed_velocity_.view()});
  std::visit([&](const auto& kernel) { update_acceleration(kernel); }, kernel_);
  density_lag_ = 0;
  moved_as_group_ = false;
}

/// Positions of members came about by their groups' velocities, not by those that they have after splitting;
/// the density follows the positions. (A particle that immobile ones hold fast, and that gets its velocity
/// back every step, was compressed without end.)
void Sph::finish(StepContext& step) {
  density_lag_ = step.dt;
  if (topology_ && topology_->step_ended(step.dt, step.frame_end))
    topology_->update(fluid_particles(step.particles));
  moved_as_group_ = moved_as_group_ && !step.end_velocity.empty();
  if (!moved_as_group_) return;
  const Range own = step.particles.range(system_index_);
  displacement_velocity_.assign(step.end_velocity.subview(own.first, own.count));
}

template <class Kernel>
void Sph::update_density(const Kernel& kernel) {
  const DensityOutput out = density_output();
  if (parameters_.density == DensityMethod::summation)
    return sum_over_neighbors(DensitySummation<Kernel>{
        .kernel = kernel, .volume = volume_, .walls = walls_.view(), .fill = fill_.view(), .out = out});
  sum_over_neighbors(DensityContinuity<Kernel>{
      .kernel = kernel,
      .volume = volume_,
      .diffusion = static_cast<float>(2 * parameters_.density_diffusion) * h_ * sound_speed_,
      .hydrostatic = gravity_ / state_.sound_speed_squared,
      .dt = static_cast<float>(density_lag_),
      .walls = walls_.view(),
      .fill = fill_.view(),
      .out = out});
}

template <class Kernel>
void Sph::filter_density(const Kernel& kernel) {
  sum_over_neighbors(ShepardFilter<Kernel>{.kernel = kernel,
                                           .volume = volume_,
                                           .walls = walls_.view(),
                                           .fill = fill_.view(),
                                           .out = density_output()});
}

template <class Kernel>
void Sph::update_acceleration(const Kernel& kernel) {
  switch (parameters_.viscosity_model) {
    case ViscosityModel::none:
      sum_acceleration<ViscosityModel::none>(kernel);
      break;
    case ViscosityModel::artificial:
      sum_acceleration<ViscosityModel::artificial>(kernel);
      break;
    case ViscosityModel::laminar:
      sum_acceleration<ViscosityModel::laminar>(kernel);
      break;
  }
  if (parameters_.xsph > 0)
    sum_over_neighbors(XsphCorrection<Kernel>{.kernel = kernel,
                                              .factor = static_cast<float>(parameters_.xsph) * volume_,
                                              .correction = xsph_.view()});
}

template <ViscosityModel model, class Kernel>
void Sph::sum_acceleration(const Kernel& kernel) {
  const float nu = kinematic_viscosity();
  sum_over_neighbors(SphAcceleration<Kernel, model>{
      .kernel = kernel,
      .mass = mass_,
      .pair_viscosity = (model == ViscosityModel::artificial ? 10 * nu : 2 * nu) * volume_,
      .softening = 0.01f * h_ * h_,
      .wall_viscosity = 2 * nu,
      .least_wall_distance = 0.25f * h_,
      .density0 = state_.density0,
      .compression = compression_.const_view(),
      .walls = walls_.view(),
      .fill = fill_.view(),
      .acceleration = acceleration_.view()});
}

void Sph::integrate(StepContext& step, const MetaParticleView& groups, int, View<Vec3> end_velocity) {
  const Range own = step.particles.range(system_index_);
  const float dt = static_cast<float>(step.dt);
  moved_as_group_ = groups.group_count > 0;
  if (groups.group_count > group_velocity_.size()) group_velocity_.resize(groups.group_count);
  launch_group_sums(groups.group_count, GroupEndVelocity{.members = {groups, own},
                                                         .acceleration = acceleration_.const_view(),
                                                         .gravity = step.gravity,
                                                         .dt = dt,
                                                         .group_velocity = group_velocity_.view()});
  launch(own.count, SphEndVelocity{.group_of = groups.group_count > 0 ? groups.group_of : View<const int>{},
                                   .group_velocity = group_velocity_.const_view(),
                                   .own = own,
                                   .velocity = step.particles.velocity.const_view(),
                                   .inverse_mass = step.particles.inverse_mass.const_view(),
                                   .acceleration = acceleration_.const_view(),
                                   .xsph = xsph_.const_view(),
                                   .gravity = step.gravity,
                                   .dt = dt,
                                   .end_velocity = end_velocity});
}

void Sph::measure(const ParticleStore& particles, Measures what) {
  const Range own = particles.range(system_index_);
  motion_.run(
      own.count,
      together(LargestSpeedAndAcceleration{particles.velocity.const_view().subview(own.first, own.count),
                                           acceleration_.const_view(), gravity_},
               PositionBounds{fluid_particles(particles).position}));
  bounds_known_.measured();
  if (what == Measures::all)
    compression_reduction_.run(compression_.size(), SumCompression{compression_.const_view(), state_});
}

double Sph::time_step_limit() const {
  const SpeedAndAcceleration largest = motion_.fetched().first;
  const double h = h_;
  double dt = parameters_.cfl * h / (sound_speed_ + std::sqrt(double(largest.speed_squared)));
  if (largest.acceleration_squared > 0)
    dt = std::min(dt, parameters_.cfl * std::sqrt(h / std::sqrt(double(largest.acceleration_squared))));
  const double nu = kinematic_viscosity();
  if (nu > 0) dt = std::min(dt, 0.125 * h * h / nu);
  return dt;
}

SystemStatistics Sph::measured() const {
  const CompressionSums sums = compression_reduction_.fetched();
  SystemStatistics statistics;
  statistics.density_error = sums.largest;
  statistics.elastic_energy = mass_ * sums.energy;
  return statistics;
}

void Sph::particles_added(const ParticleStore& particles, int count, const Bounds& box) {
  bounds_known_.add(box);
  const Range own = particles.range(system_index_);
  resize(own.count);
  if (topology_) topology_->particles_added(count);
  if (!moved_as_group_) return;
  displacement_velocity_.resize(own.count);
  copy_on_device(displacement_velocity_.data() + own.count - count,
                 particles.velocity.const_view().data + own.end() - count, sizeof(Vec3) * size_t(count));
}

std::vector<std::pair<std::string, std::vector<float>>> Sph::frame_fields() const {
  std::vector<float> density = compression_.to_host(), pressure(density.size());
  for (size_t i = 0; i < density.size(); ++i) {
    pressure[i] = state_.pressure(density[i]);
    density[i] = state_.density0 * (1 + density[i]);
  }
  return {{"density", std::move(density)}, {"pressure", std::move(pressure)}};
}

LinkedPairs Sph::linked_pairs() const { return topology_ ? topology_->linked_pairs() : LinkedPairs{}; }

long long Sph::links_between(const ParticleStore& particles, int body, int other) {
  return topology_ ? topology_->links_between(fluid_particles(particles).body, body, other) : 0;
}

void Sph::save(StateArchive& archive, const std::string& prefix) const {
  const std::vector<Vec3> acceleration = acceleration_.to_host();
  archive.put(prefix + "/compression", compression_.to_host());
  archive.put(prefix + "/acceleration", reinterpret_cast<const float*>(acceleration.data()),
              3 * acceleration.size());
  archive.put(prefix + "/density_lag", &density_lag_, 1);
  std::vector<Vec3> displacement;
  if (moved_as_group_) displacement = displacement_velocity_.to_host();
  archive.put(prefix + "/displacement_velocity", reinterpret_cast<const float*>(displacement.data()),
              3 * displacement.size());
  if (topology_) topology_->save(archive, prefix + "/topology");
}

void Sph::load(const StateArchive& archive, const std::string& prefix) {
  const auto compression = archive.get<float>(prefix + "/compression");
  const auto acceleration = archive.get<float>(prefix + "/acceleration");
  const auto lag = archive.get<double>(prefix + "/density_lag");
  if (acceleration.size() != 3 * compression.size() || lag.size() != 1)
    throw FileError("checkpoint: the fluid's arrays under '" + prefix + "' do not belong together");
  resize(static_cast<int>(compression.size()));
  bounds_known_.forget();
  compression_.assign(compression);
  copy_to_device(acceleration_.data(), acceleration.data(), sizeof(float) * acceleration.size());
  density_lag_ = lag[0];
  const auto displacement = archive.get<float>(prefix + "/displacement_velocity");
  moved_as_group_ = !displacement.empty();
  displacement_velocity_.resize(static_cast<int>(displacement.size() / 3));
  copy_to_device(displacement_velocity_.data(), displacement.data(), sizeof(float) * displacement.size());
  if (topology_) topology_->load(archive, prefix + "/topology");
}

}  // namespace

std::unique_ptr<System> make_sph(const SystemState& state, const InitialState& initial, int system_index,
                                 const ParticleStore& particles) {
  return std::make_unique<Sph>(state, initial, system_index, particles);
}

MERGANSER_END
