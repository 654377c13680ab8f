#pragma once
/// Velocities of the particles of a FLIP fluid beside the store's: those before the solve, affine matrices,
/// and what moves particles beside their velocities.
#include <string>

#include "solvers/base/state_archive.h"
#include "solvers/core/system.h"
#include "solvers/methods/flip/flip_grid.h"

MERGANSER_BEGIN

class FlipVelocities {
 public:
  void resize(int count);
  void permute(View<const int> order);
  void keep(View<const int> kept);

  /// free_velocity(), of particles of `own` (FreeVelocity).
  void fall(const StepContext& step, const MetaParticleView& groups, Range own);
  View<const Vec3> free_velocity() const { return free_velocity_.const_view(); }
  FaceViews<Vec3> affine() { return affine_.view(); }
  FaceViews<const Vec3> affine() const { return affine_.const_view(); }
  /// [1/s] of the end of the step; end_step() makes them those of now.
  FaceViews<Vec3> next_affine() { return next_affine_.view(); }
  FaceViews<const Vec3> next_affine() const { return next_affine_.const_view(); }
  void end_step();

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  FaceArrays<Vec3> affine_, next_affine_;  ///< [1/s] rows of the affine matrices
  Array<Vec3> free_velocity_;              ///< [m/s] v* per particle
  Array<Vec3> spare_row_;
};

MERGANSER_END
