#pragma once
/// The pressure projection on the staggered grid, in the unknown p dt/(rho dx) [m/s]: a face between fluid
/// cells l and r changes by (p_l - p_r)/m, one towards air, theta cells from the surface, by p/(theta m)
/// outwards; m is the face's inertia, 1 where the density is that at rest.
#include "solvers/linear/multigrid/multigrid.h"
#include "solvers/methods/flip/density.h"

MERGANSER_BEGIN

/// Coefficients of sum_f open_f (outward change)_f for every fluid cell; zero for others.
struct PressureCoefficients {
  static constexpr const char* name = "flip pressure matrix";
  FlipGrid grid;
  View<const signed char> kind;
  View<const float> phi, density_error;
  FaceViews<const float> open;
  GridCoefficients to;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z), slot = grid.box.slot(c);
    float known = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int step = grid.stride(axis);
      const bool both = kind[c] == fluid && kind[c - step] == fluid;
      to.face[axis][slot] = both ? open.axis[axis][c] / inertia(c, c - step) : 0.0f;
      if (kind[c] != fluid) continue;
      known += towards_air(c, c - step, open.axis[axis][c]);
      known += towards_air(c, c + step, open.axis[axis][c + step]);
    }
    to.dirichlet[slot] = known;
  }

 private:
  MERGANSER_METHOD float towards_air(int c, int other, float share) const {
    return kind[other] == air ? share / (surface_fraction(phi[c], phi[other]) * inertia(c, other)) : 0.0f;
  }
  MERGANSER_METHOD float inertia(int c, int other) const {
    return face_inertia(kind[c], kind[other], density_error[c], density_error[other]);
  }
};

/// -sum_f (open u.n + flux behind walls) over a fluid cell's faces: the right side of the projection.
template <class Shapes>
struct Convergence {
  static constexpr const char* name = "flip divergence";
  FlipGrid grid;
  Shapes walls;
  View<const signed char> kind;
  FaceViews<const float> open, u;
  View<float> right_side;  ///< by slot

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
    double through = double(share) * double(u.axis[axis][f]);
    if (share < 1) through += double(ClosedFlux<Shapes>{grid, walls}.through(axis, x, y, z, share));
    return through;
  }
};

/// What the unknowns do to faces that touch a fluid cell; `known` marks those, and no others.
struct PressureChange {
  static constexpr const char* name = "flip pressure change";
  FlipGrid grid;
  View<const signed char> kind;
  View<const float> phi, density_error;
  View<const double> pressure;  ///< [m/s] by slot
  FaceViews<const float> open;
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
        by = (p_below - p_here) / double(face_inertia(kind[l], kind[r], density_error[l], density_error[r]));
        if (kind[r] == solid || kind[l] == solid) by = 0;
        if (kind[r] == air) by /= double(surface_fraction(phi[l], phi[r]));
        if (kind[l] == air) by /= double(surface_fraction(phi[r], phi[l]));
      }
      change.axis[axis][r] = static_cast<float>(by);
    }
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

/// Two layers, one after the other. `between` is scratch like `known`, zero in the padding.
inline void extrapolate_two_layers(const FlipGrid& grid, Array<float>& value, Array<signed char>& known,
                                   Array<signed char>& between) {
  launch_cells(grid.cells, ExtrapolateFaces{grid, known.const_view(), value.view(), between.view()});
  launch_cells(grid.cells, ExtrapolateFaces{grid, between.const_view(), value.view(), known.view()});
}

/// Where the velocity of a face is that of in the mean, of particles evenly spread in front of a wall: at a
/// distance [cells] from the wall, for a face that lies s cells in front of it (behind it: s < 0).
/// s + 0.18 (1.5 - s)^2 is the centre of the quadratic B-spline's part in front of the wall, to 0.03.
MERGANSER_FN float centre_before_wall(float s) { return s + 0.18f * (1.5f - s) * (1.5f - s); }

/// Faces behind walls: the velocity across the wall becomes the wall's. Only for closed faces that have a
/// value.
///
/// `one_sided`, for walls across the axis: velocities on faces are means of particles, those of faces at a
/// wall of particles in front of it only (FLIP; APIC extends every particle's velocity to the face). In water
/// that sinks towards a floor they sink too, so taking them for the velocity at the wall threw particles off
/// the floor, and those that rose there the floor did not take back: in sloshing water the layer at the wall
/// became empty. The velocity at the wall is taken from the line through the last face before the first
/// one half a cell in front of the wall and that one, by centre_before_wall(); the change goes on behind the
/// wall as the line through that of the wall and that in front, so that particles at the wall get the wall's.
template <class Shapes>
struct ConstrainClosedFaces {
  static constexpr const char* name = "flip closed faces";
  FlipGrid grid;
  Shapes walls;
  bool still;  ///< walls count as being at rest
  bool one_sided;
  int axis;
  FaceViews<const float> open, u;
  FaceViews<const signed char> known;
  FaceViews<float> change;

  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    if (open.axis[axis][f] > 0 || !known.axis[axis][f]) return;
    const NearestWall wall = nearest_wall(walls, grid.face_centre(axis, x, y, z));
    const float n = component(wall.normal, axis);
    const float own = u.axis[axis][f] + change.axis[axis][f];
    if (one_sided && fabsf(n) > 0.99f && follow_profile(f, axis == 0 ? x : axis == 1 ? y : z, wall)) return;
    float across = n * own - (still ? 0.0f : wall.normal_speed);
    for (int other = 0; other < 3; ++other)
      if (other != axis) across += component(wall.normal, other) * mean_around(f, other);
    change.axis[axis][f] = own - n * across - u.axis[axis][f];
  }

 private:
  /// True where the change of face f, at `place` along the axis, has been written.
  MERGANSER_METHOD bool follow_profile(int f, int place, const NearestWall& wall) const {
    const float n = component(wall.normal, axis), from = wall.distance * grid.inverse_dx;
    const int side = n > 0 ? 1 : -1, out = side * grid.stride(axis);
    const int cells = axis == 0 ? grid.cells.x : axis == 1 ? grid.cells.y : grid.cells.z;
    int steps = 0;  // to the first face that is half a cell in front of the wall, but for rounding
    while (steps < 3 && from + static_cast<float>(steps) < 0.499f) ++steps;
    const int there = place + side * steps;
    if (steps == 0 || steps == 3 || there < 1 || there > cells) return false;
    const int front = f + steps * out, last = front - out;
    if (!(open.axis[axis][front] > 0) || !known.axis[axis][front] || !known.axis[axis][last]) return false;
    const float to = from + static_cast<float>(steps);
    const float at_last = centre_before_wall(to - 1), at_front = centre_before_wall(to);
    const float u_last = u.axis[axis][last], u_front = u.axis[axis][front];
    const float u_wall = u_last - at_last * (u_front - u_last) / (at_front - at_last);
    const float change_wall = (still ? 0.0f : n * wall.normal_speed) - u_wall;
    change.axis[axis][f] = change_wall + from / to * (change.axis[axis][front] - change_wall);
    return true;
  }
  /// Mean of another component over the four faces around this one.
  MERGANSER_METHOD float mean_around(int f, int other) const {
    const int back = grid.stride(axis), up = grid.stride(other);
    float sum = 0;
    for (int at : {f, f - back, f + up, f - back + up}) sum += u.axis[other][at] + change.axis[other][at];
    return 0.25f * sum;
  }
};

MERGANSER_END
