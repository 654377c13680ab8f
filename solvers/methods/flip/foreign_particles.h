#pragma once
/// Particles of other systems in the box of a FLIP fluid ([MS] sec. 6.2: cells that any particle occupies
/// count).
#include <algorithm>
#include <vector>

#include "device/compact.h"
#include "device/particle_store.h"
#include "solvers/methods/flip/flip_grid.h"

MERGANSER_BEGIN

/// 1 for particles in the box's cells, but for those of bodies that wait for their start and of some ranges.
struct FlagForeign {
  static constexpr const char* name = "flip flag foreign";
  FlipGrid grid;
  GridShape lattice;
  View<const Vec3> position;
  View<const int> system;
  View<const Range> without;
  View<int> flag;
  MERGANSER_METHOD void operator()(int i) const {
    for (int k = 0; k < without.count; ++k)
      if (without[k].contains(i)) {
        flag[i] = 0;
        return;
      }
    const Int3 c = lattice.cell(position[i]), low = grid.low, n = grid.cells;
    flag[i] = system[i] >= 0 && c.x >= low.x && c.y >= low.y && c.z >= low.z && c.x < low.x + n.x &&
              c.y < low.y + n.y && c.z < low.z + n.z;
  }
};

struct GatherForeign {
  static constexpr const char* name = "flip gather foreign";
  View<const Vec3> from;
  View<const int> index;
  View<Vec3> to;
  MERGANSER_METHOD void operator()(int k) const { to[k] = from[index[k]]; }
};

/// Finds and sorts them; view() has no buckets where there are none.
class ForeignParticles {
 public:
  /// `without`: ranges of the store that do not count.
  void find(const ParticleStore& store, const FlipGrid& grid, const GridShape& lattice,
            const std::vector<Range>& without) {
    count_ = 0;
    int others = store.count();
    for (const Range& range : without) others -= range.count;
    if (others <= 0) return;
    flag_.resize(store.count());
    index_.resize(store.count());
    total_.resize(1);
    const auto equal = [](const Range& a, const Range& b) {
      return a.first == b.first && a.count == b.count;
    };
    if (!std::equal(without.begin(), without.end(), known_without_.begin(), known_without_.end(), equal))
      without_.assign(known_without_ = without);
    launch(store.count(), FlagForeign{grid, lattice, store.position.const_view(), store.system.const_view(),
                                      without_.const_view(), flag_.view()});
    compact_indices(flag_.const_view(), index_.view(), total_.view(), offset_, scratch_);
    count_ = read_back(total_.const_view(), 0);
    if (count_ == 0) return;
    position_.resize(count_);
    launch(count_, GatherForeign{store.position.const_view(), index_.const_view(), position_.view()});
    sorted_.build(position_.const_view(), grid.dx);
  }
  UniformGridView view() const { return count_ > 0 ? sorted_.view() : UniformGridView{}; }
  /// By order of the sorted particles: indices of the store, positions [m].
  View<const int> index() const { return index_.const_view().subview(0, count_); }
  View<const Vec3> position() const { return position_.const_view().subview(0, count_); }

 private:
  int count_ = 0;
  Array<int> flag_, index_, offset_, total_;
  Array<Range> without_;
  std::vector<Range> known_without_;
  Array<Vec3> position_;
  UniformGrid sorted_;
  Scratch scratch_;
};

MERGANSER_END
