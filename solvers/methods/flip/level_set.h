#pragma once
/// Cells that are fluid, and distances to the free surface.
#include "solvers/methods/flip/wall_faces.h"

MERGANSER_BEGIN

enum CellKind : signed char { air = 0, fluid = 1, solid = 2 };

/// Level set phi = distance to the nearest particle - radius (Zhu & Bridson 2005, without the smoothing), at
/// cell centres. A cell is occupied where phi < 0 or where it holds a particle of any system ([MS] sec. 6.2).
/// Occupied cells are fluid where an own particle is in one of the 27 cells around, else solid: particles of
/// others fill them, and the projection leaves their faces as they are. Near a wall phi is taken half a cell
/// in front of it, so that cells whose centre lies behind a wall continue the surface beside them. Particles
/// of others count with the same radius.
template <class Shapes>
struct LevelSet {
  static constexpr const char* name = "flip level set";
  FlipGrid grid;
  UniformGridView own, foreign;  ///< foreign: without buckets where there are none
  Shapes walls;
  FaceViews<const float> open;
  float radius;  ///< [m]
  View<float> phi;
  View<signed char> kind;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const Vec3 centre = grid.centre(x, y, z);
    Vec3 sample = centre;
    for (int k = 0; k < walls.count; ++k) {
      const WallDistance at = walls.data[k].at(sample);
      if (at.distance < 0.5f * grid.dx && at.distance > -grid.dx)
        sample += at.normal * (0.5f * grid.dx - at.distance);
    }
    const int c = grid.flat(x, y, z);
    if (closed(c)) {
      phi[c] = grid.dx;
      kind[c] = air;
      return;
    }
    if (sample == centre && surrounded(x, y, z)) {
      phi[c] = -grid.dx;
      kind[c] = fluid;
      return;
    }
    const float far = 16 * grid.dx * grid.dx;  // beyond all that is looked at
    float nearest = far;
    bool occupied = false;
    visit(own, sample, centre, nearest, occupied);
    const bool own_near = nearest < far;
    if (!foreign.bucket_start.empty()) visit(foreign, sample, centre, nearest, occupied);
    const float distance = sqrtf(nearest) - radius, deepest = -0.05f * grid.dx;
    phi[c] = occupied && distance > deepest ? deepest : distance;
    kind[c] = !occupied && distance >= 0 ? air : own_near ? fluid : solid;
  }

 private:
  MERGANSER_METHOD bool closed(int c) const {
    for (int axis = 0; axis < 3; ++axis)
      if (open.axis[axis][c] > 0 || open.axis[axis][c + grid.stride(axis)] > 0) return false;
    return true;
  }
  /// True where the cell and its six neighbors hold own particles: how deep it lies does not matter.
  MERGANSER_METHOD bool surrounded(int x, int y, int z) const {
    bool all = holds_own(grid.lattice(x, y, z));
    for (int axis = 0; axis < 3; ++axis)
      for (int side = -1; side <= 1; side += 2)
        all = all &&
              holds_own(grid.lattice(x + (axis == 0) * side, y + (axis == 1) * side, z + (axis == 2) * side));
    return all;
  }
  MERGANSER_METHOD bool holds_own(const Int3& c) const {
    const int bucket = own.shape.bucket(c);
    for (int j = own.bucket_start[bucket]; j < own.bucket_start[bucket + 1]; ++j)
      if (own.shape.cell(own.position[j]) == c) return true;
    return false;
  }
  MERGANSER_METHOD void visit(const UniformGridView& particles, const Vec3& sample, const Vec3& centre,
                              float& nearest, bool& occupied) const {
    const Int3 c = particles.shape.cell(sample);
    const float half = 0.5f * grid.dx, reach = 2 * grid.dx;
    for_each_particle_in(particles, {c.x - 1, c.y - 1, c.z - 1}, {c.x + 1, c.y + 1, c.z + 1}, [&](int j) {
      const Vec3 x = particles.position.data[j], d = x - sample, e = x - centre;
      if (fabsf(d.x) > reach || fabsf(d.y) > reach || fabsf(d.z) > reach) return;  // shares a bucket only
      const float r2 = norm_squared(d);
      nearest = r2 < nearest ? r2 : nearest;
      occupied = occupied || (fabsf(e.x) <= half && fabsf(e.y) <= half && fabsf(e.z) <= half);
    });
  }
};

/// theta: share of the way from a fluid cell's centre to its neighbor's in air at which phi vanishes (ghost
/// fluid method, Gibou, Fedkiw, Cheng, Kang 2002).
MERGANSER_FN float surface_fraction(float phi_fluid, float phi_air) {
  constexpr float least = 0.01f;
  const float theta = phi_fluid / (phi_fluid - phi_air);
  return theta > least ? theta < 1 ? theta : 1.0f : least;
}

MERGANSER_END
