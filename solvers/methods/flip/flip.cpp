#include "solvers/methods/flip/flip.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solvers/core/checked_parameters.h"
#include "solvers/methods/flip/end_velocity.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "solvers/methods/flip/foreign_particles.h"
#include "solvers/methods/flip/particle_to_grid.h"
#include "solvers/methods/flip/place_box.h"
#include "solvers/methods/flip/reseed.h"
#include "solvers/methods/flip/volume_correction.h"
#include "solvers/methods/fluid/check_fluid.h"

MERGANSER_BEGIN

namespace {

struct LargestSpeed {
  static constexpr const char* name = "flip largest speed";
  using Value = float;
  View<const Vec3> velocity;
  MERGANSER_METHOD float operator()(int i) const { return norm_squared(velocity[i]); }
  MERGANSER_METHOD static float identity() { return 0; }
  MERGANSER_METHOD static float combine(float a, float b) { return a > b ? a : b; }
};

class Flip final : public System {
 public:
  Flip(const SystemState& state, const InitialState& initial, int system_index,
       const ParticleStore& particles)
      : parameters_((check_fluid(state), checked_parameters<FlipParameters>(state))),
        system_index_(system_index),
        spacing_(static_cast<float>(2 * state.fluid.particle_radius)),
        dx_(static_cast<float>(2 * state.fluid.particle_radius * parameters_.cell_size)),
        gravity_(std::hypot(initial.gravity[0], initial.gravity[1], initial.gravity[2])),
        walls_(initial.walls),
        reseeding_(std::pow(parameters_.cell_size, 3), static_cast<float>(state.fluid.particle_radius),
                   initial.seed),
        volume_(initial.walls) {
    require_open_domain(state, initial.periodic_length, "a FLIP fluid", "an SPH fluid");
    resize(particles.range(system_index).count);
  }

  const char* type() const override { return "flip"; }
  bool implicit() const override { return false; }
  void prepare(StepContext& step) override;
  void integrate(StepContext& step, const MetaParticleView& groups, int stage,
                 View<Vec3> end_velocity) override;
  void finish(StepContext& step) override;
  void measure(const ParticleStore& particles, Measures what) override;
  double time_step_limit() const override;
  SystemStatistics measured() const override {
    SystemStatistics result = statistics_;
    if (volume_corrected_) result.density_error = volume_.largest_error();
    return result;
  }
  bool tolerance_met() const override { return statistics_.tolerance_met; }
  bool moves_in_prepare() const override { return parameters_.reseeding; }
  void particles_added(const ParticleStore& particles, int, const Bounds& box) override {
    resize(particles.range(system_index_).count);
    bounds_known_.add(box);
  }
  void save(StateArchive& archive, const std::string& prefix) const override;
  void load(const StateArchive& archive, const std::string& prefix) override;

 private:
  bool apic() const { return parameters_.transfer == FlipTransfer::apic; }
  bool corrects_volume() const { return parameters_.volume_correction > 0; }
  void resize(int count) {
    if (apic())
      for (int axis = 0; axis < 3; ++axis) {
        affine_.axis[axis].resize(count);
        next_affine_.axis[axis].resize(count);
      }
  }
  void mark_cells(StepContext& step);
  void sort(ParticleStore& store, Range own);
  bool reseed(StepContext& step, Range own);
  /// Cells that a particle may cross in a second: sqrt(|g| dx) is what it may gain on the way.
  /// speed_squared [m^2/s^2]: the greatest.
  double crossing_rate(double speed_squared) const;
  void to_faces(StepContext& step, const MetaParticleView& groups);

  FlipParameters parameters_;
  int system_index_;
  float spacing_, dx_;  ///< [m]
  double gravity_;      ///< [m/s^2]
  Walls walls_;
  UniformGrid sorted_;
  GridBounds placement_;
  ForeignParticles foreign_;
  FlipPressure pressure_;
  FlipReseeding reseeding_;
  VolumeCorrection volume_;
  bool volume_corrected_ = false;  ///< in this step

  FaceArrays<Vec3> affine_, next_affine_;  ///< [1/s] rows of the APIC matrices now and at the end of the step
  FaceArrays<float> u_;                    ///< [m/s] v* on faces
  FaceArrays<signed char> reached_;
  Array<Vec3> free_velocity_, projected_, shift_, group_velocity_;
  Array<float> row_weight_, row_momentum_;
  Array<Vec3> spare_row_;
  Reduction<float> largest_;  ///< speed squared [m^2/s^2] at the beginning of a step
  Reduction<Both<float, Bounds>> motion_;
  BoundsKnowledge bounds_known_;
  SystemStatistics statistics_;
  int expected_[2] = {8, 8};  ///< iterations of a stage, those of the last step
};

void Flip::prepare(StepContext& step) {
  ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  statistics_ = {};
  volume_corrected_ = false;
  if (own.count == 0) return;
  sort(store, own);
  bounds_known_.forget();  // from here on
  if (parameters_.reseeding && reseed(step, own)) sort(store, own);
}

void Flip::sort(ParticleStore& store, Range own) {
  const View<const Vec3> position = store.position.const_view().subview(own.first, own.count);
  if (bounds_known_)
    sorted_.build(position, bounds_known_.now(motion_.fetched().second), dx_);
  else
    sorted_.build(position, dx_);
  store.permute(system_index_, sorted_.order());
  if (apic())
    for (Array<Vec3>& row : affine_.axis) permute_array(row, sorted_.order(), spare_row_);
  sorted_.use_permuted(store.position.const_view().subview(own.first, own.count));
}

/// True where a particle has moved.
bool Flip::reseed(StepContext& step, Range own) {
  const auto [low, cells] = placement_.around(
      step.particles.position.const_view().subview(own.first, own.count), sorted_.bounds(), dx_);
  FlipGrid box;
  box.low = low;
  box.cells = cells;
  box.dx = dx_;
  box.inverse_dx = 1 / dx_;
  foreign_.find(step.particles, own, box, sorted_.view().shape);
  return reseeding_.apply(step.particles, own, sorted_.view(), foreign_.view(), walls_.view(), affine_.view(),
                          step.step) > 0;
}

/// Others may have permuted their particles since prepare().
void Flip::mark_cells(StepContext& step) {
  const ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  const View<const Vec3> position = store.position.const_view().subview(own.first, own.count);
  const auto [low, cells] = placement_.around(position, sorted_.bounds(), dx_);
  pressure_.place(low, cells, dx_, walls_.view());
  foreign_.find(store, own, pressure_.grid(), sorted_.view().shape);
  pressure_.mark(sorted_.view(), foreign_.view(), walls_.view(), spacing_);
  if (!corrects_volume()) return;
  volume_corrected_ = true;
  // Density errors grow while particles cross cells, so that is the time in which they are taken back.
  largest_.run(own.count, LargestSpeed{store.velocity.const_view().subview(own.first, own.count)});
  const double rate = crossing_rate(largest_.read());
  const double share = std::min(1.0, parameters_.volume_correction * rate * step.dt);
  volume_.find(pressure_, sorted_.view().shape, position, share);
}

/// v* on faces: from the fluid's own particles, and by extrapolation for faces of fluid cells that none
/// reaches. Particles of others do not count: what they and the fluid do to each other, merging-and-splitting
/// does. (With their velocities on the faces of cells that they alone occupy, contacts acted twice: water on
/// a cloth gained 1 % of its kinetic energy a step.)
void Flip::to_faces(StepContext& step, const MetaParticleView& groups) {
  const ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  const FlipGrid& grid = pressure_.grid();
  launch(own.count, FreeVelocity{.groups = groups,
                                 .velocity = store.velocity.const_view(),
                                 .inverse_mass = store.inverse_mass.const_view(),
                                 .first = own.first,
                                 .fall = static_cast<float>(step.dt) * step.gravity,
                                 .free_velocity = free_velocity_.view()});
  u_.resize(grid.box.count());
  reached_.resize(grid.box.count());
  if (!MERGANSER_GPU_HALF)
    for (Array<float>* row : {&row_weight_, &row_momentum_}) row->resize(grid.box.count());
  for (int axis = 0; axis < 3; ++axis) {
    launch_gather(ParticlesToFaces{.grid = grid,
                                   .particles = sorted_.view(),
                                   .velocity = free_velocity_.const_view(),
                                   .affine_row = affine_.axis[axis].const_view(),
                                   .axis = axis,
                                   .u = u_.axis[axis].view(),
                                   .reached = reached_.axis[axis].view(),
                                   .weight = row_weight_.view(),
                                   .momentum = row_momentum_.view()});
    extrapolate_two_layers(grid, u_.axis[axis], reached_.axis[axis], pressure_.between_layers());
  }
}

void Flip::integrate(StepContext& step, const MetaParticleView& groups, int stage, View<Vec3> end_velocity) {
  const ParticleStore& store = step.particles;
  const Range own = store.range(system_index_);
  if (own.count == 0) return;
  if (stage == 0) mark_cells(step);
  free_velocity_.resize(own.count);
  projected_.resize(own.count);
  if (corrects_volume()) shift_.resize(own.count);
  if (groups.group_count > group_velocity_.size()) group_velocity_.resize(groups.group_count);

  to_faces(step, groups);
  const FlipGrid& grid = pressure_.grid();
  launch_cells(grid.cells, Convergence{.grid = grid,
                                       .walls = walls_.view(),
                                       .kind = pressure_.kind(),
                                       .open = pressure_.open(),
                                       .u = u_.const_view(),
                                       .right_side = pressure_.right_side()});
  const LinearSolveResult solved =
      pressure_.solve(pressure_.right_side(), u_.const_view(), walls_.view(), parameters_.tolerance,
                      parameters_.max_iterations, stage == 0, expected_[stage]);
  expected_[stage] = solved.iterations;
  statistics_.iterations[stage] = solved.iterations;
  statistics_.residual = solved.residual;
  statistics_.tolerance_met = statistics_.tolerance_met && solved.tolerance_met;
  launch(own.count, FacesToParticles{.grid = grid,
                                     .lattice = sorted_.view().shape,
                                     .position = store.position.const_view().subview(own.first, own.count),
                                     .free_velocity = free_velocity_.const_view(),
                                     .u = u_.const_view(),
                                     .change = pressure_.change(),
                                     .blend = static_cast<float>(parameters_.flip_blend),
                                     .velocity = projected_.view(),
                                     .affine = next_affine_.view()});
  launch_group_sums(groups.group_count, FlipGroupVelocity{.members = {groups, own},
                                                          .velocity = projected_.const_view(),
                                                          .group_velocity = group_velocity_.view()});
  launch(own.count, FlipEndVelocity{.group_of = groups.group_count > 0 ? groups.group_of : View<const int>{},
                                    .group_velocity = group_velocity_.const_view(),
                                    .own = own,
                                    .before = store.velocity.const_view(),
                                    .inverse_mass = store.inverse_mass.const_view(),
                                    .projected = projected_.const_view(),
                                    .displacement = volume_.displacement(),
                                    .inverse_dt = static_cast<float>(1 / step.dt),
                                    .affine_x = next_affine_.axis[0].view(),
                                    .affine_y = next_affine_.axis[1].view(),
                                    .affine_z = next_affine_.axis[2].view(),
                                    .shift = shift_.view(),
                                    .end_velocity = end_velocity});
}

/// The displacement has moved the particles; their velocities do not keep it.
void Flip::finish(StepContext& step) {
  const Range own = step.particles.range(system_index_);
  if (own.count == 0) return;
  for (int axis = 0; axis < 3; ++axis) affine_.axis[axis].swap(next_affine_.axis[axis]);
  if (!corrects_volume()) return;
  launch(own.count,
         TakeOffShift{
             step.end_velocity.empty() ? View<const Vec3>{} : step.end_velocity.subview(own.first, own.count),
             shift_.const_view(), step.particles.velocity.view().subview(own.first, own.count)});
}

double Flip::crossing_rate(double speed_squared) const {
  return (std::sqrt(speed_squared) + std::sqrt(gravity_ * double(dx_))) / double(dx_);
}

void Flip::measure(const ParticleStore& particles, Measures) {
  const Range own = particles.range(system_index_);
  motion_.run(own.count,
              together(LargestSpeed{particles.velocity.const_view().subview(own.first, own.count)},
                       PositionBounds{particles.position.const_view().subview(own.first, own.count)}));
  bounds_known_.measured();
}

double Flip::time_step_limit() const {
  const double rate = crossing_rate(motion_.fetched().first);
  return rate > 0 ? parameters_.cfl / rate : 1e30;
}

void Flip::save(StateArchive& archive, const std::string& prefix) const {
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<Vec3> row = affine_.axis[axis].to_host();
    archive.put(prefix + "/affine_" + std::to_string(axis), reinterpret_cast<const float*>(row.data()),
                3 * row.size());
  }
}

void Flip::load(const StateArchive& archive, const std::string& prefix) {
  bounds_known_.forget();
  for (int axis = 0; axis < 3; ++axis) {
    const auto row = archive.get<float>(prefix + "/affine_" + std::to_string(axis));
    affine_.axis[axis].resize(static_cast<int>(row.size() / 3));
    next_affine_.axis[axis].resize(affine_.axis[axis].size());
    copy_to_device(affine_.axis[axis].data(), row.data(), sizeof(float) * row.size());
  }
}

}  // namespace

std::unique_ptr<System> make_flip(const SystemState& state, const InitialState& initial, int system_index,
                                  const ParticleStore& particles) {
  return std::make_unique<Flip>(state, initial, system_index, particles);
}

MERGANSER_END
