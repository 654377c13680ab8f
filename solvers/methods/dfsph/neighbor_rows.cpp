#include "solvers/methods/dfsph/neighbor_rows.h"

#include "device/launch.h"
#include "device/sum_of.h"

#if !MERGANSER_GPU_HALF && defined(__AVX__)
#include <immintrin.h>
#endif

MERGANSER_BEGIN

namespace {

struct RowLength {
  static constexpr const char* name = "dfsph longest row";
  View<const int> length;
  MERGANSER_METHOD int operator()(int i) const { return length[i]; }
};

#if MERGANSER_GPU_HALF
struct FillRows {
  static constexpr const char* name = "dfsph neighbors";
  UniformGridView grid;
  float radius;  ///< [m]
  NeighborRowsView rows;

  MERGANSER_METHOD void operator()(int i) const {
    int held = 0;
    grid.for_each_neighbor(grid.position[i], radius, [&](int j, const Vec3&, float) {
      if (j == i) return;
      if (held < rows.room && !rows.set(i, held, j)) held += NeighborRowsView::too_far;
      ++held;
    });
    rows.length[i] = held;
  }
};
#else
/// One bit a lane: the lane of `a` is less than that of b.
inline unsigned bits_where_less(Float8 a, float b) {
#if defined(__AVX__)
  return unsigned(_mm256_movemask_ps(reinterpret_cast<__m256>(a < b)));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < lane_count; ++lane) bits |= unsigned(a[lane] < b) << lane;
  return bits;
#endif
}

/// The first particle of each cell works for the whole cell: it copies the candidates within reach of the
/// cell's particles side by side, and every particle tests eight of them at a time.
struct FillRows {
  static constexpr const char* name = "dfsph neighbors";
  UniformGridView grid;
  float radius;  ///< [m]
  NeighborRowsView rows;

  void operator()(int i) const {
    const Int3 cell = cell_of(i);
    if (i > 0 && cell_of(i - 1) == cell) return;  // another particle works for this cell
    int end = i + 1;
    Vec3 low = grid.position[i], high = low;
    for (; end < grid.position.count && cell_of(end) == cell; ++end) {
      const Vec3 x = grid.position[end];
      low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
      high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
    }
    for (int k = i; k < end; ++k) rows.length[k] = 0;
    const float reach2 = radius * radius * 1.00001f;
    const Vec3 x = grid.position[i];
    static thread_local Candidates candidates;
    int held = 0;
    grid.for_each_range(x, 1e15f, [&](int begin, int stop, const Vec3& query) {
      const Vec3 shift = x - query;
      for (int j = begin; j < stop; ++j) {
        const Vec3 y = grid.position[j] + shift;
        const float gap_x = outside(y.x, low.x, high.x), gap_y = outside(y.y, low.y, high.y),
                    gap_z = outside(y.z, low.z, high.z);
        candidates.set(held, y, j);
        held += gap_x * gap_x + gap_y * gap_y + gap_z * gap_z < reach2;
        if (held == Candidates::capacity) {
          append(candidates, held, i, end);
          held = 0;
        }
      }
    });
    for (; held % lane_count != 0; ++held) candidates.set(held, {3e18f, 0, 0}, i);
    append(candidates, held, i, end);
    for (int k = i; k < end; ++k) fill_up(k);
  }

 private:
  struct alignas(64) Candidates {
    static constexpr int capacity = 1024;
    float x[capacity], y[capacity], z[capacity];
    int index[capacity];
    void set(int at, const Vec3& position, int particle) {
      x[at] = position.x, y[at] = position.y, z[at] = position.z, index[at] = particle;
    }
  };

  Int3 cell_of(int i) const { return grid.shape.cell(grid.position[i]); }
  static float outside(float x, float low, float high) {
    const float below = low - x, above = x - high;
    const float gap = below > above ? below : above;
    return gap > 0 ? gap : 0;
  }
  /// Appends the neighbors among the candidates to the rows of particles [first, end).
  void append(const Candidates& candidates, int held, int first, int end) const {
    const float radius2 = radius * radius;
    for (int i = first; i < end; ++i) {
      const Vector3<Float8> x = broadcast(grid.position[i]);
      int length = rows.length[i];
      bool fits = true;
      for (int c = 0; c < held; c += lane_count) {
        const Vector3<Float8> d{x.x - load_lanes(candidates.x + c), x.y - load_lanes(candidates.y + c),
                                x.z - load_lanes(candidates.z + c)};
        for (unsigned bits = bits_where_less(norm_squared(d), radius2); bits != 0; bits &= bits - 1) {
          const int j = candidates.index[c + __builtin_ctz(bits)];
          if (length < rows.room) fits &= rows.set(i, length, j);
          length += j != i;
        }
      }
      rows.length[i] = fits ? length : length + NeighborRowsView::too_far;
    }
  }
  void fill_up(int i) const {
    for (int k = rows.length[i]; k < rows.room && k % lane_count != 0; ++k) rows.set(i, k, i);
  }
};
#endif

}  // namespace

void NeighborRows::build(const UniformGridView& grid, float radius) {
  const int count = grid.position.count;
  length_.resize(count);
  constexpr int warp = NeighborRowsView::warp;
  for (;;) {
    const size_t entries = (size_t(count) + warp - 1) / warp * warp * size_t(room_);
    if (wide_)
      far_.reserve(entries);
    else
      near_.reserve(entries);
    launch(count, FillRows{grid, radius, view()});
    longest_.run(count, maximum_of(RowLength{length_.const_view()}));
    const int longest = longest_.read();
    if (longest <= room_) return;
    if (longest >= NeighborRowsView::too_far) {
      wide_ = true;
      near_.release();
    } else {
      room_ = (longest + longest / 8 + 15) / 16 * 16;
    }
  }
}

MERGANSER_END
