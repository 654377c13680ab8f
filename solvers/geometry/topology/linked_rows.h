#pragma once
/// The topological neighbors alone, for loops that want no others.
#include "device/array.h"
#include "device/scan.h"
#include "solvers/geometry/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// G_i in compressed rows, in the order of the graph's.
struct LinkedRowsView {
  View<const int> first;     ///< one more than particles
  View<const int> neighbor;  ///< local index
};

class LinkedRows {
 public:
  /// Blocking: the number of links is read back.
  void build(const NeighborGraphView& graph);
  LinkedRowsView view() const { return {first_.view(), neighbor_.view()}; }

 private:
  Array<int> first_, neighbor_;
  Scratch scratch_;
};

MERGANSER_END
