#include "solvers/methods/flip/flip_velocities.h"

#include "solvers/methods/flip/end_velocity.h"
#include "solvers/methods/flip/particle_to_grid.h"

MERGANSER_BEGIN

void FlipVelocities::resize(int count) {
  for (int axis = 0; axis < 3; ++axis) {
    affine_.axis[axis].resize(count);
    next_affine_.axis[axis].resize(count);
  }
}

void FlipVelocities::permute(View<const int> order) {
  for (Array<Vec3>& row : affine_.axis) permute_array(row, order, spare_row_);
}

void FlipVelocities::keep(View<const int> kept) {
  for (Array<Vec3>& row : affine_.axis) keep_elements(row, kept, spare_row_);
  resize(kept.count);
}

void FlipVelocities::set_faces(const StepContext& step, const MetaParticleView& groups, Range own,
                               const UniformGridView& sorted, FlipPressure& pressure) {
  const ParticleStore& store = step.particles;
  const FlipGrid& grid = pressure.grid();
  free_velocity_.resize(own.count);
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
                                   .particles = sorted,
                                   .velocity = free_velocity_.const_view(),
                                   .affine_row = affine_.axis[axis].const_view(),
                                   .axis = axis,
                                   .u = u_.axis[axis].view(),
                                   .reached = reached_.axis[axis].view(),
                                   .weight = row_weight_.view(),
                                   .momentum = row_momentum_.view()});
    extrapolate_two_layers(grid, u_.axis[axis], reached_.axis[axis], pressure.between_layers());
  }
}

void FlipVelocities::end_step() {
  for (int axis = 0; axis < 3; ++axis) affine_.axis[axis].swap(next_affine_.axis[axis]);
}

void FlipVelocities::save(StateArchive& archive, const std::string& prefix) const {
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<Vec3> row = affine_.axis[axis].to_host();
    archive.put(prefix + "/affine_" + std::to_string(axis), reinterpret_cast<const float*>(row.data()),
                3 * row.size());
  }
}

void FlipVelocities::load(const StateArchive& archive, const std::string& prefix) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto row = archive.get<float>(prefix + "/affine_" + std::to_string(axis));
    affine_.axis[axis].resize(static_cast<int>(row.size() / 3));
    next_affine_.axis[axis].resize(affine_.axis[axis].size());
    copy_to_device(affine_.axis[axis].data(), row.data(), sizeof(float) * row.size());
  }
}

MERGANSER_END
