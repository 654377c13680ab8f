#pragma once
/// The displacement that brings the density of a FLIP fluid back, see density_correction.h.
#include "device/reduce.h"
#include "solvers/methods/flip/pressure_solver.h"

MERGANSER_BEGIN

class VolumeCorrection {
 public:
  /// Finds displacements of the particles that take back `share` of the density error, with the cells and the
  /// matrix that `pressure` holds. Lattice and positions are those of the sorted particles. The motion of
  /// walls displaces nothing.
  void find(FlipPressure& pressure, const GridShape& lattice, View<const Vec3> position, WallView walls,
            double share);
  /// Largest rho/rho0 - 1 before the last find(), as of the last fetch_results().
  double largest_error() const { return largest_.fetched(); }
  /// [m], of the last find(); empty before the first.
  View<const Vec3> displacement() const { return displacement_.const_view(); }

 private:
  FaceArrays<float> no_velocity_;
  Array<Vec3> displacement_;
  Reduction<float> largest_;
  int expected_ = 8;  ///< iterations, those of the last solve
};

MERGANSER_END
