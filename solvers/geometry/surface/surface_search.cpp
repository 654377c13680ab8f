#include "solvers/geometry/surface/surface_search.h"

#include <limits>

#include "device/compact.h"

MERGANSER_BEGIN

namespace {

struct ConsecutiveSlots {
  static constexpr const char* name = "surface consecutive slots";
  int first;
  View<int> slot;
  MERGANSER_METHOD void operator()(int t) const { slot[t] = first + t; }
};

struct SlotsFromSelected {
  static constexpr const char* name = "surface selected slots";
  int first;
  View<int> slot;
  MERGANSER_METHOD void operator()(int t) const { slot[t] += first; }
};

struct InsideWords {
  static constexpr const char* name = "surface inside words";
  View<const float> value;
  View<const int> slot;  ///< by rank
  View<Word64> inside;   ///< by rank
  MERGANSER_METHOD void operator()(int rank) const {
    const float* values = value.data + size_t(slot[rank]) * brick_points;
    Word64 word = 0;
    for (int bit = 0; bit < brick_points; ++bit) word |= Word64(values[bit] > field_iso_value) << bit;
    inside[rank] = word;
  }
};

/// Missing ones of the 26 neighbors that a brick asks for: those next to a point that has, among the
/// points around it that are known, both points inside and outside the fluid. A cell with corners of both
/// kinds then has all its corners known in the end.
struct MissingNeighbors {
  static constexpr const char* name = "surface missing bricks";
  View<const int> neighbors;
  View<const Word64> key, inside;
  View<int> missing;  ///< a bit per neighbor
  View<int> count;
  MERGANSER_METHOD void operator()(int rank) const {
    const int* around = neighbors.data + 27 * size_t(rank);
    int absent = 0;
    for (int n = 0; n < 27; ++n) absent |= (around[n] < 0) << n;
    missing[rank] = 0;
    count[rank] = 0;
    if (absent == 0) return;
    const Word64 mixed = spread(around, 0) & spread(around, ~Word64(0));
    if (mixed == 0) return;
    int asked = 0;
    for (int n = 0; n < 27; ++n)
      if ((absent >> n & 1) && (mixed & next_to(n)) != 0 && in_range(rank, n)) asked |= 1 << n;
    missing[rank] = asked;
    count[rank] = bit_count(static_cast<unsigned>(asked));
  }

 private:
  /// Points that have, among themselves and the 26 around, a known one inside (flip 0) or outside (~0).
  MERGANSER_METHOD Word64 spread(const int* around, Word64 flip) const {
    Word64 plane[3];
    for (int z = 0; z < 3; ++z) {
      Word64 row[3];
      for (int y = 0; y < 3; ++y) {
        const int* r = around + 9 * z + 3 * y;
        row[y] = either_way(0, word(r[0], flip), word(r[1], flip), word(r[2], flip));
      }
      plane[z] = either_way(1, row[0], row[1], row[2]);
    }
    return either_way(2, plane[0], plane[1], plane[2]);
  }
  MERGANSER_METHOD Word64 word(int rank, Word64 flip) const { return rank < 0 ? 0 : inside[rank] ^ flip; }
  MERGANSER_METHOD static Word64 either_way(int axis, Word64 previous, Word64 word, Word64 next) {
    return word | from_next(axis, word, next) | from_previous(axis, word, previous);
  }
  /// Points of this brick that touch neighbor n.
  MERGANSER_METHOD static Word64 next_to(int n) {
    const Int3 d = neighbor_offset(n);
    Word64 points = ~Word64(0);
    if (d.x != 0) points &= layer(0, d.x > 0 ? 3 : 0);
    if (d.y != 0) points &= layer(1, d.y > 0 ? 3 : 0);
    if (d.z != 0) points &= layer(2, d.z > 0 ? 3 : 0);
    return points;
  }
  MERGANSER_METHOD bool in_range(int rank, int n) const {
    const Int3 brick = brick_of_key(key[rank]), d = neighbor_offset(n);
    const int most = brick_limit - 2;
    const auto held = [&](int c) { return c > -most && c < most; };
    return held(brick.x + d.x) && held(brick.y + d.y) && held(brick.z + d.z);
  }
};

struct WriteMissing {
  static constexpr const char* name = "surface write missing";
  View<const Word64> key;
  View<const int> missing, first;
  View<Word64> candidate;
  MERGANSER_METHOD void operator()(int rank) const {
    int at = first[rank];
    const Int3 brick = brick_of_key(key[rank]);
    for (int n = 0; n < 27; ++n) {
      if (!(missing[rank] >> n & 1)) continue;
      const Int3 d = neighbor_offset(n);
      candidate[at++] = brick_key({brick.x + d.x, brick.y + d.y, brick.z + d.z});
    }
  }
};

}  // namespace

void SurfaceSearch::run(const FieldParticles& particles, const SurfaceParameters& parameters) {
  cell_ = static_cast<float>(parameters.h * parameters.cell_factor);
  bricks_.clear();
  topological_bricks_ = rounds_ = 0;
  seeds_.find(particles, {cell_}, candidate_);
  for (int added = bricks_.add(candidate_); added > 0; added = bricks_.add(candidate_)) {
    ++rounds_;
    evaluate(particles, parameters, bricks_.count() - added, added);
    inside_.resize(bricks_.count());
    launch(bricks_.count(), InsideWords{value_.const_view(), bricks_.sorted_slot(), inside_.view()});
    if (find_missing() == 0) return;
  }
}

void SurfaceSearch::evaluate(const FieldParticles& particles, const SurfaceParameters& parameters, int first,
                             int count) {
  const FieldParticlesView view = particles.view();
  value_.resize(bricks_.count() * brick_points);
  slot_.resize(count);
  launch(count, ConsecutiveSlots{first, slot_.view()});
  launch(count * BrickSum::threads_per_brick,
         BrickSum{view, {cell_}, bricks_.key(), slot_.const_view(), value_.view()});
  if (view.adjusted_before.empty()) return;
  const float radius = static_cast<float>(parameters.search_radius_factor * parameters.h);
  flag_.resize(count);
  selected_count_.resize(1);
  launch(count, FlagTopologicalBricks{view, {cell_}, bricks_.key(), radius, first, flag_.view()});
  compact_indices(flag_.view(), slot_.view(), selected_count_.view(), offsets_, scratch_);
  const int blended = read_back(selected_count_.const_view(), 0);
  topological_bricks_ += blended;
  launch(blended, SlotsFromSelected{first, slot_.view()});
  const float endless = std::numeric_limits<float>::max();
  const BlendLimits limits{
      .radius = radius,
      .stop_above = parameters.early_stop ? sharpened(far_inside * field_iso_value) : endless,
      .skip_below = parameters.early_stop ? far_outside * field_iso_value : 0};
  launch(
      blended * BrickBlend::threads_per_brick,
      BrickBlend{view, particles.rank(), {cell_}, limits, bricks_.key(), slot_.const_view(), value_.view()});
}

int SurfaceSearch::find_missing() {
  const int count = bricks_.count();
  missing_.resize(count);
  first_missing_.resize(count + 1);
  const View<int> counts = first_missing_.view().subview(0, count);
  launch(count, MissingNeighbors{bricks_.neighbors(), bricks_.sorted_key(), inside_.const_view(),
                                 missing_.view(), counts});
  exclusive_scan(counts, first_missing_.view(), scratch_);
  const int missing = read_back(first_missing_.const_view(), count);
  candidate_.resize(missing);
  launch(count, WriteMissing{bricks_.sorted_key(), missing_.const_view(), first_missing_.const_view(),
                             candidate_.view()});
  return missing;
}

MERGANSER_END
