#pragma once
/// How far a body is from its rest shape, for checks.
#include <vector>

#include "device/particle_store.h"
#include "device/polar_decomposition.h"
#include "device/reduce.h"
#include "solvers/plain_types.h"

MERGANSER_BEGIN

class ShapeError {
 public:
  /// `rest` [m]: rest positions of all particles of the system, in the order of the store, which never
  /// changes (solids).
  ShapeError(int system, int body, const std::vector<Float3>& rest);
  /// Mean distance of the body's particles from the rest shape, which is moved and turned over them so that
  /// the sum of squared distances is least (Horn 1987), over the longest side of the rest shape. Blocking.
  double measure(const ParticleStore& particles);

 private:
  /// Sums over the body: m, m x, m X, m x X^T by columns.
  struct Moments {
    double mass;
    Vec3d place, rest, column[3];
  };
  friend struct SumMoments;
  int system_, body_;
  double size_ = 0;  ///< [m] longest side of the rest shape
  Array<Vec3> rest_;
  Reduction<Moments> moments_;
  Reduction<double> distance_;
};

MERGANSER_END
