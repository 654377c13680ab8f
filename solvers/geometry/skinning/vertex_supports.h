#pragma once
/// Particles that each vertex of a body's surface follows, from the rest shape: found once.
#include "device/scan.h"
#include "device/uniform_grid.h"
#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN

/// Particles are numbered in the order of the grid of their rest positions.
struct VertexSupportsView {
  View<const int> first, particle;  ///< row of a vertex: the particles in whose support it lies
  View<const float> weight;         ///< W / W(0)
  View<const int> nearest;          ///< by vertex, also outside all supports
};

class VertexSupports {
 public:
  /// `grid`: of the rest positions `point`, for queries of `support` [m] = 2h. Blocking.
  void find(View<const Vec3> vertex, View<const Vec3> point, const UniformGridView& grid, float support);
  VertexSupportsView view() const {
    return {first_.const_view(), particle_.const_view(), weight_.const_view(), nearest_.const_view()};
  }
  /// Vertices without a row.
  int lone() const { return lone_; }

 private:
  void find_rows(View<const Vec3> vertex, const UniformGridView& grid, float support);
  void find_nearest(View<const Vec3> vertex, View<const Vec3> point, const UniformGridView& grid,
                    float support);
  Array<int> first_, particle_, nearest_;
  Array<float> weight_;
  Scratch scratch_;
  int lone_ = 0;
};

MERGANSER_END
