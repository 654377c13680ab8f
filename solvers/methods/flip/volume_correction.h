#pragma once
/// The displacement that brings the density of a FLIP fluid back, see density_correction.h.
#include "device/reduce.h"
#include "solvers/methods/flip/density_correction.h"
#include "solvers/methods/flip/pressure_solver.h"

MERGANSER_BEGIN

/// [m] of particles, by that of faces and by what they lack of a spacing, of which a share is taken back.
/// Lattice and positions are those of the sorted particles.
void displace(const FlipPressure& pressure, const FlipFluids& fluids, float spacing, double share,
              const GridShape& lattice, WallView walls, View<const Vec3> position, View<Vec3> displacement);

class VolumeCorrection {
 public:
  /// Finds displacements of faces, pressure.change(), that take back `share` of the density error, with the
  /// cells and the matrix that `pressure` holds. The motion of walls displaces nothing.
  void find(FlipPressure& pressure, WallView walls, double share);
  /// Largest rho/rho0 - 1 before the last find(), as of the last fetch_results().
  double largest_error() const { return largest_.fetched(); }

 private:
  Reduction<float> largest_;
  int expected_ = 8;  ///< iterations, those of the last solve
};

MERGANSER_END
