#pragma once
/// Re-seeding: particles of crowded cells move to sparse cells near by. All particles weigh the same, so
/// moving one keeps the mass; the momentum that it leaves behind or lacks is shared by all particles of both
/// cells.
#include "solvers/geometry/walls/wall.h"
#include "solvers/methods/flip/flip_grid.h"
#include "solvers/methods/flip/foreign_particles.h"
#include "solvers/methods/flip/wall_faces.h"

MERGANSER_BEGIN

class FlipReseeding {
 public:
  /// Cells hold about `expected` particles. A cell with at most 3/8 of them whose neighbors are all occupied
  /// or behind walls takes one from a cell within two that holds more than 3/2 of them; each takes and gives
  /// one at most a call, and none has particles of other systems in or around it. The new place is a free
  /// eighth of the cell, the new velocity that of the cell. Deterministic; draws are keyed by (seed, ids,
  /// step).
  FlipReseeding(double expected, float particle_radius, std::uint32_t seed);
  /// Moves particles of `own`, which `sorted` holds in its order; returns how many (blocking). Linear
  /// momentum is kept up to rounding, angular momentum and energy are not.
  int apply(ParticleStore& store, Range own, const UniformGridView& sorted, const UniformGridView& foreign,
            WallView walls, FaceViews<Vec3> affine, long long step);

 private:
  int least_, most_;  ///< particles of a sparse cell at most, of a crowded one more than
  float particle_radius_;
  std::uint32_t seed_;
  Array<int> first_, count_, surplus_, giver_, taker_;
  Array<Vec3> place_, velocity_;
  Reduction<int> moved_;
};

MERGANSER_END
