#pragma once
/// Results of device primitives for given input, as host data: compiled once per backend so that a test can
/// hold one against the other.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct NeighborSample {
  std::vector<int> order;            ///< particles in the grid's bucket order
  std::vector<int> first, neighbor;  ///< neighbor lists
};
struct StoreSample {
  std::vector<Float3> position;
  std::vector<int> id;
};

#define MERGANSER_DECLARE_SAMPLES                                                                            \
  std::vector<int> sample_scan(const std::vector<int>& values);                                              \
  std::vector<int> sample_sort(const std::vector<std::uint64_t>& keys, int key_bits);                        \
  std::vector<int> sample_compact(const std::vector<int>& flags);                                            \
  std::vector<std::uint32_t> sample_random(int count);                                                       \
  /* Sum of the vectors in double. */                                                                        \
  std::array<double, 3> sample_sum(const std::vector<Float3>& values);                                       \
  NeighborSample sample_neighbors(const std::vector<Float3>& points, float radius, int reach, Float3 origin, \
                                  Float3 period);                                                            \
  /* Two systems; the first one is permuted, then some of its particles are appended again. */               \
  StoreSample sample_store(const std::vector<Float3>& points, const std::vector<int>& order);

namespace cpu {
MERGANSER_DECLARE_SAMPLES
}
namespace gpu {
MERGANSER_DECLARE_SAMPLES
}
#undef MERGANSER_DECLARE_SAMPLES

}  // namespace merganser
