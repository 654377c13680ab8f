#pragma once
/// Fluid in cells, and its effect on the inertia of their faces.
#include "device/reduce.h"
#include "solvers/methods/flip/cell_kind.h"

MERGANSER_BEGIN

/// rho/rho0 - 1 at the centres of fluid cells, rho = sum_p m w(x_c - x_p)/dx^3 plus rho0 times the share of
/// the kernel that others fill and that lies behind walls (2/3 and 1/6 of it along an axis are in the cell
/// and in each neighbor). Cells too thin count only away from the surface and from other systems' particles.
struct DensityError {
  static constexpr const char* name = "flip density error";
  FlipGrid grid;
  FlipFluids own;
  UniformGridView foreign, bodies;
  View<const signed char> kind;
  View<const float> behind_walls;  ///< share of cells, see SharesBehindWalls
  float volume;                    ///< of a particle / dx^3
  View<float> error;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z);
    if (kind[c] != fluid) {
      error[c] = 0;
      return;
    }
    const Vec3 centre = grid.centre(x, y, z);
    const Int3 cell = grid.lattice(x, y, z), first{cell.x - 1, cell.y - 1, cell.z - 1},
               last{cell.x + 1, cell.y + 1, cell.z + 1};
    float density = 0;
    for_each_position_in(own, first, last,
                         [&](const Vec3& at) { density += volume * weight_at(at, centre); });
    for (const UniformGridView& others : {foreign, bodies})
      if (!others.bucket_start.empty())
        for_each_particle_in(others, first, last,
                             [&](int j) { density += volume * weight_at(others.position.data[j], centre); });
    bool inside = true;
    for (int k = 0; k < 27; ++k) {
      const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
      const int other = c + dx + dy * grid.stride(1) + dz * grid.stride(2);
      const float behind = behind_walls[other];
      const int outer = (dx != 0) + (dy != 0) + (dz != 0);
      const float weight = outer == 0   ? 27.0f / 64
                           : outer == 1 ? 9.0f / 128
                           : outer == 2 ? 3.0f / 256
                                        : 1.0f / 512;
      density += weight * behind;
      inside = inside &&
               (kind[other] == fluid || kind[other] == solid || kind[other] == others || behind > 0.999f);
    }
    float e = density - 1;
    if (e < 0) {
      if (!foreign.bucket_start.empty())
        for_each_particle_in(foreign, first, last, [&](int j) {
          inside = inside && !(weight_at(foreign.position.data[j], centre) > 0);
        });
      if (!inside) e = 0;
    }
    error[c] = e;
  }

 private:
  MERGANSER_METHOD static float hat(float t) { return fabsf(t) < 1 ? 1 - fabsf(t) : 0.0f; }
  MERGANSER_METHOD float weight_at(const Vec3& x, const Vec3& centre) const {
    const Vec3 d = (x - centre) * grid.inverse_dx;
    return hat(d.x) * hat(d.y) * hat(d.z);
  }
};

/// Largest rho/rho0 - 1.
struct LargestDensityError {
  static constexpr const char* name = "flip largest density error";
  View<const float> error;
  MERGANSER_METHOD float operator()(int i) const { return error[i]; }
};

/// Inertia of a face between fluid cells l and r over that at rest density: 1 where the density is usual,
/// else the mean of its fluid cells. With it the pressure's impulses on both sides of a face are nearly what
/// the particles there get, also where they crowd, and the projection gains far less energy there. (Counting
/// the usual scatter as well, water that sloshed for 10 s spread worse: 2 % of its volume lost instead of 1
/// %.)
MERGANSER_FN float face_inertia(signed char kind_l, signed char kind_r, float error_l, float error_r) {
  constexpr float usual = 0.25f;  // scatter of the density in a well-mixed fluid
  const float l = kind_l == fluid && error_l > usual ? error_l - usual : 0.0f;
  const float r = kind_r == fluid && error_r > usual ? error_r - usual : 0.0f;
  return 1 + (kind_l == fluid && kind_r == fluid ? 0.5f * (l + r) : l + r);
}

MERGANSER_END
