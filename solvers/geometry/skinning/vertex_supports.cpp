#include "solvers/geometry/skinning/vertex_supports.h"

#include <cmath>

#include "device/compact.h"
#include "device/launch.h"

MERGANSER_BEGIN

namespace {

/// Of those with W > 0: near the rim of the support rounding leaves nothing of W.
struct CountSupports {
  static constexpr const char* name = "skin count supports";
  View<const Vec3> vertex;
  UniformGridView grid;
  CubicSpline<float> kernel;
  float support;  ///< [m]
  View<int> count, alone;
  MERGANSER_METHOD void operator()(int v) const {
    int found = 0;
    grid.for_each_neighbor(vertex[v], support,
                           [&](int, const Vec3&, float r2) { found += kernel.value(sqrtf(r2)) > 0; });
    count[v] = found;
    alone[v] = found == 0;
  }
};

struct FillSupports {
  static constexpr const char* name = "skin fill supports";
  View<const Vec3> vertex;
  UniformGridView grid;
  CubicSpline<float> kernel;
  float support, unit;  ///< [m]; 1/W(0) [m^3]
  View<const int> first;
  View<int> particle;
  View<float> weight;
  MERGANSER_METHOD void operator()(int v) const {
    int at = first[v];
    grid.for_each_neighbor(vertex[v], support, [&](int j, const Vec3&, float r2) {
      const float w = kernel.value(sqrtf(r2));
      if (!(w > 0)) return;
      particle[at] = j;
      weight[at++] = unit * w;
    });
  }
};

struct AllVertices {
  static constexpr const char* name = "skin all vertices";
  View<int> vertex;
  MERGANSER_METHOD void operator()(int v) const { vertex[v] = v; }
};

/// The nearest particle within `radius`, by its index outside the grid; of equally near ones that with the
/// least index.
struct FindNearest {
  static constexpr const char* name = "skin find nearest";
  View<const Vec3> vertex;
  View<const int> wanted;  ///< vertices that have none yet
  UniformGridView grid;
  float radius;       ///< [m]
  View<int> nearest;  ///< by vertex
  View<int> missing;  ///< by place in `wanted`
  MERGANSER_METHOD void operator()(int k) const {
    int found = -1;
    float least = 0;
    grid.for_each_neighbor(vertex[wanted[k]], radius, [&](int j, const Vec3&, float r2) {
      const int index = grid.order[j];
      if (found >= 0 && (r2 > least || (r2 == least && index > found))) return;
      found = index;
      least = r2;
    });
    nearest[wanted[k]] = found;
    missing[k] = found < 0;
  }
};

struct StillWanted {
  static constexpr const char* name = "skin still wanted";
  View<const int> wanted, place;
  View<int> left;
  MERGANSER_METHOD void operator()(int k) const { left[k] = wanted[place[k]]; }
};

struct InvertOrder {
  static constexpr const char* name = "skin invert order";
  View<const int> order;
  View<int> rank;
  MERGANSER_METHOD void operator()(int j) const { rank[order[j]] = j; }
};

struct RankOfNearest {
  static constexpr const char* name = "skin rank of nearest";
  View<const int> rank;
  View<int> nearest;
  MERGANSER_METHOD void operator()(int v) const { nearest[v] = rank[nearest[v]]; }
};

}  // namespace

void VertexSupports::find_rows(View<const Vec3> vertex, const UniformGridView& grid, float support) {
  const int count = vertex.count;
  const CubicSpline<float> kernel(support / 2);
  first_.resize(count + 1);
  Array<int> alone(count), before(count + 1);
  const View<int> counts = first_.view().subview(0, count);
  launch(count, CountSupports{vertex, grid, kernel, support, counts, alone.view()});
  exclusive_scan(counts, first_.view(), scratch_);
  exclusive_scan(alone.const_view(), before.view(), scratch_);
  lone_ = read_back(before.const_view(), count);
  const int entries = read_back(first_.const_view(), count);
  particle_.resize(entries);
  weight_.resize(entries);
  launch(count, FillSupports{vertex, grid, kernel, support, 1 / kernel.value(0.0f), first_.const_view(),
                             particle_.view(), weight_.view()});
}

/// Within the support first; for those that find none there, in grids of larger and larger cells.
void VertexSupports::find_nearest(View<const Vec3> vertex, View<const Vec3> point,
                                  const UniformGridView& grid, float support) {
  nearest_.resize(vertex.count);
  Array<int> wanted(vertex.count), missing, place, left_count(1), offsets;
  launch(vertex.count, AllVertices{wanted.view()});
  UniformGrid wider;
  for (float radius = support; !wanted.empty(); radius *= 2) {
    if (!(radius < 1e18f))  // its square would be no float any more
      throw InputError("a surface lies too far from the particles that it is to follow");
    if (radius > support) wider.build(point, radius);
    missing.resize(wanted.size());
    place.resize(wanted.size());
    launch(wanted.size(), FindNearest{vertex, wanted.const_view(), radius > support ? wider.view() : grid,
                                      radius, nearest_.view(), missing.view()});
    compact_indices(missing.const_view(), place.view(), left_count.view(), offsets, scratch_);
    Array<int> left(read_back(left_count.const_view(), 0));
    launch(left.size(), StillWanted{wanted.const_view(), place.const_view(), left.view()});
    wanted = std::move(left);
  }
  Array<int> rank(point.count);
  launch(point.count, InvertOrder{grid.order, rank.view()});
  launch(vertex.count, RankOfNearest{rank.const_view(), nearest_.view()});
}

void VertexSupports::find(View<const Vec3> vertex, View<const Vec3> point, const UniformGridView& grid,
                          float support) {
  find_rows(vertex, grid, support);
  find_nearest(vertex, point, grid, support);
}

MERGANSER_END
