#pragma once
/// What a FLIP fluid's grid gives to one wall in a step.
#include "solvers/core/wall_loads.h"
#include "solvers/methods/flip/level_set.h"
#include "solvers/methods/flip/particle_to_grid.h"

MERGANSER_BEGIN

/// What a face with the normal `axis` and its middle at `face` [m] gives to `wall`: the fluid gets p [N s]
/// along the axis.
MERGANSER_FN WallLoad load_of_face(const MeasuredWall& measured, const NearestWall& wall, int axis, double p,
                                   const Vec3& face) {
  return WallLoad::of({axis == 0 ? p : 0, axis == 1 ? p : 0, axis == 2 ? p : 0}, to_double(face),
                      measured.centre, to_double(wall.normal * wall.normal_speed));
}

/// The closed shares of a fluid cell's faces stand for the wall in it (wall_faces.h); the cell's pressure
/// acts on them outwards, at their middle. Each belongs to the wall next to it. With the unknown p dt/(rho
/// dx) the impulse is unknown rho dx^3 (1 - open) n. Launch over all cells of the box.
template <class Shapes>
struct WallFaceLoad {
  static constexpr const char* name = "flip wall loads";
  FlipGrid grid;
  Shapes walls;
  View<const signed char> kind;
  FaceViews<const float> open;
  View<const double> pressure;  ///< [m/s] by slot
  double cell_mass;             ///< [kg] rho dx^3
  MeasuredWall measured;

  MERGANSER_METHOD WallLoad operator()(int cell) const {
    WallLoad load;
    const auto [x, y, z] = grid.inner_cell(cell);
    const int c = grid.flat(x, y, z);
    if (kind[c] != fluid) return load;
    const double impulse = cell_mass * pressure[grid.box.slot(c)];
    for (int axis = 0; axis < 3; ++axis) {
      const double below = 1 - double(open.axis[axis][c]),
                   above = 1 - double(open.axis[axis][c + grid.stride(axis)]);
      if (below > 0) add(load, axis, impulse * below, grid.face_centre(axis, x, y, z));
      if (above > 0)
        add(load, axis, -impulse * above,
            grid.face_centre(axis, x + (axis == 0), y + (axis == 1), z + (axis == 2)));
    }
    return load;
  }

 private:
  MERGANSER_METHOD void add(WallLoad& load, int axis, double p, const Vec3& face) const {
    const NearestWall wall = nearest_wall(walls, face);
    if (wall.owner == measured.owner) load += load_of_face(measured, wall, axis, p, face);
  }
};

/// The pressure of WallFaceLoad is that half a cell before the wall. What is between is stopped by the closed
/// faces themselves, whose velocity becomes the wall's (ConstrainClosedFaces): with M_f = m sum_p w_fp of the
/// particles around, they take M_f change_f, at rest the weight of the last half cell, and all of a sheet of
/// fluid that is thinner than a cell. Launch over all cells of the box; each looks at its lower faces.
template <class Shapes>
struct ClosedFaceLoad {
  static constexpr const char* name = "flip closed face loads";
  FlipGrid grid;
  Shapes walls;
  FaceViews<const float> open, change;  ///< change: [m/s]
  UniformGridView particles;            ///< of the fluid
  double particle_mass;                 ///< [kg] m
  MeasuredWall measured;

  MERGANSER_METHOD WallLoad operator()(int cell) const {
    WallLoad load;
    const auto [x, y, z] = grid.inner_cell(cell);
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const float by = change.axis[axis][f];
      if (open.axis[axis][f] > 0 || by == 0) continue;
      const Vec3 face = grid.face_centre(axis, x, y, z);
      const NearestWall wall = nearest_wall(walls, face);
      if (wall.owner != measured.owner) continue;
      double weight = 0;
      for_each_particle_near_face(particles, axis, grid.lattice(x, y, z), [&](int j) {
        weight += double(kernel_weight(particles.position.data[j], face, grid.inverse_dx));
      });
      load += load_of_face(measured, wall, axis, weight * particle_mass * double(by), face);
    }
    return load;
  }
};

MERGANSER_END
