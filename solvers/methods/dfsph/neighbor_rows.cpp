#include "solvers/methods/dfsph/neighbor_rows.h"

#include <limits>

#include "device/cell_walk.h"
#include "device/launch.h"
#include "device/sum_of.h"

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
/// The first particle of each cell works for the whole cell: it copies the candidates within reach of the
/// cell's particles side by side, and every particle tests eight of them at a time and writes those that are
/// neighbors by one store.
struct FillRows {
  static constexpr const char* name = "dfsph neighbors";
  UniformGridView grid;
  float radius;  ///< [m]
  NeighborRowsView rows;

  void operator()(int i) const {
    const Int3 cell = cell_of(i);
    if (i > 0 && cell_of(i - 1) == cell) return;  // another particle works for this cell
    int end = i + 1;
    const Vec3 x = grid.position[i];
    CellBox box;
    box.take_in(x);
    for (; end < grid.position.count && cell_of(end) == cell; ++end) box.take_in(grid.position[end]);
    const float reach2 = radius * radius * candidate_share;
    for (int k = i; k < end; ++k) rows.length[k] = 0;
    static thread_local Candidates candidates;
    candidates.held = 0;
    candidates.first = candidates.last = i;
    grid.for_each_range(x, 1e15f, [&](int begin, int stop, const Vec3& query) {
      candidates.first = std::min(candidates.first, begin);
      candidates.last = std::max(candidates.last, stop - 1);
      const Vec3 shift = x - query;
      for (int j = begin; j < stop;) {
        if (candidates.held > Candidates::capacity - lane_count) append(candidates, i, end);
        j += candidates.take(grid.position, j, stop, shift, box, reach2);
      }
    });
    append(candidates, i, end);
    for (int k = i; k < end; ++k) fill_up(k);
  }

 private:
  struct alignas(64) Candidates {
    static constexpr int capacity = 1024;
    float x[capacity], y[capacity], z[capacity];
    int index[capacity];
    int held;
    int first, last;  ///< none of `index` is less or greater

    void set(int at, const Vec3& position, int particle) {
      x[at] = position.x, y[at] = position.y, z[at] = position.z, index[at] = particle;
    }
    /// Those of the particles from j on that are near the box, up to eight and before `stop`; returns how
    /// many were looked at.
    int take(View<const Vec3> position, int j, int stop, const Vec3& shift, const CellBox& box,
             float reach2) {
      if (j + lane_count > position.count) {
        const Vec3 one = position[j] + shift;
        set(held, one, j);
        held += box.distance_squared(one) < reach2;
        return 1;
      }
      const Vector3<Float8> eight = load_vectors(position.data + j) + broadcast(shift);
      const int count = std::min(stop - j, lane_count);
      const unsigned bits = bits_where_less(box.distance_squared(eight), reach2) & bits_of_first_lanes(count);
      store_lanes(x + held, eight.x, bits);
      store_lanes(y + held, eight.y, bits);
      store_lanes(z + held, eight.z, bits);
      store_lanes(index + held, j + Int8{0, 1, 2, 3, 4, 5, 6, 7}, bits);
      held += __builtin_popcount(bits);
      return count;
    }
    /// Up to a multiple of eight with what is near nothing.
    void fill_up() {
      for (; held % lane_count != 0; ++held) set(held, {3e18f, 0, 0}, first);
    }
  };

  Int3 cell_of(int i) const { return grid.shape.cell(grid.position[i]); }
  /// Appends the neighbors among the candidates to the rows of particles [first, end); none are held then.
  void append(Candidates& candidates, int first, int end) const {
    candidates.fill_up();
    const float radius2 = radius * radius;
    const bool fit = !rows.near || (candidates.last - first <= std::numeric_limits<short>::max() &&
                                    candidates.first - end >= std::numeric_limits<short>::min());
    for (int i = first; i < end; ++i) {
      const Vector3<Float8> x = broadcast(grid.position[i]);
      int length = rows.length[i];
      for (int c = 0; c < candidates.held; c += lane_count) {
        const Vector3<Float8> d{x.x - load_lanes(candidates.x + c), x.y - load_lanes(candidates.y + c),
                                x.z - load_lanes(candidates.z + c)};
        const unsigned bits = bits_where_less(norm_squared(d), radius2);
        if (bits == 0) continue;
        if (fit && length + lane_count <= rows.room)
          length += append_eight(i, length, candidates.index + c, bits);
        else
          length = append_one_by_one(i, length, candidates.index + c, bits);
      }
      rows.length[i] = length;
    }
    candidates.held = 0;
  }
  /// Writes eight entries from `length` on, first those of `bits` but i; returns how many they are.
  int append_eight(int i, int length, const int* index, unsigned bits) const {
    Int8 distance;
    std::memcpy(&distance, index, sizeof distance);
    distance -= i;
    bits &= ~bits_where_zero(distance);
    if (rows.near) {
      typedef short Short8 __attribute__((vector_size(16)));
      const Short8 entries = __builtin_convertvector(set_lanes_first(distance, bits), Short8);
      std::memcpy(rows.near + rows.place(i, length), &entries, sizeof entries);
    } else {
      store_lanes(rows.far + rows.place(i, length), distance, bits);
    }
    return __builtin_popcount(bits);
  }
  /// The length of the row with those of `bits` but i, of which it holds as many as it has room for.
  int append_one_by_one(int i, int length, const int* index, unsigned bits) const {
    for (; bits != 0; bits &= bits - 1) {
      const int j = index[__builtin_ctz(bits)];
      if (j == i) continue;
      if (length < rows.room && !rows.set(i, length, j)) length += NeighborRowsView::too_far;
      ++length;
    }
    return length;
  }
  void fill_up(int i) const {
    for (int k = rows.length[i]; k < rows.room && k % lane_count != 0; ++k) rows.set(i, k, i);
  }
};
#endif

struct AppendFurther {
  static constexpr const char* name = "dfsph further neighbors";
  FurtherNeighbors further;
  View<const Vec3> position;  ///< [m]
  float radius;               ///< [m]
  NeighborRowsView rows;
  View<int> first_further;  ///< written

  MERGANSER_METHOD void operator()(int i) const {
    int held = rows.length[i];
    first_further[i] = held;
    if (!further.seen.any(i)) return;
    further.grid.for_each_neighbor(position[i], radius, [&](int k, const Vec3&, float) {
      if (held < rows.room && !rows.set(i, held, position.count + k)) held += NeighborRowsView::too_far;
      ++held;
    });
    rows.length[i] = held;
#if !MERGANSER_GPU_HALF
    for (int k = held; k < rows.room && k % lane_count != 0; ++k) rows.set(i, k, i);
#endif
  }
};

}  // namespace

void NeighborRows::build(const UniformGridView& grid, float radius, const FurtherNeighbors& further) {
  const int count = grid.position.count;
  length_.resize(count);
  first_further_.resize(further.count > 0 ? count : 0);
  constexpr int warp = NeighborRowsView::warp;
  for (;;) {
    const size_t entries = (size_t(count) + warp - 1) / warp * warp * size_t(room_);
    if (wide_)
      far_.reserve(entries);
    else
      near_.reserve(entries);
    launch(count, FillRows{grid, radius, view()});
    if (further.count > 0)
      launch(count, AppendFurther{further, grid.position, radius, view(), first_further_.view()});
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
