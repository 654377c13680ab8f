#pragma once
/// What a sheet takes beyond the pressure of the cells beside it: of what particles get from the next faces.
#include "solvers/methods/flip/sheet_faces.h"

MERGANSER_BEGIN

/// Masses of particles at faces that touch fluid, with those at the next faces along the axis that touch
/// none: these get what the former get, by extrapolation. One between two has a half for each.
struct GatherFaceMass {
  static constexpr const char* name = "flip masses at faces";
  FlipGrid grid;
  View<const signed char> kind;
  FaceViews<const float> mass;  ///< [particles]
  FaceViews<float> gathered;    ///< [particles], written; 0 of faces that touch none
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z), at[3] = {x, y, z},
              cells[3] = {grid.cells.x, grid.cells.y, grid.cells.z};
    for (int axis = 0; axis < 3; ++axis) {
      const int step = grid.stride(axis);
      float sum = 0;
      if (touches(f, step)) {
        sum = mass.axis[axis][f];
        if (at[axis] < cells[axis]) sum += of(axis, f + step, f + 2 * step);
        if (at[axis] > 2) sum += of(axis, f - step, f - 2 * step);
      }
      gathered.axis[axis][f] = sum;
    }
  }

 private:
  MERGANSER_METHOD bool touches(int f, int step) const { return kind[f] == fluid || kind[f - step] == fluid; }
  MERGANSER_METHOD float of(int axis, int g, int beyond) const {
    const int step = grid.stride(axis);
    if (touches(g, step)) return 0;
    return touches(beyond, step) ? 0.5f * mass.axis[axis][g] : mass.axis[axis][g];
  }
};

/// The pressure on a sheet is that of cells' centres, and it is their column that presses. What particles get
/// from the open faces before and behind a closed one, M_f change_f, follows the sheet. So the sheet takes
/// the difference, as walls do (FaceDifferenceLoad): r_f = sum (M_g change_g - passage_g rho dx^3 (p_l -
/// p_r)) over g = f - 1, f + 1; half of it where g lies between two sheets.
struct SheetDifferences {
  static constexpr const char* name = "flip differences at sheets";
  ClosedFaces faces;
  View<const float> pressure;                         ///< [m/s] by slot
  FaceViews<const float> passage, change, face_mass;  ///< face_mass [particles]
  float cell_mass, particle_mass;                     ///< [kg]
  float steady;                                       ///< [m/s] twice dt g
  FaceViews<float> difference;                        ///< [N s], written at closed faces
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const FlipGrid& grid = faces.sheets.grid;
    const int f = grid.flat(x, y, z), at[3] = {x, y, z},
              cells[3] = {grid.cells.x, grid.cells.y, grid.cells.z};
    for (int axis = 0; axis < 3; ++axis) {
      if (!faces.has(axis, f)) continue;
      const int step = grid.stride(axis);
      float sum = 0;
      if (at[axis] < cells[axis]) sum += of(axis, f + step, f + 2 * step);
      if (at[axis] > 2) sum += of(axis, f - step, f - 2 * step);
      difference.axis[axis][f] = sum;
    }
  }

 private:
  /// beyond: the next face.
  MERGANSER_METHOD float of(int axis, int g, int beyond) const {
    const int below = g - faces.sheets.grid.stride(axis);
    if (faces.has(axis, g) || (faces.kind[g] != fluid && faces.kind[below] != fluid)) return 0;
    const RedBlackBox& box = faces.sheets.grid.box;
    const float by_pressure = pressure[box.slot(below)] - pressure[box.slot(g)];
    const float by = change.axis[axis][g];
    const float all =
        particle_mass * face_mass.axis[axis][g] * by - cell_mass * passage.axis[axis][g] * by_pressure;
    const float part = fabsf(by) > steady ? steady / fabsf(by) : 1.0f;
    return faces.has(axis, beyond) ? 0.5f * part * all : part * all;
  }
};

MERGANSER_END
