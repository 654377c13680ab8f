#pragma once
/// Distance of a body from its rest shape, for checks.
#include <vector>

#include "device/particle_store.h"
#include "device/polar_decomposition.h"
#include "device/reduce.h"
#include "solvers/base/host_types.h"

MERGANSER_BEGIN

class ShapeError {
 public:
  /// `rest` [m]: rest positions of all particles of the system, in the order of the store, which never
  /// changes (solids).
  ShapeError(int system, int body, const std::vector<Float3>& rest);
  /// Launches the measurement. The first one waits: it looks for the body's particles.
  void measure(const ParticleStore& particles);
  /// Mean distance of the body's particles from the rest shape, which is moved and turned over them so that
  /// the sum of squared distances is least (Horn 1987), over the longest side of the rest shape. Of the last
  /// fetch_results().
  double measured() const;

 private:
  /// Sums over the body: m, m x, m X, m x X^T by columns.
  struct Moments {
    double mass;
    Vec3d place, rest, column[3];
  };
  /// Where the rest shape lies best over the body.
  struct Fit {
    double mass;               ///< [kg] of the body
    Vec3d place, rest_centre;  ///< [m] centres of mass
    Matrix3<double> rotation;
  };
  friend struct SumMoments;
  friend struct FitShape;
  friend struct SumDistances;
  int system_, body_;
  double size_ = 0;        ///< [m] longest side of the rest shape
  Vec3d origin_{0, 0, 0};  ///< [m] near the body, so that rounding of far coordinates does not matter
  Array<Vec3> rest_;
  Reduction<Moments> moments_;
  DeviceResult<Fit> fit_;
  Reduction<double> distance_;
};

MERGANSER_END
