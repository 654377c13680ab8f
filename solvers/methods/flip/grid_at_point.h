#pragma once
/// Pressure and density of a FLIP fluid's grid at a point, for probes.
#include "solvers/core/fluid_fields.h"
#include "solvers/methods/flip/cell_kind.h"

MERGANSER_BEGIN

/// Trilinear interpolation between the centres of cells, of those that are fluid: their weights and weighted
/// values. What falls on air, walls or other systems is left out, so that a value within half a cell of a
/// wall or of the surface is that of the cells beside it. p = unknown rho0 dx/dt; rho = rho0 (1 + error), as
/// in DensityError. One index.
struct GridAtPoint {
  static constexpr const char* name = "flip grid at a point";
  FlipGrid grid;
  View<const signed char> kind;     ///< empty: nothing was solved
  View<const double> pressure;      ///< [m/s] unknowns by slot
  View<const float> density_error;  ///< rho/rho0 - 1
  double density0;                  ///< [kg/m^3]
  double pressure_of_unknown;       ///< [Pa s/m] rho0 dx/dt
  FluidField field;
  Vec3 point;          ///< [m]
  View<PointSums> to;  ///< one, written

  MERGANSER_METHOD void operator()(int) const {
    PointSums sums;
    const double s[3] = {double(point.x) * grid.inverse_dx - 0.5, double(point.y) * grid.inverse_dx - 0.5,
                         double(point.z) * grid.inverse_dx - 0.5};
    const int low[3] = {grid.low.x, grid.low.y, grid.low.z};
    const int cells[3] = {grid.cells.x, grid.cells.y, grid.cells.z};
    int first[3];
    double share[3];  // of the upper cell
    bool inside = !kind.empty();
    for (int axis = 0; axis < 3; ++axis) {
      const double below = floor(s[axis]), from = below - low[axis];
      inside = inside && from >= -1 && from < cells[axis];
      first[axis] = inside ? int(from) + 1 : 0;
      share[axis] = s[axis] - below;
    }
    // The padding beside the box is no fluid.
    for (int k = 0; inside && k < 8; ++k) {
      const int up[3] = {k & 1, k >> 1 & 1, k >> 2};
      const int c = grid.flat(first[0] + up[0], first[1] + up[1], first[2] + up[2]);
      if (kind[c] != fluid) continue;
      double weight = 1;
      for (int axis = 0; axis < 3; ++axis) weight *= up[axis] ? share[axis] : 1 - share[axis];
      sums = sums + PointSums{weight, {weight * value(c), 0, 0}};
    }
    to[0] = sums;
  }

 private:
  MERGANSER_METHOD double value(int c) const {
    return field == FluidField::pressure ? pressure_of_unknown * pressure[grid.box.slot(c)]
                                         : density0 * (1 + double(density_error[c]));
  }
};

MERGANSER_END
