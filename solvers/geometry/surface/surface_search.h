#pragma once
/// Finds the bricks that the surface crosses and the field in them: from the seeds, brick by brick, until no
/// crossing leads out of the bricks.
#include "solvers/geometry/surface/brick_seeds.h"
#include "solvers/geometry/surface/surface_parameters.h"
#include "solvers/geometry/surface/topological_field.h"

MERGANSER_BEGIN

class SurfaceSearch {
 public:
  /// `h` and cell as in the parameters; the graph, where there is one, is the particles'.
  void run(const FieldParticles& particles, const SurfaceParameters& parameters);
  const BrickGrid& bricks() const { return bricks_; }
  /// Field in the points, 64 a slot.
  View<const float> value() const { return value_.view(); }
  /// Points with a field above C, a word a rank.
  View<const Word64> inside() const { return inside_.view(); }
  int topological_bricks() const { return topological_bricks_; }
  int rounds() const { return rounds_; }

 private:
  void evaluate(const FieldParticles& particles, const SurfaceParameters& parameters, int first, int count);
  /// Keys of the bricks that crossings lead to and that are not there yet. Returns their number.
  int find_missing();

  BrickGrid bricks_;
  BrickSeeds seeds_;
  Array<float> value_;
  Array<Word64> inside_, candidate_;
  Array<int> slot_, flag_, selected_, selected_count_, offsets_, missing_, first_missing_;
  Scratch scratch_;
  float cell_ = 1;
  int topological_bricks_ = 0, rounds_ = 0;
};

MERGANSER_END
