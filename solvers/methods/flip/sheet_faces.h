#pragma once
/// Faces that a thin sheet closes. The sheet's velocity goes through them and no fluid, and pressure acts
/// back on it by the transposed operator (Batty, Bertails, Bridson 2007: A fast variational framework for
/// accurate solid-fluid coupling).
///
/// d(c) is the signed distance of a cell's centre from the plane through the sheet's particles around,
/// positive on the side that their area vectors a_j point to. A face between centres on unequal sides is
/// closed where the sheet is around the point x_f in which their line meets the plane. With the tent t of
/// radius r,
///
///   w_fj = |a_j| t(|x_j - x_f|/r) / sum_k |a_k| t(|x_k - x_f|/r).
#include "device/lanes.h"
#include "solvers/core/discarded_work.h"
#include "solvers/methods/flip/cell_kind.h"

MERGANSER_BEGIN

/// Area vectors [m^2]: a third of each triangle around a particle.
struct SheetAreas {
  static constexpr const char* name = "flip areas of sheets";
  View<const int> first;   ///< of a particle's triangles
  View<const int> corner;  ///< two for each: its other corners in their order, local indices
  View<const Vec3> position;
  View<Vec3> area;
  MERGANSER_METHOD void operator()(int i) const {
    Vec3 sum{0, 0, 0};
    for (int k = first[i]; k < first[i + 1]; ++k)
      sum += cross(position[corner[2 * k]] - position[i], position[corner[2 * k + 1]] - position[i]);
    area[i] = sum * (1.0f / 6);
  }
};

/// The sheets' particles around points of the grid.
struct SheetPoints {
  static constexpr float radius = 1.5f;  ///< [cells] r
  MERGANSER_METHOD static float none() { return 3e38f; }
  FlipGrid grid;
  UniformGridView particles;
  View<const Vec3> area;  ///< [m^2] of `particles` before they were sorted

  MERGANSER_METHOD float tent(const Vec3& d) const {
    const float t = 1 - norm(d) * grid.inverse_dx * (1 / radius);
    return t > 0 ? t : 0.0f;
  }
  /// visit(k, |a_k| t), k a place in `area`.
  template <class Visit>
  MERGANSER_METHOD void for_each_around(const Vec3& point, const Visit& visit) const {
    const Int3 c = particles.shape.cell(point);
    for_each_particle_in(particles, {c.x - 2, c.y - 2, c.z - 2}, {c.x + 2, c.y + 2, c.z + 2}, [&](int j) {
      const float t = tent(particles.position.data[j] - point);
      const int k = particles.order.data[j];
      if (t > 0) visit(k, j, t * norm(area[k]));
    });
  }
  /// d, or none.
  MERGANSER_METHOD float distance(const Vec3& centre) const {
    float sum = 0;
    Vec3 normal{0, 0, 0}, offset{0, 0, 0};
    for_each_around(centre, [&](int k, int j, float w) {
      sum += w;
      offset += (centre - particles.position.data[j]) * w;
      normal += area[k] * tent(particles.position.data[j] - centre);
    });
    return sum > 0 ? dot(normalized_or_zero(normal), offset) / sum : none();
  }
  MERGANSER_METHOD Vec3 on_line(int axis, int x, int y, int z, float share) const {
    Vec3 point = grid.face_centre(axis, x, y, z);
    (axis == 0 ? point.x : axis == 1 ? point.y : point.z) += (share - 0.5f) * grid.dx;
    return point;
  }
};

struct FindSheetDistance {
  static constexpr const char* name = "flip distance of sheets";
  SheetPoints sheets;
  View<float> distance;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    distance[sheets.grid.flat(x, y, z)] = sheets.distance(sheets.grid.centre(x, y, z));
  }
};

/// Closed faces: where x_f lies on the line from the lower centre, and 1/sum_k |a_k| t; 0 for others. What is
/// left open of faces.
struct FindClosedFaces {
  static constexpr const char* name = "flip faces of sheets";
  static constexpr float least = 0.5f;  ///< of the area that an unbounded sheet has around x_f
  SheetPoints sheets;
  View<const float> distance;
  FaceViews<const float> open;
  FaceViews<float> met, inverse_sum, passage;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const FlipGrid& grid = sheets.grid;
    const int f = grid.flat(x, y, z);
    const float r = SheetPoints::radius * grid.dx, whole = 3.14159265f / 3 * r * r;
    const bool inner[3] = {x > 1, y > 1, z > 1};
    for (int axis = 0; axis < 3; ++axis) {
      float sum = 0, share = 0;
      const float above = distance[f];
      const float below = inner[axis] ? distance[f - grid.stride(axis)] : SheetPoints::none();
      if (above != SheetPoints::none() && below != SheetPoints::none() && (above > 0) != (below > 0)) {
        share = below / (below - above);
        sheets.for_each_around(sheets.on_line(axis, x, y, z, share), [&](int, int, float w) { sum += w; });
      }
      const bool closed = sum > least * whole;
      met.axis[axis][f] = share;
      inverse_sum.axis[axis][f] = closed ? 1 / sum : 0.0f;
      passage.axis[axis][f] = closed ? 0.0f : open.axis[axis][f];
    }
  }
};

/// The closed faces that touch fluid.
struct ClosedFaces {
  SheetPoints sheets;
  View<const signed char> kind;
  FaceViews<const float> met, inverse_sum;

  MERGANSER_METHOD bool has(int axis, int f) const {
    return inverse_sum.axis[axis][f] > 0 && (kind[f] == fluid || kind[f - sheets.grid.stride(axis)] == fluid);
  }
  /// sum_j w_fj v_j
  MERGANSER_METHOD float through(int axis, int x, int y, int z, View<const Vec3> velocity) const {
    const int f = sheets.grid.flat(x, y, z);
    float sum = 0;
    sheets.for_each_around(sheets.on_line(axis, x, y, z, met.axis[axis][f]),
                           [&](int k, int, float w) { sum += w * component(velocity[k], axis); });
    return sum * inverse_sum.axis[axis][f];
  }
  /// visit(f, w_fj) of particle k at `at`, once a step: see SheetRows.
  template <class Visit>
  MERGANSER_METHOD void for_each_face(int k, const Vec3& at, int axis, const Visit& visit) const {
    const FlipGrid& grid = sheets.grid;
    const Int3 c = sheets.particles.shape.cell(at);
    const int up[3] = {axis == 0 ? 3 : 2, axis == 1 ? 3 : 2, axis == 2 ? 3 : 2};
    const int x0 = c.x - grid.low.x + 1, y0 = c.y - grid.low.y + 1, z0 = c.z - grid.low.z + 1;
    const float size = norm(sheets.area[k]);
    for (int z = from(z0); z <= to(z0 + up[2], grid.cells.z); ++z)
      for (int y = from(y0); y <= to(y0 + up[1], grid.cells.y); ++y)
        for (int x = from(x0); x <= to(x0 + up[0], grid.cells.x); ++x) {
          const int f = grid.flat(x, y, z);
          if (!has(axis, f)) continue;
          const float t = sheets.tent(at - sheets.on_line(axis, x, y, z, met.axis[axis][f]));
          if (t > 0) visit(f, t * size * inverse_sum.axis[axis][f]);
        }
  }

 private:
  MERGANSER_METHOD static int from(int c) { return c - 2 > 1 ? c - 2 : 1; }
  MERGANSER_METHOD static int to(int c, int cells) { return c < cells ? c : cells; }
};

/// w_fj by particle: the faces along axis a of particle k are [first[3 k + a], first[3 k + a + 1]).
struct SheetRows {
  View<const int> first, face;
  View<const float> weight;
  template <class Visit>
  MERGANSER_METHOD void for_each_face(int k, int axis, const Visit& visit) const {
    for (int s = first[3 * k + axis], end = first[3 * k + axis + 1]; s < end; ++s) visit(face[s], weight[s]);
  }
};
struct CountSheetRows {
  static constexpr const char* name = "flip count faces of sheets";
  ClosedFaces faces;
  View<const Vec3> position;
  View<int> count;
  MERGANSER_METHOD void operator()(int row) const {
    int found = 0;
    faces.for_each_face(row / 3, position[row / 3], row % 3, [&](int, float) { ++found; });
    count[row] = found;
  }
};
struct FillSheetRows {
  static constexpr const char* name = "flip list faces of sheets";
  ClosedFaces faces;
  View<const Vec3> position;
  View<const int> first;
  View<int> face;
  View<float> weight;
  MERGANSER_METHOD void operator()(int row) const {
    int place = first[row];
    faces.for_each_face(row / 3, position[row / 3], row % 3, [&](int f, float w) {
      face[place] = f;
      weight[place++] = w;
    });
  }
};

/// The fluid at closed faces moves with the sheet. M_f is the mass of the fluid's particles at a face, an
/// axis at a time. It adds to the sheet's particles, with A of PressedSheet and v_j of their own solve,
///
///   A_j = sum_f w_fj M_f,     J_j = sum_f w_fj M_f (u_f - v_j).
///
/// Members of groups: v_j is what the system computed, see MetaParticleView.
struct JoinSheets {
  static constexpr const char* name = "flip sheets with fluid";
  SheetRows rows;
  MetaParticleView groups;
  View<const int> store_index, place;
  View<const Vec3> end_velocity;        ///< over the store
  View<const float> inverse_mass;       ///< [1/kg] over the store
  Vec3 fall;                            ///< [m/s] dt g
  FaceViews<const float> u, face_mass;  ///< [m/s], [particles]
  float particle_mass;                  ///< [kg]
  View<Vec3> before;                    ///< v_j, written
  View<Vec3> added, impulse;            ///< A_j, J_j by place, written
  MERGANSER_METHOD void operator()(int k) const {
    const int i = store_index[k], group = groups.group_count > 0 ? groups.group_of[i] : -1;
    const bool mobile = (group >= 0 ? groups.inverse_mass[group] : inverse_mass[i]) > 0;
    Vec3 v = end_velocity[i];
    if (group >= 0 && mobile) {
      const Vec3 free = groups.velocity[group] + fall;
      v = free + (v - free) * (1 / groups.mass_scale[group]);
    }
    before[k] = v;
    float sum[3] = {0, 0, 0}, given[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
      rows.for_each_face(k, axis, [&](int f, float w) {
        const float m = w * particle_mass * face_mass.axis[axis][f];
        sum[axis] += m;
        given[axis] += m * (u.axis[axis][f] - component(v, axis));
      });
    added[place[k]] = {sum[0], sum[1], sum[2]};
    impulse[place[k]] = {given[0], given[1], given[2]};
  }
};

/// What pressure gives to the sheets' particles: sum_f w_fj open_f (p_l - p_r), p [m/s] in cells that are
/// solved, else 0.
struct SheetPressure {
  FlipGrid grid;
  SheetRows rows;
  View<const float> pressure;
  FaceViews<const float> open;
  MERGANSER_METHOD Vec3 of(int k) const {
    float sum[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
      rows.for_each_face(k, axis, [&](int f, float w) {
        sum[axis] += w * open.axis[axis][f] *
                     (pressure[grid.box.slot(f - grid.stride(axis))] - pressure[grid.box.slot(f)]);
      });
    return {sum[0], sum[1], sum[2]};
  }
};

/// What a sheet's particle gets [kg m/s]: of pressure, less differences, sum_f w_fj r_f, after the solve.
struct SheetImpulse {
  SheetPressure pressure;
  FaceViews<const float> difference;  ///< empty in the solve
  float cell_mass;                    ///< [kg] rho0 dx^3
  MERGANSER_METHOD Vec3 of(int k) const {
    const Vec3 by_pressure = pressure.of(k) * cell_mass;
    if (difference.axis[0].empty()) return by_pressure;
    float sum[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
      pressure.rows.for_each_face(k, axis,
                                  [&](int f, float w) { sum[axis] += w * difference.axis[axis][f]; });
    return by_pressure - Vec3{sum[0], sum[1], sum[2]};
  }
};

struct PushSheets {
  static constexpr const char* name = "flip pressure on sheets";
  SheetImpulse given;
  View<const int> place;
  View<Vec3> impulse;  ///< [N s] by place, written
  MERGANSER_METHOD void operator()(int k) const { impulse[place[k]] = given.of(k); }
};

/// Velocities of particles on the grid: `before`, if any, and the answer at their place.
struct AddAnswer {
  static constexpr const char* name = "flip answers of sheets";
  View<const int> place;
  View<const Vec3> before, answer;
  View<Vec3> velocity;  ///< [m/s], written
  MERGANSER_METHOD void operator()(int k) const {
    velocity[k] = answer[place[k]] + (before.empty() ? Vec3{0, 0, 0} : before[k]);
  }
};

/// Impulse on particles that are held, for probes of forces: of SheetImpulse, and of the fluid that stops
/// with them, sum_f w_fj M_f (u_f - v_j).
struct AddHeldSheets {
  static constexpr const char* name = "flip pressure on held sheets";
  SheetImpulse given;
  HeldParticles held;
  View<const int> store_index;
  View<const Vec3> velocity;            ///< [m/s] v_j
  FaceViews<const float> u, face_mass;  ///< [m/s], [particles]
  float particle_mass;                  ///< [kg]
  View<Vec3> impulse;                   ///< [N s] over the store, added to
  MERGANSER_METHOD void operator()(int k) const {
    const int i = store_index[k];
    if (!held.holds(i)) return;
    float stopped[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
      given.pressure.rows.for_each_face(k, axis, [&](int f, float w) {
        stopped[axis] += w * face_mass.axis[axis][f] * (u.axis[axis][f] - component(velocity[k], axis));
      });
    impulse[i] += given.of(k) + Vec3{stopped[0], stopped[1], stopped[2]} * particle_mass;
  }
};

/// Velocities of sheets through closed faces; others are left as they are.
struct CarriedBySheets {
  static constexpr const char* name = "flip carried by sheets";
  ClosedFaces faces;
  View<const Vec3> velocity;
  FaceViews<const float> less;  ///< taken off; empty: nothing
  FaceViews<float> carried;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = faces.sheets.grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis)
      if (faces.has(axis, f))
        carried.axis[axis][f] =
            faces.through(axis, x, y, z, velocity) - (less.axis[axis].empty() ? 0.0f : less.axis[axis][f]);
  }
};

/// End velocities of the sheets' particles, by place: those of their own solve, and the answers.
struct TakeAnswers {
  static constexpr const char* name = "flip velocities of sheets";
  View<const int> store_index;
  View<const Vec3> joined, change;
  View<Vec3> end_velocity;
  MERGANSER_METHOD void operator()(int i) const { end_velocity[store_index[i]] += joined[i] + change[i]; }
};

MERGANSER_END
