#include "solvers/methods/elastic_sph/neighbor_blocks.h"

#include <algorithm>
#include <limits>

MERGANSER_BEGIN

NeighborBlocks::NeighborBlocks(const RestShape& shape) {
  std::vector<int> first{0}, start;
  std::vector<float> gradient, value;
  struct Entry {
    int start, lane, neighbor;
  };
  std::vector<Entry> entries;
  for (int begin = 0; begin < shape.count(); begin += block_width) {
    entries.clear();
    for (int lane = 0; lane < std::min(block_width, shape.count() - begin); ++lane)
      for (int e = shape.first[size_t(begin + lane)]; e < shape.first[size_t(begin + lane) + 1]; ++e) {
        const int j = shape.neighbor[size_t(e)];
        entries.push_back({j - lane, lane, j});
      }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.start < b.start; });
    int last = std::numeric_limits<int>::min();
    for (const Entry& entry : entries) {
      if (entry.start != last) {
        start.push_back(last = entry.start);
        gradient.resize(gradient.size() + block_width, 0);
        value.resize(value.size() + block_width, 0);
      }
      const int i = begin + entry.lane;
      const PairWeights weights = pair_weights(shape.body(i), norm(shape.offset(i, entry.neighbor)));
      const size_t at = gradient.size() - size_t(block_width - entry.lane);
      gradient[at] = static_cast<float>(weights.gradient);
      value[at] = static_cast<float>(weights.value);
    }
    first.push_back(static_cast<int>(start.size()));
  }
  if (gradient.size() > size_t(0x7fffffff))
    throw DeviceError("elastic bodies have more than 2,147,483,647 neighbors; lower --resolution");
  first_.assign(first);
  start_.assign(start);
  gradient_.assign(gradient);
  value_.assign(value);
}

MERGANSER_END
