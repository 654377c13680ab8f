#pragma once
/// The box of cells that a FLIP fluid solves on, and the walks over particles near its faces.
///
/// Cell c of the lattice covers [c dx, (c + 1) dx); the lattice is fixed in space and is also that of the
/// UniformGrid in which the particles are sorted. The box has padded coordinates (RedBlackBox): cell (1, 1,
/// 1) is lattice cell `low`. Arrays by flat index; face arrays hold the face below the cell along their axis.
#include "device/uniform_grid.h"
#include "solvers/linear/multigrid/red_black_box.h"
#include "solvers/methods/flip/flip_parameters.h"

MERGANSER_BEGIN

MERGANSER_FN float component(const Vec3& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

struct FlipGrid {
  RedBlackBox box;
  Int3 low{0, 0, 0}, cells{0, 0, 0};
  float dx = 1, inverse_dx = 1;  ///< [m], [1/m]

  MERGANSER_METHOD int flat(int x, int y, int z) const { return box.flat(x, y, z); }
  int inner_cells() const { return cells.x * cells.y * cells.z; }
  /// The cell of number k among those of the box.
  MERGANSER_METHOD Int3 inner_cell(int k) const {
    return {k % cells.x + 1, k / cells.x % cells.y + 1, k / (cells.x * cells.y) + 1};
  }
  MERGANSER_METHOD int stride(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? box.stride_y() : box.stride_z();
  }
  /// Lattice cell of padded coordinates.
  MERGANSER_METHOD Int3 lattice(int x, int y, int z) const {
    return {x + low.x - 1, y + low.y - 1, z + low.z - 1};
  }
  /// [m] the cell's lower corner.
  MERGANSER_METHOD Vec3 corner(int x, int y, int z) const {
    const Int3 c = lattice(x, y, z);
    return {static_cast<float>(c.x) * dx, static_cast<float>(c.y) * dx, static_cast<float>(c.z) * dx};
  }
  /// [m]
  MERGANSER_METHOD Vec3 centre(int x, int y, int z) const {
    return corner(x, y, z) + Vec3{0.5f * dx, 0.5f * dx, 0.5f * dx};
  }
  /// [m] the middle of the cell's lower face.
  MERGANSER_METHOD Vec3 face_centre(int axis, int x, int y, int z) const {
    const float half = 0.5f * dx;
    return corner(x, y, z) + Vec3{axis == 0 ? 0 : half, axis == 1 ? 0 : half, axis == 2 ? 0 : half};
  }
  /// True where all faces within reach of a particle's kernel are in the box.
  MERGANSER_METHOD bool holds(const Int3& c) const {
    return c.x >= low.x + 1 && c.y >= low.y + 1 && c.z >= low.z + 1 && c.x < low.x + cells.x - 2 &&
           c.y < low.y + cells.y - 2 && c.z < low.z + cells.z - 2;
  }
};

/// Quadratic B-spline of the distance in cells; its shifts by 1 add up to 1 and reproduce linear functions.
MERGANSER_FN float quadratic_spline(float t) {
  t = fabsf(t);
  const float rest = 1.5f - t;
  return t < 0.5f ? 0.75f - t * t : rest > 0 ? 0.5f * rest * rest : 0.0f;
}
/// Weight of a particle at x for a point of the grid.
MERGANSER_FN float kernel_weight(const Vec3& x, const Vec3& point, float inverse_dx) {
  return quadratic_spline((x.x - point.x) * inverse_dx) * quadratic_spline((x.y - point.y) * inverse_dx) *
         quadratic_spline((x.z - point.z) * inverse_dx);
}

/// Calls visit(j) for every sorted particle j in the lattice cells from `first` to `last`, in a fixed order.
/// Cells far away may share a bucket with these, so visit() must look at the position.
template <class Visit>
MERGANSER_FN void for_each_particle_in(const UniformGridView& particles, const Int3& first, const Int3& last,
                                       const Visit& visit) {
  for (int z = first.z; z <= last.z; ++z)
    for (int y = first.y; y <= last.y; ++y) {
      const int begin = particles.shape.bucket({first.x, y, z}), end = particles.shape.bucket({last.x, y, z});
      const int* start = particles.bucket_start.data;
      if (begin <= end) {
        for (int j = start[begin]; j < start[end + 1]; ++j) visit(j);
      } else {
        const int row = begin - (first.x & (particles.shape.buckets.x - 1));
        for (int j = start[begin]; j < start[row + particles.shape.buckets.x]; ++j) visit(j);
        for (int j = start[row]; j < start[end + 1]; ++j) visit(j);
      }
    }
}
/// The same for all particles whose bucket is in the row of lattice cells (., y, z).
template <class Visit>
MERGANSER_FN void for_each_particle_in_row(const UniformGridView& particles, int y, int z,
                                           const Visit& visit) {
  const int row = particles.shape.bucket({0, y, z}), *start = particles.bucket_start.data;
  for (int j = start[row]; j < start[row + particles.shape.buckets.x]; ++j) visit(j);
}
/// The same for particles whose kernel may reach the middle of a cell's lower face.
template <class Visit>
MERGANSER_FN void for_each_particle_near_face(const UniformGridView& particles, int axis, const Int3& c,
                                              const Visit& visit) {
  const Int3 first{c.x - (axis == 0 ? 2 : 1), c.y - (axis == 1 ? 2 : 1), c.z - (axis == 2 ? 2 : 1)};
  for_each_particle_in(particles, first, {c.x + 1, c.y + 1, c.z + 1}, visit);
}

/// The sorted particles of the fluids that are solved together. Their grids have the same cells.
struct FlipFluids {
  static constexpr int most = most_flip_fluids;
  UniformGridView of[most];
  int count = 0;
  FlipFluids() = default;
  explicit FlipFluids(const UniformGridView& fluid) : of{fluid}, count(1) {}
};
/// visit(x_j) for the particles of all of them, else as for_each_particle_in().
template <class Visit>
MERGANSER_FN void for_each_position_in(const FlipFluids& fluids, const Int3& first, const Int3& last,
                                       const Visit& visit) {
  for (int k = 0; k < fluids.count; ++k)
    for_each_particle_in(fluids.of[k], first, last, [&](int j) { visit(fluids.of[k].position.data[j]); });
}

/// The three components on the faces of a staggered grid.
template <class T>
struct FaceViews {
  View<T> axis[3];
};
template <class T>
struct FaceArrays {
  Array<T> axis[3];
  void resize(int count) {
    for (Array<T>& a : axis) {
      a.resize(count);
      a.zero();
    }
  }
  FaceViews<T> view() { return {{axis[0].view(), axis[1].view(), axis[2].view()}}; }
  FaceViews<const T> const_view() const {
    return {{axis[0].const_view(), axis[1].const_view(), axis[2].const_view()}};
  }
};

MERGANSER_END
