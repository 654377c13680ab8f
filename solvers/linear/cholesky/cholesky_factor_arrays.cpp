#include <limits>

#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_solve.h"

MERGANSER_BEGIN

namespace {
/// A front's column in half precision, times the power of two that brings its greatest number close to the
/// format's greatest: numbers down to 1e-9 of that keep all their bits.
struct HalveColumns {
  static constexpr const char* name = "cholesky halve";
  FrontShape shape;
  const float* stored;
  Half* halves;
  float* scale;
  MERGANSER_METHOD void operator()(int column) const {
    float largest = 0;
    for (int t = column / tile_rows; t < shape.tiles(); ++t) {
      const FrontTile tile = shape.tile(t);
      const float* numbers = stored + tile.offset + std::int64_t(column) * tile.height;
      for (int r = 0; r < tile.height; ++r) largest = fmaxf(largest, fabsf(numbers[r]));
    }
    int exponent = 0;
    frexpf(largest, &exponent);  // largest < 2^exponent
    exponent = exponent < -100 ? -100 : exponent > 100 ? 100 : exponent;
    scale[column] = ldexpf(1, exponent - 15);
    const float inverse = ldexpf(1, 15 - exponent);
    for (int t = column / tile_rows; t < shape.tiles(); ++t) {
      const FrontTile tile = shape.tile(t);
      const std::int64_t start = tile.offset + std::int64_t(column) * tile.height;
      for (int r = 0; r < tile.height; ++r) halves[start + r] = to_half(stored[start + r] * inverse);
    }
  }
};
}  // namespace

std::vector<std::int64_t> stored_offsets(const FrontTree& tree) {
  std::vector<std::int64_t> offset(1, 0);
  for (int s = 0; s < tree.fronts(); ++s)
    offset.push_back(offset.back() + FrontShape{tree.columns(s), tree.below(s)}.numbers());
  return offset;
}

FactorArrays::FactorArrays(const FrontTree& tree) : host_offset(stored_offsets(tree)) {
  stored.reserve(size_t(host_offset.back()));
  offset.assign(host_offset);
  first_column.assign(tree.first_column);
  first_row.assign(tree.first_row);
  order.assign(tree.order);
  std::vector<int> original(tree.row.size());
  for (size_t e = 0; e < original.size(); ++e) original[e] = tree.order[size_t(tree.row[e])];
  row.assign(original);

  // The front row of the parent that every row below goes to, then the reverse.
  const int fronts = tree.fronts();
  std::vector<int> local(tree.order.size()), target(tree.row.size(), -1),
      first(tree.order.size() + tree.row.size() + 1, 0);
  for (int s = 0; s < fronts; ++s) {
    const int front_row = tree.first_column[s] + static_cast<int>(tree.first_row[s]);
    for (int j = 0; j < tree.columns(s); ++j) local[tree.first_column[s] + j] = front_row + j;
    for (int i = 0; i < tree.below(s); ++i)
      local[tree.row[tree.first_row[s] + i]] = front_row + tree.columns(s) + i;
    for (int k = tree.first_child[s]; k < tree.first_child[s + 1]; ++k)
      for (auto e = tree.first_row[tree.child[k]]; e < tree.first_row[tree.child[k] + 1]; ++e) {
        target[e] = local[tree.row[e]];
        ++first[size_t(target[e]) + 1];
      }
  }
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<int> from(tree.row.size()), to(tree.row.size());
  first_gather.assign(first);
  for (size_t e = 0; e < target.size(); ++e) {
    to[e] = first[size_t(target[e])]++;
    from[size_t(to[e])] = static_cast<int>(e);
  }
  gather.assign(from);
  slot.assign(to);
}

void FactorArrays::halve(const FrontTree& tree) {
  halves.reserve(size_t(host_offset.back()));
  scale.resize(static_cast<int>(tree.order.size()));
  for (int s = 0; s < tree.fronts(); ++s)
    launch(tree.columns(s), HalveColumns{{tree.columns(s), tree.below(s)},
                                         stored.data() + host_offset[size_t(s)],
                                         halves.data() + host_offset[size_t(s)],
                                         scale.data() + tree.first_column[size_t(s)]});
  stored.release();
}

FactorView FactorArrays::view() {
  const int numbers =
      static_cast<int>(std::min<std::int64_t>(host_offset.back(), std::numeric_limits<int>::max()));
  return {{stored.data(), stored.data() ? numbers : 0},
          {halves.data(), halves.data() ? numbers : 0},
          scale.const_view(),
          offset.const_view(),
          first_column.const_view(),
          first_row.const_view(),
          order.const_view(),
          row.const_view(),
          first_gather.const_view(),
          gather.const_view(),
          slot.const_view()};
}

MERGANSER_END
