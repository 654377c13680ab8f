#pragma once
/// Load of a FLIP fluid's grid on one wall in a step.
#include "solvers/core/wall_loads.h"
#include "solvers/methods/flip/cell_kind.h"
#include "solvers/methods/flip/other_faces.h"

MERGANSER_BEGIN

inline constexpr float kernel_reach = 1.5f;  ///< [cells] of a particle's kernel
/// Walls whose normal has less of an axis are nearly along it.
inline constexpr float along_axis = 0.25f;

/// The wall in reach of a face: the nearest one that crosses its axis, or that crosses it most where all are
/// nearly along it; owner -1: none is. Beside a wall along the axis others are looked for out of the reach of
/// that one: faces across the floor belong to the floor also in the edges of a tank. A face that is `cut` and
/// has only walls along its axis lies in the edge of a body, behind or in a side along its axis (all over a
/// body two cells wide several sides may be equally near): it belongs to the side of that body that lies
/// along the axis.
template <class Shapes>
MERGANSER_FN NearestWall wall_across(const Shapes& walls, const Vec3& face, int axis, float dx, bool cut) {
  const float reach = kernel_reach * dx;
  NearestWall wall = nearest_wall(walls, face), most = wall;
  if (wall.distance > reach) return {0, {0, 0, 0}, 0, -1};
  const int nearest = wall.owner;
  Vec3 at = face;
  for (int k = 1; k < 3 && fabsf(component(most.normal, axis)) <= along_axis; ++k) {
    at += wall.normal * (1.001f * reach - wall.distance);
    wall = nearest_wall(walls, at);
    if (wall.distance > reach) break;
    if (fabsf(component(wall.normal, axis)) > fabsf(component(most.normal, axis))) most = wall;
  }
  if (!cut) return most;
  for (int k = 0; k < 4 && fabsf(component(most.normal, axis)) < 0.01f; ++k) {
    const float along = (k < 2 ? 0.5f : 1.0f) * (k % 2 == 0 ? dx : -dx);
    wall =
        nearest_wall(walls, face + Vec3{axis == 0 ? along : 0, axis == 1 ? along : 0, axis == 2 ? along : 0});
    if (wall.owner == nearest && fabsf(component(wall.normal, axis)) > fabsf(component(most.normal, axis)))
      most = wall;
  }
  return most;
}

/// The greatest component along an axis that any normal of a wall has.
MERGANSER_FN float most_across(const Wall& wall, int axis) {
  if (wall.shape != WallShape::plane && wall.shape != WallShape::cylinder) return 1;
  const float along =
      fabsf(component(wall.placed ? wall.place.to_world(wall.direction) : wall.direction, axis));
  return wall.shape == WallShape::plane ? along : sqrtf(most_of(1 - along * along, 0.0f));
}

/// Of all the walls that a scene's one consists of, as a tank of planes.
template <class Shapes>
MERGANSER_FN float most_across(const Shapes& walls, int owner, int axis) {
  float most = 0;
  for (int k = 0; k < walls.count; ++k)
    if (walls.data[k].owner == owner) most = most_of(most, most_across(walls.data[k], axis));
  return most;
}

/// What a face with the normal `axis` and its middle at `face` [m] gives to `wall`: the fluid gets p [N s]
/// along the axis.
MERGANSER_FN WallLoad load_of_face(const MeasuredWall& measured, const NearestWall& wall, int axis, double p,
                                   const Vec3& face) {
  return WallLoad::of({axis == 0 ? p : 0, axis == 1 ? p : 0, axis == 2 ? p : 0}, to_double(face),
                      measured.centre, to_double(wall.normal * wall.normal_speed));
}

/// The closed shares of a fluid cell's faces stand for the wall in it (wall_faces.h); the cell's pressure
/// acts on them outwards. With the unknown p dt/(rho dx) the impulse is unknown rho dx^3 (1 - open) n. Shares
/// that both faces of an axis have in common are those of a wall along it, and nothing comes of them, but
/// where each face has a wall of its own, as in a gap. Launch over all cells of the box.
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
      if (!(below > 0 || above > 0)) continue;
      const Vec3 lower = grid.face_centre(axis, x, y, z),
                 upper = grid.face_centre(axis, x + (axis == 0), y + (axis == 1), z + (axis == 2));
      const NearestWall under = wall_across(walls, lower, axis, grid.dx, below > 0),
                        over = wall_across(walls, upper, axis, grid.dx, above > 0);
      const bool gap = component(under.normal, axis) > 0 && component(over.normal, axis) < 0;
      if (gap || below > above) add(load, under, axis, impulse * (gap ? below : below - above), lower);
      if (gap || above > below) add(load, over, axis, -impulse * (gap ? above : above - below), upper);
    }
    return load;
  }

 private:
  MERGANSER_METHOD void add(WallLoad& load, const NearestWall& wall, int axis, double p,
                            const Vec3& face) const {
    if (wall.owner == measured.owner) load += load_of_face(measured, wall, axis, p, face);
  }
};

/// The pressure of WallFaceLoad is that of a cell's centre, which may lie almost a cell before a wall that
/// cuts the grid, or half a cell behind it. What particles get from a face in the wall's reach follows the
/// wall: M_f change_f, with M_f = sum_p m_p w_fp of those that are there. The difference
///
///   M_f change_f - open_f rho dx^3 (p_l - p_r)
///
/// is the wall's as well. Over a column of cells it adds up to what the particles get, wherever the wall is;
/// of a closed face it is what the face stops (ConstrainClosedFaces), at rest the weight of the last half
/// cell, and all of a sheet of fluid that is thinner than a cell. Beside a body it adds up over its sides:
/// along those of an axis faces lack the mass that the closed faces behind have. So bodies and
/// tanks take all of it, but walls that are along an axis everywhere, as planes, nothing. Launch over all
/// cells of the box; each looks at its lower faces.
template <class Shapes>
struct FaceDifferenceLoad {
  static constexpr const char* name = "flip wall load differences";
  FlipGrid grid;
  Shapes walls;
  View<const signed char> kind;
  View<const float> corner_distance;    ///< [m] of cells' lower corners to the nearest wall
  FaceViews<const float> open, change;  ///< change: [m/s]
  View<const double> pressure;          ///< [m/s] by slot
  FlipFluids own;
  OtherChanges others;                                ///< without particles where there are none
  double particle_mass[FlipFluids::most], cell_mass;  ///< [kg] m of every fluid, rho dx^3 of the first
  MeasuredWall measured;

  MERGANSER_METHOD WallLoad operator()(int cell) const {
    WallLoad load;
    const auto [x, y, z] = grid.inner_cell(cell);
    const int f = grid.flat(x, y, z);
    if (corner_distance[f] > (kernel_reach + 0.75f) * grid.dx)
      return load;  // faces' centres are 0.71 dx away
    for (int axis = 0; axis < 3; ++axis) {
      const int below = f - grid.stride(axis);
      const double by = double(change.axis[axis][f]);
      if (by == 0 || kind[f] == solid || kind[below] == solid) continue;
      const Vec3 face = grid.face_centre(axis, x, y, z);
      const NearestWall wall = wall_across(walls, face, axis, grid.dx, open.axis[axis][f] < 1);
      if (wall.owner != measured.owner) continue;
      const float across = most_across(walls, measured.owner, axis);
      if (!(across > 0)) continue;
      double mass = 0;
      for (int k = 0; k < own.count; ++k) {
        double weight = 0;
        for_each_particle_near_face(own.of[k], axis, grid.lattice(x, y, z), [&](int j) {
          weight += double(kernel_weight(own.of[k].position.data[j], face, grid.inverse_dx));
        });
        mass += weight * particle_mass[k];
      }
      const double by_pressure = double(open.axis[axis][f]) * (unknown(below) - unknown(f));
      const double difference =
          mass * by + others.by_face(axis, f) * particle_mass[0] - cell_mass * by_pressure;
      load += load_of_face(measured, wall, axis,
                           across < along_axis ? difference * double(across / along_axis) : difference, face);
    }
    return load;
  }

 private:
  MERGANSER_METHOD double unknown(int c) const { return kind[c] == fluid ? pressure[grid.box.slot(c)] : 0; }
};

MERGANSER_END
