#pragma once
/// What a sheet takes beyond the pressure of the cells beside it: of what particles get from the next faces.
#include "solvers/methods/flip/face_mass.h"
#include "solvers/methods/flip/sheet_faces.h"

MERGANSER_BEGIN

/// Pressure acts on volumes of cells, particles have masses. Of a column of cells on a sheet the sheet takes
/// the difference between what the particles get, with M of FaceMass, and what pressure gives, as walls do
/// (FaceDifferenceLoad):
///
///   r_f = sum_g (M_g change_g - passage_g rho dx^3 (p_l - p_r))
///
/// over the faces g in line with the closed face f (sum_in_line).
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
      difference.axis[axis][f] = sum_in_line(
          faces.kind, f, grid.stride(axis), at[axis], cells[axis], [&](int g) { return faces.has(axis, g); },
          [&](int g) { return of(axis, g); });
    }
  }

 private:
  MERGANSER_METHOD float of(int axis, int g) const {
    const RedBlackBox& box = faces.sheets.grid.box;
    const int below = g - faces.sheets.grid.stride(axis);
    const float by_pressure = pressure[box.slot(below)] - pressure[box.slot(g)];
    return particle_mass * face_mass.axis[axis][g] * change.axis[axis][g] -
           cell_mass * passage.axis[axis][g] * by_pressure;
  }
};

MERGANSER_END
