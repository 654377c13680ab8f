#pragma once
/// Distance to the free surface, and what a face gains by a difference of pressure.
#include "solvers/methods/flip/density.h"
#include "solvers/methods/flip/particle_to_grid.h"

MERGANSER_BEGIN

/// Signed distance phi of cell centres to the free surface in cells, positive in fluid, along the axis that
/// is nearest to its normal: a height function (Hirt & Nichols 1981) of the fill fractions F of the cell, of
/// the one towards the air and of the one behind, phi = F + F_out - 1/2 where the cell is at least half full,
/// else F_in + F + F_out - 3/2. Exact for level surfaces. Cells behind walls count as full or empty as
/// FillFraction::along says. Written where fluid meets air.
template <class Shapes>
struct SurfaceDistance {
  static constexpr const char* name = "flip surface distance";
  static constexpr float least = 0.01f;
  FillFraction<Shapes> filled;
  View<const signed char> kind;
  View<const float> fill;
  View<float> phi;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = filled.grid.flat(x, y, z);
    const signed char across = kind[c] == fluid ? air : fluid;
    bool meets = false;
    int axis = 2;
    float steepest = 0;
    for (int a = 0; a < 3; ++a) {
      const int step = filled.grid.stride(a);
      meets = meets || kind[c - step] == across || kind[c + step] == across;
      const float slope = fill_at(c + step, c) - fill_at(c - step, c);
      if (fabsf(slope) < fabsf(steepest) + 1e-3f) continue;
      steepest = slope;
      axis = a;
    }
    if (!meets || kind[c] == solid) return;
    const int side = steepest > 0 ? -1 : 1;
    const float here = height(axis, side, x, y, z, 0);
    float distance = here + height(axis, side, x, y, z, side) - 0.5f;
    if (here < 0.5f) distance += height(axis, side, x, y, z, -side) - 1;
    phi[c] = kind[c] == fluid ? most_of(distance, least) : least_of(distance, -least);
  }

 private:
  /// Of a neighbor, that of the cell itself where it is closed.
  MERGANSER_METHOD float fill_at(int other, int c) const { return fill[other] < 0 ? fill[c] : fill[other]; }
  MERGANSER_METHOD float height(int axis, int side, int x, int y, int z, int step) const {
    const FlipGrid& grid = filled.grid;
    const int by[3] = {axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0};
    const Vec3 centre = grid.centre(x + by[0], y + by[1], z + by[2]);
    const float share = filled.is_near_wall(centre) ? filled.along(centre, axis, side)
                                                    : fill[grid.flat(x, y, z) + step * grid.stride(axis)];
    return most_of(least_of(share, 1.0f), 0.0f);
  }
};

/// theta: share of the way from a fluid cell's centre to its neighbor's in air at which phi vanishes (ghost
/// fluid method, Gibou, Fedkiw, Cheng, Kang 2002).
MERGANSER_FN float surface_fraction(float phi_fluid, float phi_air) {
  return most_of(phi_fluid / (phi_fluid - phi_air), 0.01f);
}

/// Density of the fluids at faces over that of the first one, rho_f = sum_p rho_p w_fp / sum_p w_fp; 1 where
/// no particle reaches.
struct FaceDensity {
  static constexpr const char* name = "flip face density";
  FlipGrid grid;
  FlipFluids own;
  float density[FlipFluids::most];  ///< of the fluids over that of the first one
  FaceViews<float> to;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 face = grid.face_centre(axis, x, y, z);
      float mass = 0, volume = 0;
      for (int k = 0; k < own.count; ++k)
        for_each_particle_near_face(own.of[k], axis, grid.lattice(x, y, z), [&](int j) {
          const float w = kernel_weight(own.of[k].position.data[j], face, grid.inverse_dx);
          mass += density[k] * w;
          volume += w;
        });
      to.axis[axis][grid.flat(x, y, z)] = volume > 0 ? mass / volume : 1.0f;
    }
  }
};

/// Particles j of other systems at faces, beside the fluids' p; 0 where none reaches.
template <class T>
struct OtherFaces {
  FaceViews<T> weight, mass;  ///< sum_j w_fj, sum_j w_fj/e_j
  FaceViews<T> ease;          ///< e_f, see FaceMobility
  FaceViews<T> volume;        ///< V, of all particles there over dx^3
  FaceViews<T> lean;          ///< [cells] along the axis, from the middle of the fluids to that of others
  MERGANSER_METHOD bool empty() const { return ease.axis[0].empty(); }
};

/// Share of the kernel around a face that lies in front of walls, at least a quarter. behind: share of cells
/// that lies behind them.
MERGANSER_FN float share_before_walls(const FlipGrid& grid, const View<const float>& behind, int axis,
                                      int f) {
  const int along = grid.stride(axis), a = grid.stride((axis + 1) % 3), b = grid.stride((axis + 2) % 3);
  float sum = 0;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) {
      const float weight = (i == 0 ? 0.75f : 0.125f) * (j == 0 ? 0.75f : 0.125f);
      const int c = f + i * a + j * b;
      sum += 0.5f * weight * (behind[c] + behind[c - along]);
    }
  return most_of(1 - sum, 0.25f);
}

/// At faces of cells that others fill alone the fluids do not count: p = 0 there, which would draw them in.
/// What lies behind walls counts for V as if it were full.
struct WeighOthers {
  static constexpr const char* name = "flip weigh others";
  FlipGrid grid;
  View<const signed char> kind;
  View<const float> behind_walls;  ///< share of cells
  FlipFluids own;
  FaceViews<const float> density;  ///< see FaceDensity; empty: 1
  UniformGridView others;
  View<const float> ease;  ///< e_j, by sorted index
  float volume;            ///< of a particle / dx^3
  OtherFaces<float> to;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    for (int axis = 0; axis < 3; ++axis) of_face(axis, x, y, z);
  }

 private:
  MERGANSER_METHOD void of_face(int axis, int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    const Vec3 face = grid.face_centre(axis, x, y, z);
    float weight = 0, mass = 0, eased = 0, middle = 0;
    for_each_particle_near_face(others, axis, grid.lattice(x, y, z), [&](int j) {
      const Vec3 at = others.position.data[j];
      const float w = kernel_weight(at, face, grid.inverse_dx);
      weight += w;
      mass += w / ease[j];
      eased += w * ease[j];
      middle += w * component(at - face, axis);
    });
    to.weight.axis[axis][f] = weight;
    to.mass.axis[axis][f] = mass;
    to.ease.axis[axis][f] = to.volume.axis[axis][f] = to.lean.axis[axis][f] = 0;
    if (!(weight > 0)) return;
    float fluid = 0, own_middle = 0;
    const bool alone = at_others(kind, f, grid.stride(axis));
    for (int k = 0; k < own.count && !alone; ++k)
      for_each_particle_near_face(own.of[k], axis, grid.lattice(x, y, z), [&](int p) {
        const Vec3 at = own.of[k].position.data[p];
        const float w = kernel_weight(at, face, grid.inverse_dx);
        fluid += w;
        own_middle += w * component(at - face, axis);
      });
    const float of_fluid = density.axis[axis].empty() ? fluid : fluid / density.axis[axis][f];
    to.ease.axis[axis][f] = (eased + of_fluid) / (weight + fluid);
    to.volume.axis[axis][f] = volume * (weight + fluid) / share_before_walls(grid, behind_walls, axis, f);
    if (fluid > 0) to.lean.axis[axis][f] = (middle / weight - own_middle / fluid) * grid.inverse_dx;
  }
};

/// How lively the water in a cell is: min(1, 4 v^2/(g dx)), v^2 the mean over its particles.
struct CellMotion {
  static constexpr const char* name = "flip cell motion";
  FlipGrid grid;
  GatheredFluids fluids;
  float slow;  ///< [m^2/s^2] g dx/4
  View<float> motion;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const Int3 cell = grid.lattice(x, y, z);
    float sum = 0, count = 0;
    for (int k = 0; k < fluids.count; ++k) {
      const UniformGridView& particles = fluids.of[k].particles;
      for_each_particle_in(particles, cell, cell, [&](int j) {
        sum += norm_squared(fluids.of[k].velocity.data[particles.order.data[j]]);
        count += 1;
      });
    }
    motion[grid.flat(x, y, z)] = sum < slow * count ? sum / (slow * count) : sum > 0 ? 1.0f : 0.0f;
  }
};

/// Mobility of every cell's lower faces, change = mobility (p_l - p_r), where p = 0 in air; 0 elsewhere, and
/// of faces that a sheet closes. mobility = 1/(m rho_f/rho), m the volume that the change moves, over dx^3.
///
/// Particles take the change with all of their mass. So energy and momentum agree with the solve where m is
/// their volume there over the share that is open,
///   m = V/open,   V = volume/dx^3 sum_p w_fp.
/// (With another m a block of water that fell into a tank beside the grid's planes gained 0.8 of its energy.)
/// But at rest the scatter of V stirs the water. There m follows the free surface,
///   m_still = I between fluid cells,   I theta towards air,   |theta - V/open| <= 1/6,
/// I the inertia of crowded cells (face_inertia); a level surface keeps that bound. Between both
///   m = (1 - s) m_still + s V/open,   s the motion of the cells (CellMotion).
/// Inside of the fluid, in faces that no wall cuts, V counts as 1 within the usual scatter: with all of it
/// water that sloshed spread worse. There what walls hide of the kernel counts as full (share_before_walls).
///
/// Others j at a face have velocities of their own, and the same pressure: a particle takes (p_l - p_r)/m
/// times its ease volume/mass. The mobility of the mean by volume is ease_f/m,
///   ease_f = (sum_p w_fp/rho_f + sum_j ease_j w_fj) / W,   W = sum_p w_fp + sum_j w_fj.
/// In the share of V that others have, m is the volume V of all that is there: so pressure gives to both
/// sides of a cell what it takes from the other, of debris as well. Elsewhere the scatter of V does not
/// count, which would stir water at rest; theta is within 1/6 of V, as a level surface has it.
struct FaceMobility {
  static constexpr const char* name = "flip face mobility";
  FlipGrid grid;
  View<const signed char> kind;
  View<const float> phi, density_error;
  View<const float> motion;        ///< of cells, see CellMotion
  View<const float> behind_walls;  ///< share of cells
  FaceViews<const float> density;  ///< see FaceDensity; empty: 1
  FlipFluids own;
  OtherFaces<const float> others;        ///< empty: there are none
  float volume;                          ///< of a particle / dx^3
  FaceViews<const float> open, passage;  ///< in front of walls; and of bodies and sheets
  FaceViews<float> mobility;
  static constexpr float least = 0.02f;  ///< m

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int r = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const int l = r - grid.stride(axis);
      float value = 0;
      if ((kind[l] == fluid || kind[r] == fluid) && kind[l] != solid && kind[r] != solid &&
          passage.axis[axis][r] > 0) {
        const bool at_air = kind[r] == air || kind[l] == air;
        const int inside = kind[r] == air ? l : r;
        const float theta = at_air ? surface_fraction(phi[inside], phi[l + r - inside]) : 1.0f;
        if (!others.empty() && others.ease.axis[axis][r] > 0) {
          value = others.ease.axis[axis][r] / inertia_beside_others(axis, r, at_air, theta);
        } else {
          const float rho = density.axis[axis].empty() ? 1.0f : density.axis[axis][r];
          const float crowded = face_inertia(kind[l], kind[r], density_error[l], density_error[r]);
          const float moves = most_of(motion[l], motion[r]);
          float m = at_air ? 0.0f : crowded;
          if (at_air || moves > 0) {
            const float v = volume_at(axis, x, y, z);
            if (at_air) m = crowded * least_of(within(theta, v), 1.0f);
            const bool cut = at_air || open.axis[axis][r] < 1;
            m += moves * ((cut ? v : beyond_scatter(v)) - m);
          }
          value = 1 / (rho * most_of(m, least));
        }
      }
      mobility.axis[axis][r] = value;
    }
  }

 private:
  MERGANSER_METHOD float inertia_beside_others(int axis, int f, bool at_air, float theta) const {
    const float v = others.volume.axis[axis][f], share = volume * others.weight.axis[axis][f] / v;
    // Scatter counts as 1, and more of it in the share of the fluid.
    const float of_others = v < 0.8f   ? v
                            : v < 0.9f ? 2 * v - 0.8f
                            : v < 1.1f ? 1
                            : v < 1.2f ? 2 * v - 1.2f
                                       : v;
    float m = v < 0.5f ? v : v < 0.75f ? 2 * v - 0.5f : v < 1.25f ? 1.0f : v - 0.25f;
    if (at_air) m = within(theta, v);
    return most_of(share * of_others + (1 - share) * m, least);
  }
  /// theta, no farther from V than at a level surface.
  MERGANSER_METHOD static float within(float theta, float v) {
    return least_of(most_of(theta, v - 1.0f / 6), v + 1.0f / 6);
  }
  /// 1, no farther from V than the usual scatter inside of the fluid.
  MERGANSER_METHOD static float beyond_scatter(float v) {
    return least_of(most_of(1.0f, v - 0.25f), v + 0.25f);
  }
  /// V over what is open of a cut face, else over the kernel's share in front of walls.
  MERGANSER_METHOD float volume_at(int axis, int x, int y, int z) const {
    const Vec3 face = grid.face_centre(axis, x, y, z);
    float weight = 0;
    for (int k = 0; k < own.count; ++k)
      for_each_particle_near_face(own.of[k], axis, grid.lattice(x, y, z), [&](int j) {
        weight += kernel_weight(own.of[k].position.data[j], face, grid.inverse_dx);
      });
    const int f = grid.flat(x, y, z);
    const float share = open.axis[axis][f];
    return volume * weight / (share < 1 ? share : share_before_walls(grid, behind_walls, axis, f));
  }
};

MERGANSER_END
