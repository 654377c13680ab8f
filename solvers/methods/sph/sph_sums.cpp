#include "solvers/methods/sph/sph_sums.h"

#include <algorithm>
#include <cmath>

#include "device/particle_store.h"
#include "solvers/base/to_vec3.h"
#include "solvers/methods/fluid/masked_sum.h"
#include "solvers/methods/sph/acceleration.h"
#include "solvers/methods/sph/list_sum.h"
#include "solvers/methods/sph/pack_particles.h"
#include "solvers/methods/sph/shepard_filter.h"
#include "solvers/methods/sph/viscous_step.h"
#include "solvers/methods/sph/wall_pressure_load.h"
#include "solvers/methods/sph/xsph.h"

MERGANSER_BEGIN

namespace {
template <class Kernel>
WallVolumeMap volume_map(const Kernel& kernel, const InitialState& initial, const FluidParameters& fluid,
                         float h) {
  return {kernel, h, Walls(initial.walls), 0, static_cast<float>(2 * fluid.particle_radius)};
}
bool diffuses(const SphParameters& parameters) {
  return parameters.density == DensityMethod::continuity && parameters.density_diffusion > 0;
}
WallDensity density_of_walls(const SphParameters& parameters, double spacing) {
  if (parameters.density != DensityMethod::summation) return {};
  const double h = parameters.smoothing_length_factor * spacing;
  return parameters.kernel == SphKernel::wendland_c2
             ? lattice_wall_density(WendlandC2<double>(1), spacing, h, 0, 1)
             : lattice_wall_density(CubicSpline<double>(1), spacing, h, 0, 1);
}
}  // namespace

SphSums::SphSums(const SphParameters& parameters, const FluidParameters& fluid, const InitialState& initial,
                 float sound_speed)
    : parameters_(parameters),
      gravity_(to_vec3(initial.gravity)),
      period_(to_vec3(initial.periodic_length)),
      h_(static_cast<float>(2 * fluid.particle_radius * parameters_.smoothing_length_factor)),
      mass_(static_cast<float>(fluid.density0 * std::pow(2 * fluid.particle_radius, 3))),
      volume_(static_cast<float>(std::pow(2 * fluid.particle_radius, 3))),
      sound_speed_(sound_speed),
      central_viscosity_(2 * fluid.particle_radius, h_),
      drift_(HydrostaticDrift::of(gravity_, h_, sound_speed_)),
      state_{.density0 = static_cast<float>(fluid.density0),
             .sound_speed_squared = sound_speed_ * sound_speed_,
             .gamma = static_cast<float>(parameters_.gamma),
             .tait = parameters_.equation_of_state == EquationOfStateKind::tait,
             .tension = parameters_.allow_tension},
      kernel_(parameters_.kernel == SphKernel::wendland_c2 ? SmoothingKernel(WendlandC2<float>(h_))
                                                           : SmoothingKernel(CubicSpline<float>(h_))),
      fill_(parameters_.kernel == SphKernel::wendland_c2
                ? volume_map(WendlandC2<double>(1), initial, fluid, h_)
                : volume_map(CubicSpline<double>(1), initial, fluid, h_)),
      of_walls_(density_of_walls(parameters_, 2 * fluid.particle_radius)),
      loads_(initial.walls) {}

float SphSums::kinematic_viscosity() const {
  return static_cast<float>(merganser::kinematic_viscosity(parameters_, h_, sound_speed_));
}

void SphSums::resize(int count, SphFields& fields) {
  fields.compression.resize(count);
  fields.acceleration.resize(count);
  position_.resize(count);
  velocity_.resize(count);
  if (parameters_.xsph > 0) fields.xsph.resize(count);
  if (diffuses(parameters_)) fields.mean_velocity.resize(count);
}

void SphSums::close() {
  closed_ = true;
  state_.tension = true;
  drift_.gravity = felt(gravity_);
}

void SphSums::start_mean_velocity(int first, View<const Vec3> velocity, SphFields& fields) const {
  if (fields.mean_velocity.empty()) return;
  launch(velocity.count,
         StartMeanVelocity{.drift = drift_,
                           .velocity = velocity,
                           .mean_velocity = fields.mean_velocity.view().subview(first, velocity.count)});
}

void SphSums::permute(View<const int> order, SphFields& fields) {
  permute_array(fields.compression, order, spare_compression_);
  if (!fields.mean_velocity.empty()) permute_array(fields.mean_velocity, order, velocity_);
}

void SphSums::keep(View<const int> kept, SphFields& fields) {
  keep_elements(fields.compression, kept, spare_compression_);
  if (!fields.mean_velocity.empty()) keep_elements(fields.mean_velocity, kept, velocity_);
}

void SphSums::pack(View<const Vec3> position, View<const Vec3> velocity, View<const float> compression) {
  fill_.find_near(walls_, position);
  launch(position.count, PackParticles{.position = position,
                                       .velocity = velocity,
                                       .compression = compression,
                                       .packed_position = position_.view(),
                                       .packed_velocity = velocity_.view()});
}

void SphSums::pack_velocity(View<const Vec3> velocity) {
  launch(velocity.count, PackVelocity{velocity, velocity_.view()});
}

template <class Term>
void SphSums::sum_over(const SphNeighbors& neighbors, const Term& term, View<const Quad> mean_velocity) {
  const SphParticles packed{position_.view(), velocity_.view(), mean_velocity};
  if (neighbors.topology)
    launch(position_.size(), SphListSum<Term>{term, neighbors.topology->linked(), packed, 2 * h_});
  else
    launch(position_.size(), SphSum<Term>{term, neighbors.grid.view(), packed, 2 * h_});
}

void SphSums::update_density(const SphNeighbors& neighbors, View<const Vec3> velocity, double lag,
                             SphFields& fields) {
  const DensityOutput out = density_output(fields);
  launch(fields.mean_velocity.size(), UpdateMeanVelocity{.drift = drift_,
                                                         .dt = static_cast<float>(lag),
                                                         .velocity = velocity,
                                                         .mean_velocity = fields.mean_velocity.view()});
  const View<const Quad> mean_velocity =
      fields.mean_velocity.empty() ? velocity_.const_view() : fields.mean_velocity.const_view();
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        if (parameters_.density == DensityMethod::summation)
          return sum_over(neighbors, DensitySummation<Kernel, Shapes>{.kernel = kernel,
                                                                      .volume = volume_,
                                                                      .walls = walls,
                                                                      .fill = fill_.view(),
                                                                      .of_walls = of_walls_,
                                                                      .out = out});
        sum_over(neighbors,
                 DensityContinuity<Kernel, Shapes>{
                     .kernel = kernel,
                     .volume = volume_,
                     .diffusion = static_cast<float>(2 * parameters_.density_diffusion) * h_ * sound_speed_,
                     .drift = drift_,
                     .per_sound_speed_squared = 1 / state_.sound_speed_squared,
                     .bulk_viscosity = static_cast<float>(parameters_.acoustic_damping) * h_ * sound_speed_ /
                                       state_.density0,
                     .dt = static_cast<float>(lag),
                     .walls = walls,
                     .fill = fill_.view(),
                     .out = out},
                 mean_velocity);
      },
      kernel_, as_found(walls_));
  if (!closed_) return;
  compression_sum_.run(position_.size(), sum_of(ElementsOf{fields.compression.const_view()}));
  launch(position_.size(), LessMeanCompression{.state = state_,
                                               .sum = compression_sum_.result(),
                                               .compression = fields.compression.view(),
                                               .velocity = velocity_.view()});
}

void SphSums::find_moves(const UniformGrid& grid, double dt) {
  if (!closed_) return;
  wall_.resize(position_.size());
  moves_.resize(position_.size());
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        using Term = SphParting<Kernel, Shapes>;
        launch(position_.size(), SphSum<Term>{.term = {.kernel = kernel,
                                                       .volume = volume_,
                                                       .h = h_,
                                                       .dt = static_cast<float>(dt),
                                                       .walls = walls,
                                                       .fill = fill_.view(),
                                                       .wall = wall_.view(),
                                                       .move = moves_.view()},
                                              .grid = grid.view(),
                                              .particles = {position_.view(), velocity_.view()},
                                              .radius = 2 * h_});
      },
      kernel_, as_found(walls_));
  wall_head_.run(position_.size(), FindWallHead{head_of_rest(), wall_.const_view()});
}

void SphSums::add_head(View<float> pressure) const {
  if (!moves_.empty()) launch(pressure.count, AddHead{head_of_rest(), wall_head_.result(), pressure});
}

void SphSums::filter_density(const SphNeighbors& neighbors, SphFields& fields) {
  launch(position_.size(), PackCompression{fields.compression.const_view(), position_.view()});
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        sum_over(neighbors, ShepardFilter<Kernel, Shapes>{.kernel = kernel,
                                                          .volume = volume_,
                                                          .walls = walls,
                                                          .fill = fill_.view(),
                                                          .out = density_output(fields)});
      },
      kernel_, as_found(walls_));
}

template <ViscosityModel model, class Kernel, class Shapes>
void SphSums::sum_acceleration(const SphNeighbors& neighbors, const Kernel& kernel, const Shapes& walls,
                               double time, double dt, SphFields& fields) {
  using Term = SphAcceleration<Kernel, model, Shapes>;
  const float nu = kinematic_viscosity();
  if (!loads_.empty()) of_pairs_.resize(position_.size());
  const Term term{.kernel = kernel,
                  .mass = mass_,
                  .pair_viscosity = model == ViscosityModel::artificial ? 10 * nu * volume_ : nu,
                  .central = central_viscosity_,
                  .softening = 0.01f * h_ * h_,
                  .wall_viscosity = 2 * nu,
                  .least_wall_distance = 0.25f * h_,
                  .density0 = state_.density0,
                  .compression = fields.compression.const_view(),
                  .walls = walls,
                  .fill = fill_.view(),
                  .of_walls = of_walls_,
                  .acceleration = fields.acceleration.view(),
                  .of_pairs = of_pairs_.view()};
  sum_over(neighbors, term);
  loads_.sum(position_.size(), time, [&](const MeasuredWall& wall) {
    return WallPressureLoad<Term>{.term = term,
                                  .particles = {position_.view(), velocity_.view()},
                                  .measured = wall,
                                  .impulse_of_acceleration = double(mass_) * dt,
                                  .head = head_of_rest(),
                                  .wall_head = closed_ ? wall_head_.result() : View<const WallHead>{}};
  });
}

void SphSums::update_acceleration(const SphNeighbors& neighbors, double time, double dt, SphFields& fields) {
  std::visit(
      [&]<class Kernel, class Shapes>(const Kernel& kernel, const Shapes& walls) {
        switch (parameters_.viscosity_model) {
          case ViscosityModel::none:
            sum_acceleration<ViscosityModel::none>(neighbors, kernel, walls, time, dt, fields);
            break;
          case ViscosityModel::artificial:
            sum_acceleration<ViscosityModel::artificial>(neighbors, kernel, walls, time, dt, fields);
            break;
          case ViscosityModel::laminar:
            sum_acceleration<ViscosityModel::laminar>(neighbors, kernel, walls, time, dt, fields);
            break;
        }
        if (parameters_.xsph > 0)
          sum_over(neighbors, XsphCorrection<Kernel>{
                                  .kernel = kernel,
                                  .factor = static_cast<float>(3 * parameters_.xsph *
                                                               std::min(1.0, dt / longest_xsph_step())) *
                                            volume_,
                                  .correction = fields.xsph.view()});
      },
      kernel_, as_found(walls_));
}

MERGANSER_END
