#pragma once
/// Velocities of a FLIP fluid: of its particles before the solve, on the grid's faces, and APIC's matrices.
#include <string>

#include "solvers/base/state_archive.h"
#include "solvers/core/system.h"
#include "solvers/methods/flip/pressure_solver.h"

MERGANSER_BEGIN

class FlipVelocities {
 public:
  void resize(int count);
  void permute(View<const int> order);
  void keep(View<const int> kept);

  /// v* on faces: from the fluid's own particles, and by extrapolation for faces of fluid cells that none
  /// reaches. Particles of others do not count: what they and the fluid do to each other,
  /// merging-and-splitting does. (With their velocities on the faces of cells that they alone occupy,
  /// contacts acted twice: water on a cloth gained 1 % of its kinetic energy a step.)
  void set_faces(const StepContext& step, const MetaParticleView& groups, Range own,
                 const UniformGridView& sorted, FlipPressure& pressure);
  FaceViews<const float> faces() const { return u_.const_view(); }
  FaceViews<float> writable_faces() { return u_.view(); }
  View<const Vec3> free_velocity() const { return free_velocity_.const_view(); }
  FaceViews<Vec3> affine() { return affine_.view(); }
  /// [1/s] of the end of the step; end_step() makes them those of now.
  FaceViews<Vec3> next_affine() { return next_affine_.view(); }
  FaceViews<const Vec3> next_affine() const { return next_affine_.const_view(); }
  void end_step();

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  FaceArrays<Vec3> affine_, next_affine_;  ///< [1/s] rows of the affine matrices
  FaceArrays<float> u_;                    ///< [m/s] v* on faces
  FaceArrays<signed char> reached_;
  Array<Vec3> free_velocity_;               ///< [m/s] v* per particle
  Array<float> row_weight_, row_momentum_;  ///< CPU: see ParticlesToFaces
  Array<Vec3> spare_row_;
};

MERGANSER_END
