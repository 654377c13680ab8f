#pragma once
/// Neighbor lists in compressed rows: row i holds neighbor[first[i]] ... neighbor[first[i + 1] - 1],
/// ascending.
///
/// For what is needed more than once: bonds at rest, families of a solid, contact candidates. A loop that
/// needs its neighbors once per step asks the grid directly.
#include "device/array.h"
#include "device/launch.h"
#include "device/scan.h"
#include "device/small_sort.h"
#include "device/uniform_grid.h"

MERGANSER_BEGIN

struct NeighborListView {
  View<const int> first;     ///< one more than rows
  View<const int> neighbor;  ///< indices in the arrays that the grid was built from
  MERGANSER_METHOD int row_count() const { return first.count > 0 ? first.count - 1 : 0; }
  MERGANSER_METHOD int size(int row) const { return first[row + 1] - first[row]; }
};

/// Keeps every pair but a particle with itself.
struct EveryOtherParticle {
  MERGANSER_METHOD bool operator()(int i, int j, const Vec3&, float) const { return i != j; }
};

template <class Keep>
struct CountListed {
  static constexpr const char* name = "neighbor list count";
  UniformGridView grid;
  View<const Vec3> query;  ///< [m]
  float radius;            ///< [m]
  Keep keep;
  View<int> count;  ///< written
  MERGANSER_METHOD void operator()(int i) const {
    int n = 0;
    grid.for_each_neighbor(query[i], radius, [&](int j, const Vec3& d, float r2) {
      if (keep(i, grid.order[j], d, r2)) ++n;
    });
    count[i] = n;
  }
};

template <class Keep>
struct FillListed {
  static constexpr const char* name = "neighbor list fill";
  UniformGridView grid;
  View<const Vec3> query;  ///< [m]
  float radius;            ///< [m]
  Keep keep;
  View<const int> first;
  View<int> neighbor;  ///< row i written
  MERGANSER_METHOD void operator()(int i) const {
    int at = first[i];
    grid.for_each_neighbor(query[i], radius, [&](int j, const Vec3& d, float r2) {
      if (keep(i, grid.order[j], d, r2)) neighbor[at++] = grid.order[j];
    });
    sort_ascending(neighbor.data + first[i], at - first[i]);
  }
};

class NeighborList {
 public:
  /// One row per query point: the grid's particles within `radius` [m] for which keep(i, j, x_i - x_j, |x_i -
  /// x_j|^2) is true; i is the row, j the particle. `radius` must not exceed the one the grid was built for.
  /// Blocking: the number of entries is read back. Throws DeviceError beyond 2,147,483,647 entries.
  template <class Keep = EveryOtherParticle>
  void build(const UniformGridView& grid, View<const Vec3> query, float radius, const Keep& keep = {}) {
    first_.resize(query.count + 1);
    const View<int> counts = first_.view().subview(0, query.count);
    launch(query.count, CountListed<Keep>{grid, query, radius, keep, counts});
    make_rows();
    launch(query.count, FillListed<Keep>{grid, query, radius, keep, first_.const_view(), neighbor_.view()});
  }
  NeighborListView view() const { return {first_.view(), neighbor_.view()}; }
  /// Hands the rows to arrays of the caller; the list is empty then.
  void move_to(Array<int>& first, Array<int>& neighbor) {
    first_.swap(first);
    neighbor_.swap(neighbor);
    first_.release();
    neighbor_.release();
  }
  int entry_count() const { return neighbor_.size(); }

 private:
  /// Counts in first_ -> starts of the rows, and room for the entries.
  void make_rows();

  Array<int> first_, neighbor_;
  Reduction<long long> total_;
  Scratch scratch_;
};

MERGANSER_END
