#include "solvers/methods/dfsph/dfsph.h"

#include <cmath>

#include "device/sum_of.h"
#include "solvers/core/checked_parameters.h"
#include "solvers/methods/dfsph/pressure_solver.h"
#include "solvers/methods/dfsph/velocities.h"
#include "solvers/methods/fluid/check_fluid.h"
#include "solvers/methods/fluid/forces/fluid_forces.h"

MERGANSER_BEGIN

namespace {

Vec3 to_vec3(const Point3& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

/// |v|^2.
struct DfsphSpeed {
  static constexpr const char* name = "dfsph largest speed";
  View<const Vec3> velocity;  ///< [m/s]
  MERGANSER_METHOD float operator()(int i) const { return norm_squared(velocity[i]); }
};

struct DfsphCompression {
  static constexpr const char* name = "dfsph largest compression";
  View<const float> compression;
  MERGANSER_METHOD float operator()(int i) const { return compression[i] > 0 ? compression[i] : 0.0f; }
};

/// rho0 (1 + compression); rho0 before the first step.
struct DfsphDensity {
  static constexpr const char* name = "dfsph density";
  float density0;  ///< [kg/m^3]
  View<const float> compression;
  View<float> density;  ///< [kg/m^3], written
  MERGANSER_METHOD void operator()(int i) const {
    density[i] = density0 * (1 + (i < compression.count ? compression[i] : 0.0f));
  }
};

class Dfsph final : public System, public FluidFields {
 public:
  Dfsph(const SystemState& state, const InitialState& initial, int system_index,
        const ParticleStore& particles);

  bool implicit() const override { return false; }
  void prepare(const StepContext& step) override;
  void integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void measure(const ParticleStore& particles, Measures what) override;
  double time_step_limit() const override;
  SystemStatistics measured() const override;
  WallLoad wall_load(int k) const override { return mobility_.empty() ? WallLoad{} : pressure_.wall_load(k); }
  bool tolerance_met() const override { return statistics_.tolerance_met; }
  void particles_added(const ParticleStore& particles, int count, const Bounds& box) override;
  void particles_removed(View<const int> kept) override;
  SmoothingKernel smoothing_kernel() const override { return pressure_.kernel(); }
  void write_pressure(View<float> pressure) const override { pressure_.find_mechanical_pressure(pressure); }
  void write_density(View<float> density) const override;
  std::vector<std::pair<std::string, std::vector<float>>> frame_fields() const override;
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

 private:
  void sort_particles(ParticleStore& store);
  /// Velocities after the divergence solve and what changes them before the density solve.
  void push(const StepContext& step, View<const Vec3> velocity);
  void resize(int count);
  void note(const PressureSolveResult& solved);

  DfsphParameters parameters_;
  int system_index_;
  double density0_, gravity_;       ///< [kg/m^3], [m/s^2]
  mutable DfsphPressure pressure_;  ///< frames let it compute what they show
  FluidForces forces_;
  UniformGrid grid_;

  Array<float> mobility_;          ///< [m^3/kg]
  Array<Vec3> change_, velocity_;  ///< [m/s] by the divergence solve and forces; before the density solve
  Array<Vec3> group_velocity_;     ///< [m/s] per merge group
  Array<float> spare_;
  BoundsKnowledge bounds_known_;
  Reduction<Both<float, Bounds>> motion_;
  Reduction<float> largest_compression_;
  SystemStatistics statistics_;
};

Dfsph::Dfsph(const SystemState& state, const InitialState& initial, int system_index,
             const ParticleStore& particles)
    : parameters_((check_fluid(state), checked_parameters<DfsphParameters>(state))),
      system_index_(system_index),
      density0_(state.fluid.density0),
      gravity_(std::hypot(initial.gravity[0], initial.gravity[1], initial.gravity[2])),
      pressure_(parameters_, state.fluid, initial),
      forces_(parameters_.forces, density0_, static_cast<float>(density0_) * pressure_.volume(),
              pressure_.smoothing_length()) {
  grid_.set_periodic(to_vec3(initial.periodic_origin), to_vec3(initial.periodic_length));
  resize(particles.range(system_index).count);
}

void Dfsph::resize(int count) {
  for (Array<float>* a : {&mobility_, &pressure_.density_pressure, &pressure_.divergence_pressure})
    a->resize(count);
  for (Array<Vec3>* a : {&change_, &velocity_}) a->resize(count);
  forces_.resize(count);
}

void Dfsph::sort_particles(ParticleStore& store) {
  const Range own = store.range(system_index_);
  const View<const Vec3> position = store.position.const_view().subview(own.first, own.count);
  const float support = 2 * pressure_.smoothing_length();
  if (bounds_known_)
    grid_.build(position, bounds_known_.now(motion_.fetched().second), support);
  else
    grid_.build(position, support);
  store.permute(system_index_, grid_.order());
  permute_array(pressure_.density_pressure, grid_.order(), spare_);
  permute_array(pressure_.divergence_pressure, grid_.order(), spare_);
  forces_.permute(grid_.order());
  grid_.use_permuted(store.position.const_view().subview(own.first, own.count));
  bounds_known_.forget();  // from here on
}

void Dfsph::prepare(const StepContext& step) {
  ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  statistics_ = {};
  if (own.count == 0) return;
  pressure_.use_walls(step.walls, step.time);
  sort_particles(store);
  launch(own.count, Mobility{.group_of = {},
                             .group_inverse_mass = {},
                             .inverse_mass = store.inverse_mass.const_view(),
                             .own = own,
                             .volume = pressure_.volume(),
                             .mobility = mobility_.view()});
  pressure_.find_factors(grid_.view(), mobility_.const_view());
  push(step, store.velocity.const_view().subview(own.first, own.count));
}

void Dfsph::push(const StepContext& step, View<const Vec3> velocity) {
  const View<const float> mobility = mobility_.const_view();
  if (parameters_.divergence_solve) {
    note(pressure_.solve_divergence(velocity, mobility, step.dt));
    launch(velocity.count, ApplyDivergence{pressure_.acceleration(), velocity, static_cast<float>(step.dt),
                                           change_.view(), velocity_.view()});
  } else {
    change_.zero();
    velocity_.assign(velocity);
  }
  if (parameters_.viscosity > 0)
    pressure_.add_viscosity(velocity_.const_view(), mobility, step.dt, change_.view());
  pressure_.add_pressure_behind_walls(grid_.view().position, mobility, step.gravity, step.dt, change_.view());
  if (forces_.any())
    forces_.add(pressure_.packed(grid_), static_cast<float>(step.dt), velocity, step.gravity, 1,
                change_.view());
  statistics_.tolerance_met = statistics_.tolerance_met && forces_.last_solve().tolerance_met;
}

void Dfsph::note(const PressureSolveResult& solved) {
  statistics_.tolerance_met = statistics_.tolerance_met && solved.tolerance_met;
}

void Dfsph::integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                      View<Vec3> end_velocity) {
  const ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  if (own.count == 0) return;
  const float dt = static_cast<float>(step.dt);
  const bool grouped = groups.group_count > 0;
  const View<const int> group_of = grouped ? groups.group_of : View<const int>{};
  const View<const float> mass = store.mass.const_view().subview(own.first, own.count);
  const OwnGroupMembers members{groups, own};
  if (grouped) {
    have_room(group_velocity_, groups.group_count);
    launch_group_sums(groups.group_count, GroupPrediction{.members = members,
                                                          .mass = mass,
                                                          .change = change_.const_view(),
                                                          .gravity_change = dt * step.gravity,
                                                          .group_velocity = group_velocity_.view()});
    launch(own.count, Mobility{.group_of = group_of,
                               .group_inverse_mass = groups.inverse_mass,
                               .inverse_mass = store.inverse_mass.const_view(),
                               .own = own,
                               .volume = pressure_.volume(),
                               .mobility = mobility_.view()});
  }
  launch(own.count, PredictVelocity{.group_of = group_of,
                                    .group_velocity = group_velocity_.const_view(),
                                    .own = own,
                                    .velocity = store.velocity.const_view(),
                                    .inverse_mass = store.inverse_mass.const_view(),
                                    .change = change_.const_view(),
                                    .gravity_change = dt * step.gravity,
                                    .predicted = velocity_.view()});
  std::function<void(View<Quad>)> as_one;
  if (grouped)
    as_one = [&](View<Quad> acceleration) {
      launch_group_sums(groups.group_count, GroupAcceleration{members, mass, acceleration});
    };
  const PressureSolveResult solved =
      pressure_.solve_density(velocity_.const_view(), mobility_.const_view(), step.dt, as_one);
  note(solved);
  statistics_.iterations[stage] = solved.iterations;
  statistics_.residual = solved.error;
  launch(own.count, DfsphEndVelocity{.predicted = velocity_.const_view(),
                                     .acceleration = pressure_.acceleration(),
                                     .dt = dt,
                                     .end_velocity = end_velocity.subview(own.first, own.count)});
}

void Dfsph::measure(const ParticleStore& particles, Measures what) {
  const Range own = particles.range(system_index_);
  motion_.run(own.count,
              together(maximum_of(DfsphSpeed{particles.velocity.const_view().subview(own.first, own.count)}),
                       PositionBounds{particles.position.const_view().subview(own.first, own.count)}));
  bounds_known_.measured();
  if (what == Measures::all) {
    const View<const float> compression = pressure_.compression();
    largest_compression_.run(compression.count, maximum_of(DfsphCompression{compression}));
  }
}

/// cfl d = dt (v + dt |g|): what gravity adds on the way counts.
double Dfsph::time_step_limit() const {
  const double reach = parameters_.cfl * double(pressure_.spacing());
  const double speed = std::sqrt(double(motion_.fetched().first));
  const double root = speed + std::sqrt(speed * speed + 4 * gravity_ * reach);
  double dt = root > 0 ? std::max(parameters_.min_time_step, 2 * reach / root) : 1e30;
  const double h = pressure_.smoothing_length();
  if (parameters_.viscosity > 0) dt = std::min(dt, 0.125 * h * h / parameters_.viscosity);
  return std::min(dt, forces_.time_step_limit());
}

SystemStatistics Dfsph::measured() const {
  SystemStatistics result = statistics_;
  result.density_error = largest_compression_.fetched();
  return result;
}

void Dfsph::particles_added(const ParticleStore& particles, int, const Bounds& box) {
  bounds_known_.add(box);
  resize(particles.range(system_index_).count);
}

void Dfsph::particles_removed(View<const int> kept) {
  bounds_known_.forget();
  keep_elements(pressure_.density_pressure, kept, spare_);
  keep_elements(pressure_.divergence_pressure, kept, spare_);
  forces_.keep(kept);
  resize(kept.count);
}

void Dfsph::write_density(View<float> density) const {
  launch(density.count, DfsphDensity{static_cast<float>(density0_), pressure_.compression(), density});
}

std::vector<std::pair<std::string, std::vector<float>>> Dfsph::frame_fields() const {
  Array<float> density(pressure_.density_pressure.size()), pressure(density.size());
  density.zero(), pressure.zero();  // before the first step there are none
  write_density(density.view());
  write_pressure(pressure.view());
  return {{"density", density.to_host()}, {"pressure", pressure.to_host()}};
}

void Dfsph::save(StateArchive& archive, const std::string& prefix) const {
  archive.put(prefix + "/density_pressure", pressure_.density_pressure.to_host());
  archive.put(prefix + "/stiffness", pressure_.stiffness());
  archive.put(prefix + "/divergence_pressure", pressure_.divergence_pressure.to_host());
  forces_.save(archive, prefix);
}

void Dfsph::load(const StateArchive& archive, const std::string& prefix) {
  const auto density = archive.get<float>(prefix + "/density_pressure");
  const auto divergence = archive.get<float>(prefix + "/divergence_pressure");
  const auto stiffness = archive.get<float>(prefix + "/stiffness");
  if (density.size() != divergence.size() || stiffness.size() != 2)
    throw FileError("checkpoint: the fluid's arrays under '" + prefix + "' do not belong together");
  resize(static_cast<int>(density.size()));
  bounds_known_.forget();
  pressure_.density_pressure.assign(density);
  pressure_.divergence_pressure.assign(divergence);
  pressure_.set_stiffness(stiffness);
  forces_.load(archive, prefix);
}

}  // namespace

std::unique_ptr<System> make_dfsph(const SystemState& state, const InitialState& initial, int system_index,
                                   const ParticleStore& particles) {
  return std::make_unique<Dfsph>(state, initial, system_index, particles);
}

MERGANSER_END
