#pragma once
/// The bricks that the search for the surface begins with.
#include "device/reduce.h"
#include "solvers/geometry/surface/brick_grid.h"
#include "solvers/geometry/surface/field_particles.h"

MERGANSER_BEGIN

class BrickSeeds {
 public:
  /// Keys of all bricks that the particles' seed balls touch, many of them several times.
  void find(const FieldParticles& particles, const BrickLattice& lattice, Array<Word64>& key);

 private:
  Array<int> first_;
  Scratch scratch_;
};

MERGANSER_END
