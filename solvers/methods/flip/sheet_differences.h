#pragma once
/// What a sheet takes beyond the pressure of the cells beside it: of what particles get from the next faces.
#include "solvers/methods/flip/sheet_faces.h"

MERGANSER_BEGIN

/// Pressure acts on volumes of cells, particles have masses. Of a column of cells on a sheet the sheet takes
/// the difference between what the particles get, with M of FaceMass, and what pressure gives, as walls do
/// (FaceDifferenceLoad):
///
///   r_f = sum_g (M_g change_g - passage_g rho dx^3 (p_l - p_r))
///
/// over the `reach` faces g on both sides of the closed face f; half of it where they end at another sheet.
struct SheetDifferences {
  static constexpr const char* name = "flip differences at sheets";
  ClosedFaces faces;
  View<const float> pressure;                         ///< [m/s] by slot
  FaceViews<const float> passage, change, face_mass;  ///< face_mass [particles]
  float cell_mass, particle_mass;                     ///< [kg]
  FaceViews<float> difference;                        ///< [N s], written at closed faces
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const FlipGrid& grid = faces.sheets.grid;
    const int f = grid.flat(x, y, z), at[3] = {x, y, z},
              cells[3] = {grid.cells.x, grid.cells.y, grid.cells.z};
    for (int axis = 0; axis < 3; ++axis) {
      if (!faces.has(axis, f)) continue;
      const int step = grid.stride(axis);
      difference.axis[axis][f] =
          along(axis, f, step, cells[axis] - at[axis]) + along(axis, f, -step, at[axis] - 2);
    }
  }

 private:
  static constexpr int reach = 3;
  /// Of one side; `inside`: faces of it in the box.
  MERGANSER_METHOD float along(int axis, int f, int step, int inside) const {
    float sum = 0;
    for (int k = 1; k <= reach && k <= inside; ++k) {
      const int g = f + k * step, below = g - faces.sheets.grid.stride(axis);
      if (faces.has(axis, g)) return 0.5f * sum;
      if (faces.kind[g] != fluid && faces.kind[below] != fluid) break;
      sum += of(axis, g, below);
    }
    return sum;
  }
  MERGANSER_METHOD float of(int axis, int g, int below) const {
    const RedBlackBox& box = faces.sheets.grid.box;
    const float by_pressure = pressure[box.slot(below)] - pressure[box.slot(g)];
    return particle_mass * face_mass.axis[axis][g] * change.axis[axis][g] -
           cell_mass * passage.axis[axis][g] * by_pressure;
  }
};

MERGANSER_END
