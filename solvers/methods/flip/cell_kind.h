#pragma once
/// Cells that are fluid, and how full they are.
#include "solvers/methods/flip/wall_faces.h"

MERGANSER_BEGIN

/// solid: of bodies in the solve. Two kinds have the pressure of air, at their centres: parted, of fluid that
/// leaves a wall (PartsFromWall), and others, full of other systems' particles alone.
enum CellKind : signed char { air = 0, fluid = 1, solid = 2, parted = 3, others = 4 };
/// Where p = 0.
MERGANSER_FN bool is_free(signed char kind) { return kind == air || kind == parted || kind == others; }
/// True at a face, of cells f and f - step, where others fill one of them alone.
MERGANSER_FN bool at_others(const View<const signed char>& kind, int f, int step) {
  return kind[f] == others || kind[f - step] == others;
}

/// Faces of which bodies cover more than this go with them.
inline constexpr float nearly_all_covered = 0.9f;

/// A particle is a cube of one spacing along the axes; of(d) is the share that it takes of a cell's box whose
/// middle is d away, w_fj where the box is around the middle of face f.
struct CubeOverlap {
  FlipGrid grid;
  float spacing;  ///< [m]
  MERGANSER_METHOD float along(float d) const {
    const float within = 0.5f * (grid.dx + spacing) - fabsf(d);
    return (within > 0 ? within < spacing ? within : spacing : 0.0f) * grid.inverse_dx;
  }
  MERGANSER_METHOD float of(const Vec3& d) const { return along(d.x) * along(d.y) * along(d.z); }
  /// visit(j, w_fj) for sorted particles that reach a cell's lower face.
  template <class Visit>
  MERGANSER_METHOD void for_each_particle(const UniformGridView& particles, int axis, int x, int y, int z,
                                          const Visit& visit) const {
    const Vec3 face = grid.face_centre(axis, x, y, z);
    const Int3 c = grid.lattice(x, y, z);
    for_each_particle_in(particles, {c.x - 1, c.y - 1, c.z - 1}, {c.x + 1, c.y + 1, c.z + 1}, [&](int j) {
      const float w = of(particles.position.data[j] - face);
      if (w > 0) visit(j, w);
    });
  }
  /// visit(f, w_fj) for the faces along an axis that a particle of the box reaches.
  template <class Visit>
  MERGANSER_METHOD void for_each_face(const Vec3& position, const Int3& c, int axis,
                                      const Visit& visit) const {
    const int x0 = c.x - grid.low.x + 1, y0 = c.y - grid.low.y + 1, z0 = c.z - grid.low.z + 1;
    for (int z = z0 - 1; z <= z0 + 1; ++z)
      for (int y = y0 - 1; y <= y0 + 1; ++y)
        for (int x = x0 - 1; x <= x0 + 1; ++x)
          if (const float w = of(position - grid.face_centre(axis, x, y, z)); w > 0)
            visit(grid.flat(x, y, z), w);
  }
};

/// Fill fraction of a box of one cell: the volume of particles in it (CubeOverlap), over the box's volume in
/// front of walls. A lattice fills a box exactly, wherever it lies.
///
/// Walls cut cells; slivers that no particle happens to reach must not become air beside full cells. So the
/// box is moved along normals of walls until at most a quarter of it lies behind each of them, and likewise
/// out of bodies that take part in the solve.
template <class Shapes>
struct FillFraction {
  FlipGrid grid;
  FlipFluids own;
  UniformGridView foreign;  ///< without buckets where there are none
  UniformGridView bodies;   ///< in the solve; without buckets where there are none
  Shapes walls;
  float spacing;  ///< [m] particles of others count with the same

  /// Of the cell with this centre.
  MERGANSER_METHOD float of_cell(const Vec3& centre) const {
    Vec3 box = centre;
    for (int k = 0; k < walls.count; ++k) box += walls.data[k].at(box).normal * move_from(k, box);
    const Body body = body_at(box);
    box += body.normal * body.move;
    float before = 1 - (body.share > 0 ? volume_of(bodies, box) : 0.0f);
    for (int k = 0; k < walls.count; ++k) before *= 1 - behind(walls.data[k].at(box));
    return before > 0.1f ? volume_in(box) / before : 0.0f;
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
    if (Body body = body_at(box); body.share > 0) {
      const float n = component(body.normal, axis);
      (axis == 0 ? body.normal.x : axis == 1 ? body.normal.y : body.normal.z) = 0;
      box += body.normal * body.move;
      const float share = volume_of(bodies, box);
      before *= 1 - share * (1 - n * n);
      if (n * static_cast<float>(side) > 0) floor += share * n * n;
    }
    for (int k = 0; k < walls.count; ++k) {
      const WallDistance at = walls.data[k].at(box);
      const float share = behind(at), n = component(at.normal, axis);
      before *= 1 - share * (1 - n * n);
      if (n * static_cast<float>(side) > 0) floor += share * n * n;
    }
    return before > 0.1f ? volume_in(box) / before + floor : floor;
  }
  /// Share of a cell in bodies.
  MERGANSER_METHOD float in_bodies(const Vec3& centre) const { return volume_of(bodies, centre); }
  /// True where of_cell() does not hold along all axes.
  MERGANSER_METHOD bool is_near_wall(const Vec3& centre) const {
    if (in_bodies(centre) > 0) return true;
    for (int k = 0; k < walls.count; ++k)
      if (walls.data[k].at(centre).distance < grid.dx) return true;
    return false;
  }
  /// True where a particle of the fluids is in one of the 27 cells around.
  MERGANSER_METHOD bool own_around(const Int3& c) const {
    bool any = false;
    for (int k = 0; k < own.count && !any; ++k) any = any_around(own.of[k], c, 1);
    return any;
  }
  /// True where one of another system is in the cell.
  MERGANSER_METHOD bool foreign_in(const Int3& c) const {
    return !foreign.bucket_start.empty() && any_around(foreign, c, 0);
  }

 private:
  struct Body {
    float share, move;  ///< of the box that it fills; [m] out of it
    Vec3 normal;        ///< from its particles around to the box
  };
  MERGANSER_METHOD Body body_at(const Vec3& box) const {
    Body body{in_bodies(box), 0, {0, 0, 0}};
    if (!(body.share > 0)) return body;
    const Int3 c = bodies.shape.cell(box);
    const float reach = 1.5f * grid.dx;
    for_each_particle_in(bodies, {c.x - 2, c.y - 2, c.z - 2}, {c.x + 2, c.y + 2, c.z + 2}, [&](int j) {
      const Vec3 d = box - bodies.position.data[j];
      if (norm_squared(d) < reach * reach) body.normal += d;
    });
    body.normal = normalized_or_zero(body.normal);
    body.move = body.share > 0.25f ? (body.share - 0.25f) * grid.dx : 0.0f;
    return body;
  }
  MERGANSER_METHOD static bool in(int d, int reach) { return d <= reach && d >= -reach; }
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
    float sum = 0;
    for (int k = 0; k < own.count; ++k) sum += volume_of(own.of[k], box);
    return sum + volume_of(foreign, box);
  }
  MERGANSER_METHOD float volume_of(const UniformGridView& particles, const Vec3& box) const {
    if (particles.bucket_start.empty()) return 0;
    const Int3 c = particles.shape.cell(box);
    float sum = 0;
    for_each_particle_in(particles, {c.x - 1, c.y - 1, c.z - 1}, {c.x + 1, c.y + 1, c.z + 1}, [&](int j) {
      sum += CubeOverlap{grid, spacing}.of(particles.position.data[j] - box);
    });
    return sum;
  }
};

/// A cell is occupied where it is at least two fifths full or holds a particle of another system ([MS]
/// sec. 6.2). Occupied cells are fluid where an own particle is in one of the 27 cells around, else full of
/// others.
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
    if (!(fill[c] >= least) && !filled.foreign_in(cell)) {
      if (filled.in_bodies(grid.centre(x, y, z)) > 0.5f) kind[c] = solid;
      return;
    }
    kind[c] = filled.foreign.bucket_start.empty() || filled.own_around(cell) ? fluid : others;
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
