#pragma once
/// Faces that rigid bodies cover: what a body's motion lets through them, and what pressure gives back to it,
/// the transposed operator (Batty, Bertails, Bridson 2007: A fast variational framework for accurate
/// solid-fluid coupling). A particle of a body is a cube of one spacing along the axes, face f covers the box
/// of a cell around its middle: w_fj is the share of that box in the cube of particle j, norm_f takes off
/// what is more than all of it.
#include "device/lanes.h"
#include "solvers/core/discarded_work.h"
#include "solvers/methods/flip/face_mass.h"

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

/// Of the fluid around a body the body takes the difference between what the particles get, with M of
/// FaceMass, and what pressure gives, as sheets do (SheetDifferences), but for what holds fluid at rest: the
/// fluid's density is not the body's affair. That of a face with a covered share is
///
///   D_f = sum_g (M_g - passage_g rho dx^3/mobility_g) (change_g + dt g_a) + what FollowBodies gave
///
/// over f and the uncovered faces in line with it (sum_in_line). Particle j takes -w_fj norm_f/share_f D_f.
struct BodyDifferences {
  static constexpr const char* name = "flip differences at bodies";
  FlipGrid grid;
  View<const signed char> kind;
  FaceViews<const float> share, norm, passage, mobility;
  View<const float> pressure;        ///< [m/s] by slot
  FaceViews<const float> face_mass;  ///< [particles]
  float cell_mass, particle_mass;    ///< [kg]
  Vec3 fall;                         ///< [m/s] dt g
  FaceViews<float> difference;       ///< [N s] in: what FollowBodies gave; out: -norm_f/share_f D_f
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z), at[3] = {x, y, z},
              cells[3] = {grid.cells.x, grid.cells.y, grid.cells.z};
    for (int axis = 0; axis < 3; ++axis) {
      float all = 0;
      if (const float own = share.axis[axis][f]; own > 0) {
        const float in_line = sum_in_line(
            kind, f, grid.stride(axis), at[axis], cells[axis], [&](int g) { return share.axis[axis][g] > 0; },
            [&](int g) { return of(axis, g); });
        all = -norm.axis[axis][f] / own * (difference.axis[axis][f] + of(axis, f) + in_line);
      }
      difference.axis[axis][f] = all;
    }
  }

 private:
  MERGANSER_METHOD float of(int axis, int g) const {
    const float answers = mobility.axis[axis][g];
    if (!(answers > 0) || share.axis[axis][g] > nearly_all_covered) return 0;
    const float change =
        answers * (pressure[grid.box.slot(g - grid.stride(axis))] - pressure[grid.box.slot(g)]);
    float beyond = change + component(fall, axis);
    // Beside a body the place of the surface is not exact, and fluid at rest not at rest.
    if (share.axis[axis][g] > 0 && (kind[g] != fluid || kind[g - grid.stride(axis)] != fluid)) {
      const float rest = sqrtf(norm_squared(fall));
      beyond -= least_of(most_of(beyond, -rest), rest);
    }
    return (particle_mass * face_mass.axis[axis][g] - cell_mass * passage.axis[axis][g] / answers) * beyond;
  }
};

/// [N s] What a particle of the bodies takes of them.
struct CoveredDifference {
  CubeOverlap cubes;
  GridShape lattice;
  View<const Vec3> position;
  View<const int> store_index;
  FaceViews<const float> difference;
  MERGANSER_METHOD Vec3 of(int k) const {
    const Vec3 x = position[k];
    const Int3 c = lattice.cell(x);
    float sum[3] = {0, 0, 0};
    if (cubes.grid.holds(c))
      for (int axis = 0; axis < 3; ++axis)
        cubes.for_each_face(x, c, axis, [&](int f, float w) { sum[axis] += w * difference.axis[axis][f]; });
    return {sum[0], sum[1], sum[2]};
  }
};
/// Its force, over mass. The fluid's share of it is that of an explicit step, which would throw bodies much
/// lighter than what they displace: these take it as if they had `least` of that mass.
struct PushDifferences {
  static constexpr const char* name = "flip differences on bodies";
  static constexpr float least = 0.2f;
  CoveredDifference difference;
  View<const float> mass;   ///< [kg] over the store
  float particle_mass, dt;  ///< [kg] of the fluid, [s]
  View<Quad> acceleration;  ///< written
  MERGANSER_METHOD void operator()(int k) const {
    const float m = most_of(mass[difference.store_index[k]], least * particle_mass);
    const Vec3 a = difference.of(k) * (1 / (dt * m));
    acceleration[k] = {a.x, a.y, a.z, 0};
  }
};

/// Impulse of pressure and differences on particles that are held, for probes of forces.
struct AddHeldPush {
  static constexpr const char* name = "flip pressure on held bodies";
  CoveredPressure pressure;
  CoveredDifference difference;
  HeldParticles held;
  float cell_mass;     ///< [kg] rho0 dx^3
  View<Vec3> impulse;  ///< [N s] over the store, added to
  MERGANSER_METHOD void operator()(int k) const {
    const int i = pressure.store_index[k];
    if (held.holds(i)) impulse[i] += pressure.of(k) * cell_mass + difference.of(k);
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

/// Mass of the bodies in the boxes of faces that they cover all but a tenth.
struct CoveredMass {
  static constexpr const char* name = "flip mass of bodies at faces";
  static constexpr float held = 1e30f;
  CubeOverlap cubes;
  UniformGridView bodies;
  View<const int> store_index;
  View<const float> mass, inverse_mass;  ///< [kg], [1/kg] over the store
  FaceViews<const float> share, norm;
  FaceViews<float> to;  ///< [kg], written
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = cubes.grid.flat(x, y, z);
    const float particles = cubes.grid.dx / cubes.spacing;  // along an edge
    for (int axis = 0; axis < 3; ++axis) {
      float sum = 0;
      if (share.axis[axis][f] > nearly_all_covered)
        cubes.for_each_particle(bodies, axis, x, y, z, [&](int j, float w) {
          const int i = store_index[bodies.order[j]];
          sum += inverse_mass[i] > 0 ? w * mass[i] : held;
        });
      to.axis[axis][f] = sum * norm.axis[axis][f] * (particles * particles * particles);
    }
  }
};

/// Faces that bodies cover all but a tenth go with them, once their velocities v are known. Beside fluid at
/// rest, whose change is -dt g_a, the mass m of the bodies in the face's box and M of the fluid there
/// (FaceMass) come to a common velocity; what the one gets the other gives:
///   i_f = M m/(m + M) (v - u_f + dt g_a),   change_f = i_f/M - dt g_a.
struct FollowBodies {
  static constexpr const char* name = "flip faces of bodies";
  FlipGrid grid;
  FaceViews<const float> share, carried, u, face_mass;  ///< face_mass [particles]
  float particle_mass;                                  ///< [kg]
  Vec3 fall;                                            ///< [m/s] dt g
  FaceViews<float> change;                              ///< updated
  FaceViews<signed char> known;                         ///< updated
  FaceViews<float> given;                               ///< in: [kg] CoveredMass; out: [N s] i_f
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const float covered = share.axis[axis][f], m = given.axis[axis][f];
      float impulse = 0;
      if (covered > nearly_all_covered) {
        const float fluids = particle_mass * face_mass.axis[axis][f], at_rest = -component(fall, axis);
        const float by = m / (m + fluids) * (carried.axis[axis][f] / covered - u.axis[axis][f] - at_rest);
        change.axis[axis][f] = at_rest + by;
        known.axis[axis][f] = 1;
        impulse = fluids * by;
      }
      given.axis[axis][f] = impulse;
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
