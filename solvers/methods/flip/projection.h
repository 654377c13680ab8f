#pragma once
/// The pressure projection on the staggered grid, in the unknown p dt/(rho dx) [m/s]; the pressure changes
/// faces by their mobility times its difference, see FaceMobility.
#include "solvers/linear/multigrid/multigrid.h"
#include "solvers/methods/flip/face_mobility.h"
#include "solvers/methods/flip/particle_to_grid.h"

MERGANSER_BEGIN

/// Coefficients of sum_f open_f (outward change)_f for every fluid cell; zero for others. open: without what
/// bodies cover.
struct PressureCoefficients {
  static constexpr const char* name = "flip pressure matrix";
  FlipGrid grid;
  View<const signed char> kind;
  FaceViews<const float> open, mobility;
  GridCoefficients to;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z), slot = grid.box.slot(c);
    float known = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int step = grid.stride(axis);
      const bool both = kind[c] == fluid && kind[c - step] == fluid;
      to.face[axis][slot] = both ? open.axis[axis][c] * mobility.axis[axis][c] : 0.0f;
      if (kind[c] != fluid) continue;
      if (is_free(kind[c - step])) known += open.axis[axis][c] * mobility.axis[axis][c];
      if (is_free(kind[c + step])) known += open.axis[axis][c + step] * mobility.axis[axis][c + step];
    }
    to.dirichlet[slot] = known;
  }
};

/// -sum_f (passage u.n + open carried.n + flux behind walls) over a fluid cell's faces: the right side of the
/// projection. In faces that walls cut u is that at the centroid of what is open, with the gradient
/// sum_p w_fp c_p / sum_p w_fp: a rigid rotation then has no divergence in front of a round wall.
template <class Shapes>
struct Convergence {
  static constexpr const char* name = "flip divergence";
  FlipGrid grid;
  Shapes walls;
  View<const signed char> kind;
  GatheredFluids fluids;
  FaceViews<const float> open, passage, u;
  FaceViews<const FaceOffset> offset;
  FaceViews<const float> carried;  ///< by bodies, see CarriedThrough; empty: there are none
  View<float> right_side;          ///< by slot

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z);
    double sum = 0;
    if (kind[c] == fluid)
      for (int axis = 0; axis < 3; ++axis) {
        sum += flux(axis, x, y, z);
        sum -= flux(axis, x + (axis == 0), y + (axis == 1), z + (axis == 2));
      }
    right_side[grid.box.slot(c)] = static_cast<float>(sum);
  }

 private:
  MERGANSER_METHOD double flux(int axis, int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    const float share = open.axis[axis][f];
    double velocity = double(u.axis[axis][f]);
    if (share > 0 && share < 1)
      velocity += double(beyond_middle(axis, x, y, z, offset.axis[axis][f].along(axis)));
    double through = double(passage.axis[axis][f]) * velocity;
    if (!carried.axis[axis].empty()) through += double(share) * double(carried.axis[axis][f]);
    if (share < 1)
      through += double(ClosedFlux<Shapes>{grid, walls}.through(axis, x, y, z, share, offset.axis[axis][f]));
    return through;
  }
  /// What u is more than in the face's middle, so many cells away from it.
  MERGANSER_METHOD float beyond_middle(int axis, int x, int y, int z, const Vec3& cells) const {
    const Vec3 face = grid.face_centre(axis, x, y, z), away = cells * grid.dx;
    float weights = 0, sum = 0;
    for (int k = 0; k < fluids.count; ++k) {
      const GatheredFluid& fluid = fluids.of[k];
      if (fluid.affine.axis[axis].empty()) continue;
      for_each_particle_near_face(fluid.particles, axis, grid.lattice(x, y, z), [&](int j) {
        const float w =
            fluid.density * kernel_weight(fluid.particles.position.data[j], face, grid.inverse_dx);
        if (!(w > 0)) return;
        weights += w;
        sum += w * dot(fluid.affine.axis[axis].data[j], away);
      });
    }
    return weights > 0 ? sum / weights : 0.0f;
  }
};

/// What the unknowns do to faces that touch a fluid cell; `known` marks those, and no others.
struct PressureChange {
  static constexpr const char* name = "flip pressure change";
  FlipGrid grid;
  View<const signed char> kind;
  View<const double> pressure;  ///< [m/s] by slot
  FaceViews<const float> open, mobility;
  FaceViews<float> change;  ///< [m/s]
  FaceViews<signed char> known;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int r = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const int l = r - grid.stride(axis);
      const bool here = kind[r] == fluid, below = kind[l] == fluid;
      const bool touched = (here || below) && open.axis[axis][r] > 0;
      known.axis[axis][r] = touched;
      double by = 0;
      if (touched) {
        const double p_here = here ? pressure[grid.box.slot(r)] : 0;
        const double p_below = below ? pressure[grid.box.slot(l)] : 0;
        by = (p_below - p_here) * double(mobility.axis[axis][r]);
      }
      change.axis[axis][r] = static_cast<float>(by);
    }
  }
};

/// 1 for a fluid cell that parts from a wall: it is at the wall and at air, and the wall would pull at it.
/// Air comes in there, so 0 <= p and 0 <= (u - u_wall).n, one of them 0 (Batty, Bertails, Bridson 2007). Away
/// from air the wall holds the fluid, as it holds water in a glass upside down. Not where bodies or cloths
/// are in the cell. Run over all cells of the box.
struct PartsFromWall {
  static constexpr const char* name = "flip parts from walls";
  using Value = int;
  FlipGrid grid;
  View<const signed char> kind;
  FaceViews<const float> open, passage;
  View<const double> pressure;  ///< [m/s] by slot
  double least;                 ///< [m/s] negative: cells with less than this part

  MERGANSER_METHOD int operator()(int cell) const {
    const auto [x, y, z] = grid.inner_cell(cell);
    const int c = grid.flat(x, y, z);
    if (kind[c] != fluid || !(pressure[grid.box.slot(c)] < least)) return 0;
    bool at_wall = false, at_air = false, alone = true;
    for (int axis = 0; axis < 3; ++axis)
      for (const int face : {c, c + grid.stride(axis)}) {
        const int other = face == c ? c - grid.stride(axis) : face;
        const float share = open.axis[axis][face];
        at_wall = at_wall || share < 1;
        at_air = at_air || (share > 0 && kind[other] == air);
        alone = alone && passage.axis[axis][face] == share;
      }
    return at_wall && at_air && alone ? 1 : 0;
  }
  MERGANSER_METHOD static int identity() { return 0; }
  MERGANSER_METHOD static int combine(int a, int b) { return a + b; }
};

struct PartFromWalls {
  static constexpr const char* name = "flip part from walls";
  PartsFromWall parts;
  View<signed char> kind;  ///< updated
  View<double> pressure;   ///< updated
  MERGANSER_METHOD void operator()(int cell) const {
    if (parts(cell) == 0) return;
    const auto [x, y, z] = parts.grid.inner_cell(cell);
    const int c = parts.grid.flat(x, y, z);
    kind[c] = parted;
    pressure[parts.grid.box.slot(c)] = 0;
  }
};

/// Gives faces that are not known the mean of their known neighbors along all axes: one layer more. A value
/// is read only where `known` says so and written only elsewhere; which faces are known now goes to `after`.
struct ExtrapolateFaces {
  static constexpr const char* name = "flip extrapolate";
  FlipGrid grid;
  View<const signed char> known;
  View<float> value;
  View<signed char> after;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    after[f] = known[f];
    if (known[f]) return;
    float sum = 0;
    int count = 0;
    for (int axis = 0; axis < 3; ++axis)
      for (int side = -1; side <= 1; side += 2) {
        const int other = f + side * grid.stride(axis);
        if (!known[other]) continue;
        sum += value[other];
        ++count;
      }
    if (count == 0) return;
    value[f] = sum / static_cast<float>(count);
    after[f] = 1;
  }
};

/// A particle in a corner of walls reaches a face that is two steps along its own axis and one along each
/// other axis away from an open one.
inline constexpr int extrapolated_layers = 4;

/// Two layers, one after the other. `between` is scratch like `known`, zero in the padding.
inline void extrapolate_two_layers(const FlipGrid& grid, Array<float>& value, Array<signed char>& known,
                                   Array<signed char>& between) {
  launch_cells(grid.cells, ExtrapolateFaces{grid, known.const_view(), value.view(), between.view()});
  launch_cells(grid.cells, ExtrapolateFaces{grid, between.const_view(), value.view(), known.view()});
}

/// Faces behind walls: the velocity across the wall becomes the wall's. Only for closed faces that have a
/// value. What particles bring along the wall's normal is gathered at the face itself: means of the other
/// components' faces around it, of which some are out of reach, brake what turns along a round wall.
template <class Shapes>
struct ConstrainClosedFaces {
  static constexpr const char* name = "flip closed faces";
  FlipGrid grid;
  Shapes walls;
  GatheredFluids fluids;  ///< none: velocities are 0, and walls count as being at rest
  int axis;
  FaceViews<const float> open;
  FaceViews<const signed char> known;
  FaceViews<float> change;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    if (open.axis[axis][f] > 0 || !known.axis[axis][f]) return;
    const Vec3 face = grid.face_centre(axis, x, y, z);
    const NearestWall wall = nearest_wall(walls, face);
    float across = 0;
    for (int other = 0; other < 3; ++other)
      across +=
          component(wall.normal, other) * (other == axis ? change.axis[axis][f] : mean_around(f, other));
    if (fluids.count > 0) {
      float weights = 0, sum = 0;
      for (int k = 0; k < fluids.count; ++k)
        gather(fluids.of[k], grid.lattice(x, y, z), face, wall.normal, weights, sum);
      if (!(weights > 0)) return;
      across += sum / weights - wall.normal_speed;
    }
    change.axis[axis][f] -= component(wall.normal, axis) * across;
  }

 private:
  MERGANSER_METHOD void gather(const GatheredFluid& fluid, const Int3& cell, const Vec3& face,
                               const Vec3& normal, float& weights, float& sum) const {
    for_each_particle_near_face(fluid.particles, axis, cell, [&](int j) {
      const float w = fluid.density * kernel_weight(fluid.particles.position.data[j], face, grid.inverse_dx);
      if (!(w > 0)) return;
      weights += w;
      sum += w * (normal.x * fluid.value_at(j, 0, face) + normal.y * fluid.value_at(j, 1, face) +
                  normal.z * fluid.value_at(j, 2, face));
    });
  }
  /// Mean of another component over the four faces around this one.
  MERGANSER_METHOD float mean_around(int f, int other) const {
    const int back = grid.stride(axis), up = grid.stride(other);
    float sum = 0;
    for (int at : {f, f - back, f + up, f - back + up}) sum += change.axis[other][at];
    return 0.25f * sum;
  }
};

MERGANSER_END
