#pragma once
/// Sums over a graph and its particles that the host reads back.
#include "device/reduce.h"
#include "device/vector_math.h"
#include "solvers/geometry/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// Number of flags that are 1.
struct SumFlags {
  static constexpr const char* name = "topology count found";
  View<const unsigned char> flag;
  MERGANSER_METHOD long long operator()(int i) const { return flag[i]; }
};

struct RowSizes {
  int largest;
  long long total;
};

struct LargestRow {
  static constexpr const char* name = "topology largest row";
  using Value = RowSizes;
  View<const int> count;
  MERGANSER_METHOD RowSizes operator()(int i) const { return {count[i], count[i]}; }
  MERGANSER_METHOD static RowSizes identity() { return {0, 0}; }
  MERGANSER_METHOD static RowSizes combine(const RowSizes& a, const RowSizes& b) {
    return {a.largest > b.largest ? a.largest : b.largest, a.total + b.total};
  }
};

struct IdBounds {
  int low, high;
};

struct BoundIds {
  static constexpr const char* name = "topology id bounds";
  using Value = IdBounds;
  View<const int> id;
  MERGANSER_METHOD IdBounds operator()(int i) const { return {id[i], id[i]}; }
  MERGANSER_METHOD static IdBounds identity() { return {0x7fffffff, -1}; }
  MERGANSER_METHOD static IdBounds combine(const IdBounds& a, const IdBounds& b) {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

/// Links between particles of two bodies.
struct CountLinksBetween {
  static constexpr const char* name = "topology links between bodies";
  NeighborGraphView graph;
  View<const int> body;  ///< of the graph's particles
  int one, other;
  MERGANSER_METHOD long long operator()(int i) const {
    long long links = 0;
    if (body[i] != one) return links;
    for (int e = graph.first[i]; e < graph.first[i + 1]; ++e)
      links += graph.linked[e] && body[graph.neighbor[e]] == other;
    return links;
  }
};

/// Square of the largest distance from where particles were.
struct LargestDisplacement {
  static constexpr const char* name = "topology largest displacement";
  View<const Vec3> position, before;  ///< [m]
  MERGANSER_METHOD float operator()(int i) const { return norm_squared(position[i] - before[i]); }
};

MERGANSER_END
