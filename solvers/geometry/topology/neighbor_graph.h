#pragma once
/// Neighbor graph of a fluid's particles that belong together: the graph that topological neighborhoods hold
/// and surfaces read.
#include "device/array.h"

MERGANSER_BEGIN

/// All pairs of one fluid's particles within 2h of each other in compressed rows: the Euclidean set N_i of
/// [TN] sec. 3, of which the linked ones are the topological set G_i. Symmetric, a particle is not its own
/// neighbor. Rows ascend by the particles' persistent ids, so that sums along a row do not depend on how
/// particles are sorted (in a frame, where points are sorted by id, by index). Indices are local to the
/// fluid, in the present order of its particles.
struct NeighborGraphView {
  View<const int> first;             ///< one more than particles: row i is [first[i], first[i + 1])
  View<const int> neighbor;          ///< local index of j
  View<const unsigned char> linked;  ///< 1: j is in G_i
  View<const float> age;             ///< a_ij in [0, 1] ([TN] eq. 6), 0 where not linked

  MERGANSER_METHOD int row_count() const { return first.count > 0 ? first.count - 1 : 0; }
};

MERGANSER_END
