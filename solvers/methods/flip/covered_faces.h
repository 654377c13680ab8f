#pragma once
/// Faces that rigid bodies cover: what a body's motion lets through them, and what pressure gives back to it,
/// the transposed operator (Batty, Bertails, Bridson 2007: A fast variational framework for accurate
/// solid-fluid coupling). A particle of a body is a cube of one spacing along the axes, face f covers the box
/// of a cell around its middle: w_fj is the share of that box in the cube of particle j, norm_f takes off
/// what is more than all of it.
#include "device/lanes.h"
#include "solvers/core/discarded_work.h"
#include "solvers/methods/flip/cell_kind.h"

MERGANSER_BEGIN

/// Covered share of faces, norm_f.
struct FindCovered {
  static constexpr const char* name = "flip covered faces";
  CubeOverlap cubes;
  UniformGridView bodies;
  FaceViews<float> share, norm;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = cubes.grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      float sum = 0;
      cubes.for_each_particle(bodies, axis, x, y, z, [&](int, float w) { sum += w; });
      share.axis[axis][f] = sum < 1 ? sum : 1.0f;
      norm.axis[axis][f] = sum > 0 ? share.axis[axis][f] / sum : 0.0f;
    }
  }
};

/// norm_f sum_j w_fj v_j, the velocity that bodies give a face times its covered share. Value: of a particle
/// by its number, Vec3 or Quad.
template <class Value>
struct CarriedThrough {
  static constexpr const char* name = "flip carried through faces";
  CubeOverlap cubes;
  UniformGridView bodies;
  View<const Value> velocity;
  FaceViews<const float> norm;
  FaceViews<float> carried;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = cubes.grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      float sum = 0;
      if (norm.axis[axis][f] > 0)
        cubes.for_each_particle(bodies, axis, x, y, z, [&](int j, float w) {
          const Value& v = velocity[bodies.order[j]];
          sum += w * (axis == 0 ? v.x : axis == 1 ? v.y : v.z);
        });
      carried.axis[axis][f] = norm.axis[axis][f] * sum;
    }
  }
};

/// What pressure gives to particles of the bodies: sum_f w_fj norm_f open_f (p_l - p_r), p [m/s] in cells
/// that are solved, else 0.
struct CoveredPressure {
  CubeOverlap cubes;
  GridShape lattice;
  View<const Vec3> position;
  View<const int> store_index;
  View<const float> pressure;
  FaceViews<const float> open, norm;
  MERGANSER_METHOD Vec3 of(int k) const {
    const FlipGrid& grid = cubes.grid;
    const Vec3 x = position[k];
    const Int3 c = lattice.cell(x);
    float sum[3] = {0, 0, 0};
    if (grid.holds(c))
      for (int axis = 0; axis < 3; ++axis)
        cubes.for_each_face(x, c, axis, [&](int f, float w) {
          const float difference =
              pressure[grid.box.slot(f - grid.stride(axis))] - pressure[grid.box.slot(f)];
          sum[axis] += w * norm.axis[axis][f] * open.axis[axis][f] * difference;
        });
    return {sum[0], sum[1], sum[2]};
  }
};

/// Force of pressure on every particle of the bodies, over its mass.
struct PushCovered {
  static constexpr const char* name = "flip pressure on bodies";
  CoveredPressure pressure;
  View<const float> mass;   ///< [kg] over the store
  float cell_mass;          ///< [kg/s] rho0 dx^3 over the step
  View<Quad> acceleration;  ///< written
  MERGANSER_METHOD void operator()(int k) const {
    const Vec3 a = pressure.of(k) * (cell_mass / mass[pressure.store_index[k]]);
    acceleration[k] = {a.x, a.y, a.z, 0};
  }
};

/// Impulse of pressure on particles that are held, for probes of forces.
struct AddHeldPush {
  static constexpr const char* name = "flip pressure on held bodies";
  CoveredPressure pressure;
  HeldParticles held;
  float cell_mass;     ///< [kg] rho0 dx^3
  View<Vec3> impulse;  ///< [N s] over the store, added to
  MERGANSER_METHOD void operator()(int k) const {
    const int i = pressure.store_index[k];
    if (held.holds(i)) impulse[i] += pressure.of(k) * cell_mass;
  }
};

/// What flows out of cells with the motion of bodies.
struct AddCarriedFlow {
  static constexpr const char* name = "flip flow of bodies";
  FlipGrid grid;
  float factor;
  View<const signed char> kind;
  FaceViews<const float> open, carried;
  View<float> to;  ///< by slot
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z);
    if (kind[c] != fluid) return;
    float sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int up = c + grid.stride(axis);
      sum += open.axis[axis][up] * carried.axis[axis][up] - open.axis[axis][c] * carried.axis[axis][c];
    }
    to[grid.box.slot(c)] += factor * sum;
  }
};

/// The velocities of faces that bodies cover all but a tenth become theirs, once these are known.
struct FollowBodies {
  static constexpr const char* name = "flip faces of bodies";
  static constexpr float nearly_all = 0.9f;
  FlipGrid grid;
  FaceViews<const float> share, carried, u;
  FaceViews<float> change;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      if (!(share.axis[axis][f] > nearly_all)) continue;
      change.axis[axis][f] = carried.axis[axis][f] / share.axis[axis][f] - u.axis[axis][f];
    }
  }
};

struct FloatOfDouble {
  static constexpr const char* name = "flip float pressure";
  View<const double> from;
  View<float> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = static_cast<float>(from[i]); }
};

/// Open share of faces that bodies do not cover, no less than a leak, with which pressure goes on into
/// bodies.
struct UncoveredShare {
  static constexpr const char* name = "flip uncovered faces";
  static constexpr float leak = 0.02f;
  FlipGrid grid;
  FaceViews<const float> open, share;
  FaceViews<float> passage;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis)
      passage.axis[axis][f] = open.axis[axis][f] * most_of(1 - share.axis[axis][f], leak);
  }
};

struct PlaceOfBodies {
  static constexpr const char* name = "flip place of bodies";
  View<const int> store_index;
  View<int> place;  ///< over the store
  MERGANSER_METHOD void operator()(int k) const { place[store_index[k]] = k; }
};

/// 1 for particles of some systems, but for bodies that wait for their start.
struct FlagCoupled {
  static constexpr const char* name = "flip flag coupled";
  View<const Range> ranges;
  View<const int> system;
  View<int> flag, place;  ///< place: -1, written
  MERGANSER_METHOD void operator()(int i) const {
    int found = 0;
    for (int k = 0; k < ranges.count; ++k) found += ranges[k].contains(i);
    flag[i] = found > 0 && system[i] >= 0;
    place[i] = -1;
  }
};

MERGANSER_END
