#pragma once
/// Cells that are fluid, and how full they are.
#include "solvers/methods/flip/wall_faces.h"

MERGANSER_BEGIN

enum CellKind : signed char { air = 0, fluid = 1, solid = 2 };

/// Fill fraction of a box of one cell: the volume of particles in it, each a cube of one spacing along the
/// axes, over the box's volume in front of walls. A lattice fills a box exactly, wherever it lies.
///
/// Walls cut cells; slivers that no particle happens to reach must not become air beside full cells. So the
/// box is moved along normals of walls until at most a quarter of it lies behind each of them.
template <class Shapes>
struct FillFraction {
  FlipGrid grid;
  UniformGridView own, foreign;  ///< foreign: without buckets where there are none
  Shapes walls;
  float spacing;  ///< [m] particles of others count with the same

  /// Of the cell with this centre.
  MERGANSER_METHOD float of_cell(const Vec3& centre) const {
    Vec3 box = centre;
    for (int k = 0; k < walls.count; ++k) box += walls.data[k].at(box).normal * move_from(k, box);
    float before = 1;
    for (int k = 0; k < walls.count; ++k) before *= 1 - behind(walls.data[k].at(box));
    return before > 0 ? volume_in(box) / before : 0.0f;
  }
  /// The same for the height of the surface along an axis towards `side`, +-1: the box moves across the axis
  /// only, and what lies behind a wall that faces the side counts as full.
  MERGANSER_METHOD float along(const Vec3& centre, int axis, int side) const {
    Vec3 box = centre;
    for (int k = 0; k < walls.count; ++k) {
      Vec3 move = walls.data[k].at(box).normal * move_from(k, box);
      (axis == 0 ? move.x : axis == 1 ? move.y : move.z) = 0;
      box += move;
    }
    float before = 1, floor = 0;
    for (int k = 0; k < walls.count; ++k) {
      const WallDistance at = walls.data[k].at(box);
      const float share = behind(at), n = component(at.normal, axis);
      before *= 1 - share * (1 - n * n);
      if (n * static_cast<float>(side) > 0) floor += share * n * n;
    }
    return before > 0 ? volume_in(box) / before + floor : 1.0f;
  }
  MERGANSER_METHOD bool is_near_wall(const Vec3& centre) const {
    for (int k = 0; k < walls.count; ++k)
      if (walls.data[k].at(centre).distance < grid.dx) return true;
    return false;
  }
  /// True where a particle is in one of the 27 cells around.
  MERGANSER_METHOD static bool any_around(const UniformGridView& particles, const Int3& c, int reach) {
    bool any = false;
    for_each_particle_in(particles, {c.x - reach, c.y - reach, c.z - reach},
                         {c.x + reach, c.y + reach, c.z + reach}, [&](int j) {
                           const Int3 at = particles.shape.cell(particles.position.data[j]);
                           any = any ||
                                 (in(at.x - c.x, reach) && in(at.y - c.y, reach) && in(at.z - c.z, reach));
                         });
    return any;
  }

 private:
  MERGANSER_METHOD static bool in(int d, int reach) { return d <= reach && d >= -reach; }
  MERGANSER_METHOD float move_from(int k, const Vec3& box) const {
    const float distance = walls.data[k].at(box).distance, least = 0.25f * grid.dx;
    return distance < least && distance > -grid.dx ? least - distance : 0.0f;
  }
  /// Share of the box behind a wall, exact for walls along the axes.
  MERGANSER_METHOD float behind(const WallDistance& at) const {
    const float share = 0.5f - at.distance * grid.inverse_dx;
    return share > 0 ? share < 1 ? share : 1.0f : 0.0f;
  }
  /// Volume of particles in a box / that of a cell.
  MERGANSER_METHOD float volume_in(const Vec3& box) const {
    float sum = volume_of(own, box);
    if (!foreign.bucket_start.empty()) sum += volume_of(foreign, box);
    return sum;
  }
  MERGANSER_METHOD float volume_of(const UniformGridView& particles, const Vec3& box) const {
    const Int3 c = particles.shape.cell(box);
    float sum = 0;
    for_each_particle_in(particles, {c.x - 1, c.y - 1, c.z - 1}, {c.x + 1, c.y + 1, c.z + 1}, [&](int j) {
      const Vec3 d = particles.position.data[j] - box;
      sum += overlap(d.x) * overlap(d.y) * overlap(d.z);
    });
    return sum;
  }
  /// Length along an axis that a cube off by d has in the box / the cell's.
  MERGANSER_METHOD float overlap(float d) const {
    const float within = 0.5f * (grid.dx + spacing) - fabsf(d);
    return (within > 0 ? within < spacing ? within : spacing : 0.0f) * grid.inverse_dx;
  }
};

/// A cell is occupied where it is at least two fifths full or holds a particle of another system ([MS]
/// sec. 6.2). Occupied cells are fluid where an own particle is in one of the 27 cells around, else solid:
/// particles of others fill them, and the projection leaves their faces as they are.
template <class Shapes>
struct MarkCells {
  static constexpr const char* name = "flip cell kinds";
  static constexpr float least = 0.4f;
  FillFraction<Shapes> filled;
  FaceViews<const float> open;
  View<float> fill;  ///< -1 of closed cells
  View<signed char> kind;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const FlipGrid& grid = filled.grid;
    const int c = grid.flat(x, y, z);
    fill[c] = -1;
    kind[c] = air;
    if (closed(c)) return;
    fill[c] = filled.of_cell(grid.centre(x, y, z));
    const Int3 cell = grid.lattice(x, y, z);
    const bool others = !filled.foreign.bucket_start.empty();
    if (!(fill[c] >= least) && !(others && filled.any_around(filled.foreign, cell, 0))) return;
    kind[c] = !others || filled.any_around(filled.own, cell, 1) ? fluid : solid;
  }

 private:
  MERGANSER_METHOD bool closed(int c) const {
    const FlipGrid& grid = filled.grid;
    for (int axis = 0; axis < 3; ++axis)
      if (open.axis[axis][c] > 0 || open.axis[axis][c + grid.stride(axis)] > 0) return false;
    return true;
  }
};

MERGANSER_END
