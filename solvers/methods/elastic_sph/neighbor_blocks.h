#pragma once
/// Neighbors of eight particles that follow each other, as slots that all eight share.
#include "solvers/methods/elastic_sph/lane_fields.h"
#include "solvers/methods/elastic_sph/rest_shape.h"

MERGANSER_BEGIN

/// Block b holds particles 8 b to 8 b + 7. In its slot s the neighbor of lane l is particle start[s] + l,
/// with weights [8 s + l] that are zero where it is none: bodies are numbered along lines, so the eight have
/// neighbors at the same distances in the numbering, nothing is gathered, and the few slots that not all of
/// them need cost less than gathering would.
struct NeighborBlocksView {
  View<const int> first;              ///< per block, one more at the end
  View<const int> start;              ///< per slot
  View<const float> gradient, value;  ///< [1/m^2] see PairWeights; eight a slot

  /// visit(j, gradient weight, value weight) for all slots of a kernel index; j is where to load from.
  template <class Real, class Visit>
  MERGANSER_METHOD void for_each_slot(int item, const Visit& visit) const {
    const int at = first_of_item<Real>(item), block = at / block_width, lane = at % block_width;
    for (int s = first[block], end = first[block + 1]; s < end; ++s)
      visit(start[s] + lane, load_lanes<Real>(gradient.data + s * block_width + lane),
            load_lanes<Real>(value.data + s * block_width + lane));
  }
};

class NeighborBlocks {
 public:
  explicit NeighborBlocks(const RestShape& shape);
  NeighborBlocksView view() const { return {first_.view(), start_.view(), gradient_.view(), value_.view()}; }
  int slots() const { return start_.size(); }

 private:
  Array<int> first_, start_;
  Array<float> gradient_, value_;
};

MERGANSER_END
