#pragma once
/// Particles of other systems on the faces of the solve, those that merging-and-splitting keeps apart from
/// the fluids (COUPLING.md, "Other systems").
#include "solvers/core/discarded_work.h"
#include "solvers/methods/flip/projection.h"

MERGANSER_BEGIN

/// Ease of particles, volume/mass over that of the first fluid's. What is held has a thousandth.
struct EaseOfOthers {
  static constexpr const char* name = "flip ease of others";
  static constexpr float held = 0.001f;
  View<const float> inverse_mass;  ///< [1/kg] over the store
  View<const int> index, order;
  float particle_mass;  ///< [kg] of the first fluid
  View<float> to;       ///< by sorted index
  MERGANSER_METHOD void operator()(int k) const {
    to[k] = most_of(inverse_mass[index[order[k]]] * particle_mass, held);
  }
};

/// What the solve needs of all particles at a face. Where the fluids come towards others they first share
/// their momentum there, which keeps them from flowing through each other:
///   drag = strength M_s/(M_o + M_s) (v_s - u_o),   drag of others = -drag M_o/M_s,
/// M and velocities by mass of both. strength is 1 where the two lie apart (`lean`), 0 where they are mixed.
/// Then the mean by volume, which the solve makes free of divergence:
///   joint = (W_o u_o + sum_j w_fj v_j) / (W_o + W_s).
struct JoinFaces {
  static constexpr const char* name = "flip joint faces";
  FlipGrid grid;
  View<const signed char> kind;
  UniformGridView others;
  View<const float> ease;  ///< by sorted index
  OtherFaces<const float> at;
  View<const int> index;                ///< of the store, by order
  View<const Vec3> velocity;            ///< [m/s] over the store
  FaceViews<const float> u, face_mass;  ///< of the fluids [m/s], [particles of the first one]
  FaceViews<const float> density;       ///< of faces; empty: 1
  FaceViews<float> joint, drag, drag_of_others;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 face = grid.face_centre(axis, x, y, z);
      const float weight = at.weight.axis[axis][f], mass = at.mass.axis[axis][f];
      if (!(weight > 0)) {
        joint.axis[axis][f] = u.axis[axis][f];
        drag.axis[axis][f] = drag_of_others.axis[axis][f] = 0;
        continue;
      }
      float flow = 0, momentum = 0;
      for_each_particle_near_face(others, axis, grid.lattice(x, y, z), [&](int j) {
        const float w = kernel_weight(others.position.data[j], face, grid.inverse_dx);
        const float flowing = w * component(velocity[index[others.order.data[j]]], axis);
        flow += flowing;
        momentum += flowing / ease[j];
      });
      float of_fluids = 0, of_others = 0;
      const bool alone = at_others(kind, f, grid.stride(axis));
      const float own_mass = alone ? 0.0f : face_mass.axis[axis][f], before = u.axis[axis][f];
      if (own_mass > 0) {
        const float apart = at.lean.axis[axis][f], towards = before - momentum / mass;
        if (towards * apart > 0) {
          const float strength = least_of(most_of(3 * fabsf(apart) - 1, 0.0f), 1.0f);
          of_others = strength * towards * own_mass / (mass + own_mass);
          of_fluids = -of_others * mass / own_mass;
        }
      }
      const float own = own_mass / (density.axis[axis].empty() ? 1.0f : density.axis[axis][f]);
      drag.axis[axis][f] = of_fluids;
      drag_of_others.axis[axis][f] = of_others;
      joint.axis[axis][f] = (own * (before + of_fluids) + flow + weight * of_others) / (own + weight);
    }
  }
};

/// After the solve: `change` of faces is that of the mean by volume; it becomes that of the fluids,
///   change/(rho_f ease_f) + drag.
/// `push` = change/ease_f is what others take by their ease; 0 where the solve does not know the face. Faces
/// of cells that others fill alone are no longer `known` for the fluids.
struct PartChanges {
  static constexpr const char* name = "flip part changes";
  FlipGrid grid;
  FaceViews<const float> ease, density, drag;
  View<const signed char> kind;
  FaceViews<signed char> known;
  FaceViews<float> change, push, drag_of_others;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const float e = ease.axis[axis][f];
      const bool counts = e > 0 && known.axis[axis][f];
      const float by = counts ? change.axis[axis][f] / e : 0.0f;
      push.axis[axis][f] = by;
      if (!counts) {
        drag_of_others.axis[axis][f] = 0;
        continue;
      }
      if (at_others(kind, f, grid.stride(axis))) known.axis[axis][f] = 0;
      change.axis[axis][f] =
          by / (density.axis[axis].empty() ? 1.0f : density.axis[axis][f]) + drag.axis[axis][f];
    }
  }
};

/// Particles at a wall reach faces behind it: there others take the mean of the faces beside that are not
/// behind it, across the axis. Those are read only, so the order of the faces does not count.
struct ExtendBehindWalls {
  static constexpr const char* name = "flip changes behind walls";
  FlipGrid grid;
  View<const float> behind;  ///< share of cells behind walls
  FaceViews<float> push, drag_of_others;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      if (!is_behind(axis, f)) continue;
      const int a = grid.stride((axis + 1) % 3), b = grid.stride((axis + 2) % 3);
      float count = 0, pushed = 0, dragged = 0;
      for (const int g : {f - a - b, f - a, f - a + b, f - b, f + b, f + a - b, f + a, f + a + b}) {
        if (is_behind(axis, g) || push.axis[axis][g] == 0) continue;
        count += 1;
        pushed += push.axis[axis][g];
        dragged += drag_of_others.axis[axis][g];
      }
      if (!(count > 0)) continue;
      push.axis[axis][f] = pushed / count;
      drag_of_others.axis[axis][f] = dragged / count;
    }
  }

 private:
  MERGANSER_METHOD bool is_behind(int axis, int f) const {
    return behind[f] >= 0.999f && behind[f - grid.stride(axis)] >= 0.999f;
  }
};

/// What faces give to others, in masses of a particle of the first fluid times m/s.
struct OtherChanges {
  UniformGridView particles;  ///< without buckets where there are none
  View<const float> ease;     ///< by sorted index
  OtherFaces<const float> at;
  FaceViews<const float> push, drag;

  /// To a particle at x. Its kernel may reach out of the box.
  MERGANSER_METHOD Vec3 to_particle(const FlipGrid& grid, const Vec3& x, float ease_of_it) const {
    return {along(grid, 0, x, ease_of_it), along(grid, 1, x, ease_of_it), along(grid, 2, x, ease_of_it)};
  }
  /// By a face.
  MERGANSER_METHOD double by_face(int axis, int f) const {
    if (at.empty()) return 0;
    return double(push.axis[axis][f]) * double(at.weight.axis[axis][f]) +
           double(drag.axis[axis][f]) * double(at.mass.axis[axis][f]);
  }

 private:
  MERGANSER_METHOD float along(const FlipGrid& grid, int axis, const Vec3& position, float ease_of_it) const {
    const Vec3 s = position * grid.inverse_dx;
    const AxisWeights x = AxisWeights::at(s.x - (axis == 0 ? 0.0f : 0.5f)),
                      y = AxisWeights::at(s.y - (axis == 1 ? 0.0f : 0.5f)),
                      z = AxisWeights::at(s.z - (axis == 2 ? 0.0f : 0.5f));
    float sum = 0;
    for (int k = 0; k < 27; ++k) {
      const int dx = k % 3, dy = k / 3 % 3, dz = k / 9;
      const Int3 c{x.first + dx - grid.low.x, y.first + dy - grid.low.y, z.first + dz - grid.low.z};
      if (c.x < 0 || c.y < 0 || c.z < 0 || c.x >= grid.cells.x || c.y >= grid.cells.y || c.z >= grid.cells.z)
        continue;
      const int f = grid.flat(c.x + 1, c.y + 1, c.z + 1);
      sum +=
          x.weight[dx] * y.weight[dy] * z.weight[dz] * (push.axis[axis][f] + drag.axis[axis][f] / ease_of_it);
    }
    return sum;
  }
};

/// Impulses that particles take.
struct TakeChanges {
  static constexpr const char* name = "flip changes of others";
  FlipGrid grid;
  OtherChanges changes;
  float particle_mass;  ///< [kg] of the first fluid
  View<Vec3> taken;     ///< [N s] by order, written
  MERGANSER_METHOD void operator()(int j) const {
    taken[changes.particles.order.data[j]] =
        changes.to_particle(grid, changes.particles.position.data[j], changes.ease[j]) * particle_mass;
  }
};

/// Gives it to particles that are free; those of rigid bodies get accelerations.
struct GiveChanges {
  static constexpr const char* name = "flip push others";
  View<const Vec3> taken;  ///< [N s] by order
  View<const int> index;   ///< of the store
  View<const Range> rigid;
  View<const float> mass;  ///< [kg] over the store
  HeldParticles held;
  float dt;                 ///< [s]
  View<Vec3> end_velocity;  ///< [m/s] over the store, updated
  View<Quad> acceleration;  ///< [m/s^2] over the store, written for particles of rigid bodies
  MERGANSER_METHOD void operator()(int k) const {
    const int i = index[k];
    const Vec3 change = taken[k] * (1 / mass[i]);
    for (int r = 0; r < rigid.count; ++r)
      if (rigid[r].contains(i)) {
        acceleration[i] = {change.x / dt, change.y / dt, change.z / dt, 0};
        return;
      }
    if (!held.holds(i)) end_velocity[i] += change;
  }
};

/// [N s] of particles that are held.
struct AddHeldChanges {
  static constexpr const char* name = "flip changes of held particles";
  View<const Vec3> taken;
  View<const int> index;
  HeldParticles held;
  View<Vec3> impulse;  ///< [N s] over the store, added to
  MERGANSER_METHOD void operator()(int k) const {
    if (held.holds(index[k])) impulse[index[k]] += taken[k];
  }
};

/// Places of particles of rigid bodies in arrays over the store; -1 of bodies that wait for their start.
struct PlaceInStore {
  static constexpr const char* name = "flip place in store";
  View<const int> system;
  View<int> place;
  View<Quad> acceleration;  ///< 0, written
  MERGANSER_METHOD void operator()(int i) const {
    place[i] = system[i] >= 0 ? i : -1;
    acceleration[i] = {0, 0, 0, 0};
  }
};

MERGANSER_END
