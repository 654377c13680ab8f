#include "solvers/geometry/topology/linked_rows.h"

#include "device/launch.h"

MERGANSER_BEGIN

namespace {
struct CountLinked {
  static constexpr const char* name = "topology count linked";
  NeighborGraphView graph;
  View<int> count;
  MERGANSER_METHOD void operator()(int i) const {
    int linked = 0;
    for (int e = graph.first[i]; e < graph.first[i + 1]; ++e) linked += graph.linked[e];
    count[i] = linked;
  }
};

struct ListLinked {
  static constexpr const char* name = "topology list linked";
  NeighborGraphView graph;
  View<const int> first;
  View<int> neighbor;
  MERGANSER_METHOD void operator()(int i) const {
    int at = first[i];
    for (int e = graph.first[i]; e < graph.first[i + 1]; ++e)
      if (graph.linked[e]) neighbor[at++] = graph.neighbor[e];
  }
};
}  // namespace

void LinkedRows::build(const NeighborGraphView& graph) {
  const int rows = graph.row_count();
  first_.resize(rows + 1);
  launch(rows, CountLinked{graph, first_.view()});
  exclusive_scan(first_.const_view().subview(0, rows), first_.view(), scratch_);
  neighbor_.resize(read_back(first_.const_view(), rows));
  launch(rows, ListLinked{graph, first_.const_view(), neighbor_.view()});
}

MERGANSER_END
