#include "solvers/methods/flip/flip_velocities.h"

#include "solvers/methods/flip/end_velocity.h"

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

void FlipVelocities::fall(const StepContext& step, const MetaParticleView& groups, Range own) {
  const ParticleStore& store = step.particles;
  free_velocity_.resize(own.count);
  launch(own.count, FreeVelocity{.groups = groups,
                                 .velocity = store.velocity.const_view(),
                                 .inverse_mass = store.inverse_mass.const_view(),
                                 .first = own.first,
                                 .fall = static_cast<float>(step.dt) * step.gravity,
                                 .free_velocity = free_velocity_.view()});
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
