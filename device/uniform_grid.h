#pragma once
/// Uniform grid for neighbor search in an unbounded domain.
///
/// Space is cut into cubic cells. Cell (cx, cy, cz) belongs to bucket (cx mod nx, cy mod ny, cz mod nz), so a
/// particle that flies far away shares a bucket with others and costs no memory; the distance test drops what
/// only shares the bucket. Every axis has at least 2 reach + 2 buckets, so the cells around a particle never
/// share one. The buckets of a row along x are consecutive: a query walks (2 reach + 1)^2 short contiguous
/// ranges. On a periodic axis the buckets divide the period exactly, and a query that wraps is shifted by it.
#include <climits>

#include "device/array.h"
#include "device/bounds.h"
#include "device/cell_walk.h"
#include "device/fast_math.h"
#include "device/reduce.h"
#include "device/scan.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// The cut of space into cells. Periodic axes have period > 0 and cover [origin, origin + period).
struct GridShape {
  Vec3 inverse_cell{1, 1, 1};  ///< [1/m] per axis; equal on all axes that are not periodic
  Int3 buckets{4, 4, 4};       ///< per axis; powers of two where not periodic
  Vec3 period{0, 0, 0};        ///< [m], 0 = not periodic
  Vec3 origin{0, 0, 0};        ///< [m] lower corner of the periodic domain
  int reach = 1;               ///< cells a query looks out on each side; radius <= reach * cell

  MERGANSER_METHOD static int axis_cell(float x, float inverse_cell) {
    // No fminf, fmaxf: the CPU's compiler calls the library for them. NaN goes to the lower bound and is
    // reported elsewhere.
    const float c = floorf(x * inverse_cell);
    return static_cast<int>(c > -1.0e9f ? c < 1.0e9f ? c : 1.0e9f : -1.0e9f);
  }
  MERGANSER_METHOD static int axis_bucket(int cell, int buckets, bool periodic) {
    if (!periodic) return cell & (buckets - 1);
    return cell < 0 ? cell + buckets : cell >= buckets ? cell - buckets : cell;
  }
  MERGANSER_METHOD static int clamp_cell(int cell, int buckets, bool periodic) {
    return !periodic ? cell : cell < 0 ? 0 : cell >= buckets ? buckets - 1 : cell;
  }
  MERGANSER_METHOD Int3 cell(const Vec3& x) const {
    return {clamp_cell(axis_cell(x.x - origin.x, inverse_cell.x), buckets.x, period.x > 0),
            clamp_cell(axis_cell(x.y - origin.y, inverse_cell.y), buckets.y, period.y > 0),
            clamp_cell(axis_cell(x.z - origin.z, inverse_cell.z), buckets.z, period.z > 0)};
  }
  MERGANSER_METHOD int bucket(const Int3& c) const {
    return axis_bucket(c.x, buckets.x, period.x > 0) +
           buckets.x * (axis_bucket(c.y, buckets.y, period.y > 0) +
                        buckets.y * axis_bucket(c.z, buckets.z, period.z > 0));
  }
  MERGANSER_METHOD int bucket_count() const { return buckets.x * buckets.y * buckets.z; }
};

/// Data of queries. Sorted index j runs over particles in bucket order; `order[j]` is the particle's index
/// in the arrays the grid was built from (equal to j once the owner has permuted its particles by it).
struct UniformGridView {
  GridShape shape;
  View<const int> bucket_start;  ///< bucket_count + 1
  View<const int> order;
  View<const Vec3> position;  ///< [m] in bucket order

  /// Calls visit(begin, end, query) for every contiguous range of sorted indices that may hold particles
  /// within `radius` of x; `query` is x shifted by the period where the range is reached across a periodic
  /// border.
  template <class Visit>
  MERGANSER_METHOD void for_each_range(const Vec3& x, float radius, const Visit& visit) const {
    const Int3 c = shape.cell(x);
    const float radius2 = radius * radius * 1.000001f;
    const float cell_y = 1.0f / shape.inverse_cell.y, cell_z = 1.0f / shape.inverse_cell.z;
    for (int dz = -shape.reach; dz <= shape.reach; ++dz) {
      const float gap_z = axis_gap(x.z - shape.origin.z, c.z + dz, cell_z, dz);
      float shift_z = 0;
      const int bz = wrap(c.z + dz, shape.buckets.z, shape.period.z, shift_z);
      for (int dy = -shape.reach; dy <= shape.reach; ++dy) {
        const float gap_y = axis_gap(x.y - shape.origin.y, c.y + dy, cell_y, dy);
        const float rest = radius2 - gap_y * gap_y - gap_z * gap_z;
        if (rest < 0) continue;
        float shift_y = 0;
        const int by = wrap(c.y + dy, shape.buckets.y, shape.period.y, shift_y);
        const float half_width = fast_square_root(rest);
        int first = GridShape::axis_cell(x.x - shape.origin.x - half_width, shape.inverse_cell.x);
        int last = GridShape::axis_cell(x.x - shape.origin.x + half_width, shape.inverse_cell.x);
        first = first < c.x - shape.reach ? c.x - shape.reach : first;
        last = last > c.x + shape.reach ? c.x + shape.reach : last;
        const int row = shape.buckets.x * (by + shape.buckets.y * bz);
        const Vec3 query{x.x, x.y - shift_y, x.z - shift_z};
        visit_row(row, first, last, query, visit);
      }
    }
  }

  /// The same for all particles of cells (c.x - reach .. c.x + reach, c.y + dy, c.z + dz), c the cell of x,
  /// without a look at distances.
  template <class Visit>
  MERGANSER_METHOD void for_each_range_of_row(const Vec3& x, const Int3& c, int dy, int dz,
                                              const Visit& visit) const {
    float shift_y = 0, shift_z = 0;
    const int bz = wrap(c.z + dz, shape.buckets.z, shape.period.z, shift_z);
    const int by = wrap(c.y + dy, shape.buckets.y, shape.period.y, shift_y);
    visit_row(shape.buckets.x * (by + shape.buckets.y * bz), c.x - shape.reach, c.x + shape.reach,
              {x.x, x.y - shift_y, x.z - shift_z}, visit);
  }

  /// Calls visit(j, x - x_j, |x - x_j|^2) for every sorted index j with |x - x_j| < radius, the particle at x
  /// itself included, always in the same order.
  template <class Visit>
  MERGANSER_METHOD void for_each_neighbor(const Vec3& x, float radius, const Visit& visit) const {
    const float radius2 = radius * radius;
    for_each_range(x, radius, [&](int begin, int end, const Vec3& query) {
      const auto look = [&](int j) {
        const Vec3 d = query - position.data[j];
        const float r2 = norm_squared(d);
        if (r2 < radius2) visit(j, d, r2);
      };
#if !MERGANSER_GPU_HALF
      for (; begin < end && begin + lane_count <= position.count; begin += lane_count)
        for (unsigned bits = bits_near(query, position.data + begin, radius2 * candidate_share) &
                             bits_of_first_lanes(end - begin < lane_count ? end - begin : lane_count);
             bits != 0; bits &= bits - 1)
          look(begin + __builtin_ctz(bits));
#endif
      for (int j = begin; j < end; ++j) look(j);
    });
  }

 private:
  /// Distance from coordinate x to the slab of cell `cell`, rounded down a little; 0 inside.
  MERGANSER_METHOD static float axis_gap(float x, int cell, float width, int offset) {
    if (offset == 0) return 0;
    const float gap =
        offset > 0 ? static_cast<float>(cell) * width - x : x - static_cast<float>(cell + 1) * width;
    const float safe = gap - 1e-5f * width - 1e-6f * fabsf(x);
    return safe > 0 ? safe : 0;
  }
  MERGANSER_METHOD static int wrap(int cell, int buckets, float period, float& shift) {
    if (!(period > 0)) return cell & (buckets - 1);
    if (cell < 0) return shift = -period, cell + buckets;
    if (cell >= buckets) return shift = period, cell - buckets;
    return cell;
  }
  template <class Visit>
  MERGANSER_METHOD void visit_row(int row, int first, int last, Vec3 query, const Visit& visit) const {
    const float x = query.x;
#if MERGANSER_GPU_HALF
    // One call of `visit` in a loop, for a compiler puts a copy of what it does at every call.
#if MERGANSER_COMPILED_BY_NVCC
#pragma unroll 1
#endif
    for (int cell = first; cell <= last;) {
      float shift = 0;
      const int bucket = wrap(cell, shape.buckets.x, shape.period.x, shift);
      const int wanted = last - cell + 1, left = shape.buckets.x - bucket;
      const int cells = wanted < left ? wanted : left;
      query.x = x - shift;
      visit(bucket_start[row + bucket], bucket_start[row + bucket + cells], query);
      cell += cells;
    }
#else
    float shift_first = 0, shift_last = 0;
    const int bucket_first = wrap(first, shape.buckets.x, shape.period.x, shift_first);
    const int bucket_last = wrap(last, shape.buckets.x, shape.period.x, shift_last);
    if (bucket_first <= bucket_last) {
      query.x = x - shift_first;
      visit(bucket_start[row + bucket_first], bucket_start[row + bucket_last + 1], query);
    } else {
      query.x = x - shift_first;
      visit(bucket_start[row + bucket_first], bucket_start[row + shape.buckets.x], query);
      query.x = x - shift_last;
      visit(bucket_start[row], bucket_start[row + bucket_last + 1], query);
    }
#endif
  }
};

class UniformGrid {
 public:
  /// Periodic axes (0 = none) for all later builds; [origin, origin + period) must hold the particles.
  void set_periodic(Vec3 origin, Vec3 period);
  /// Sorts particles into buckets: particles of one bucket keep their order. `radius` [m] is the largest
  /// query radius; cells are radius / reach wide. Reads the bounds of the positions back to choose the
  /// buckets. Throws InputError where a period is shorter than 2 reach + 1 cells.
  void build(View<const Vec3> position, float radius, int reach = 1);
  /// The same with the box around the positions, where the host knows it: does not wait.
  void build(View<const Vec3> position, const Bounds& bounds, float radius, int reach = 1);
  /// order() alone, 12 bytes a particle less: for an owner that permutes its particles by it, and calls
  /// use_permuted() before queries.
  void build_order(View<const Vec3> position, float radius, int reach = 1);
  void build_order(View<const Vec3> position, const Bounds& bounds, float radius, int reach = 1);
  /// After the owner has permuted its particles by order(): queries use the owner's positions, and order is
  /// the identity.
  void use_permuted(View<const Vec3> position);
  UniformGridView view() const;
  View<const int> order() const { return order_.view(); }
  const Bounds& bounds() const { return bounds_; }  ///< of the positions at the last build

 private:
  Bounds bounds_of(View<const Vec3> position);  ///< blocking
  /// Cells and buckets for `count` particles within bounds_.
  void choose_shape(int count, float radius, int reach);

  GridShape shape_;
  Bounds bounds_{};
  Reduction<Bounds> bounds_reduction_;
  Array<int> bucket_of_, bucket_start_, filled_, order_;
  Array<Vec3> position_;
  View<const Vec3> permuted_;
  Scratch scratch_;
};

MERGANSER_END
