#pragma once
/// The field of a particle and those linked to it, along a line.
#include "device/lanes.h"
#include "device/vector_math.h"
#include "solvers/geometry/topology/field_kernel.h"
#include "solvers/geometry/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// Four values of a field.
struct FourValues {
  float value[4];
};

/// [TN] eq. 8: g_i(x) = V_i W(|x - x_i|) + sum over linked j of (1 - (1 - a_ij)^3) V_j W(|x - x_j|).
struct LocalField {
  NeighborGraphView graph;
  View<const Vec3> position;  ///< [m]
  View<const float> volume;   ///< m/rho of the reconstruction
  FieldKernel kernel;

  /// g_i at x_i + start + t_k step for the four t. Uses differences of positions alone, so a cloud moved as a
  /// whole has the same values; sums over lane_count linked particles at once.
  MERGANSER_METHOD FourValues along(int i, const Vec3& start, const Vec3& step, const FourValues& t) const {
    LaneBlock block{{start.x}, {start.y}, {start.z}, {volume[i]}};
    Lanes sum[4] = {};
    int filled = 1;
    for (int e = graph.first[i]; e < graph.first[i + 1]; ++e) {
      if (filled == lane_count) {
        add(block, step, t, sum);
        filled = 0;
      }
      if (!graph.linked[e]) continue;
      const int j = graph.neighbor[e];
      const Vec3 seen = start - (position[j] - position[i]);
      block.x[filled] = seen.x, block.y[filled] = seen.y, block.z[filled] = seen.z;
      block.weight[filled++] = volume[j] * blending_weight(graph.age[e]);
    }
    for (int k = filled; k < lane_count; ++k) block.weight[k] = 0;
    add(block, step, t, sum);
    return {{sum_of_lanes(sum[0]), sum_of_lanes(sum[1]), sum_of_lanes(sum[2]), sum_of_lanes(sum[3])}};
  }

 private:
  /// Start of the line as seen from some particles, and their weights.
  struct LaneBlock {
    float x[lane_count], y[lane_count], z[lane_count], weight[lane_count];
  };

  /// |from + t step|^2 = |from|^2 + t (2 from.step + t |step|^2).
  MERGANSER_METHOD void add(const LaneBlock& block, const Vec3& step, const FourValues& t, Lanes* sum) const {
    const Lanes x = load_lanes(block.x), y = load_lanes(block.y), z = load_lanes(block.z);
    const Lanes weight = load_lanes(block.weight);
    const Lanes constant = x * x + y * y + z * z, linear = 2.0f * (x * step.x + y * step.y + z * step.z);
    const float step2 = norm_squared(step);
    for (int k = 0; k < 4; ++k)
      sum[k] += weight * kernel(constant + t.value[k] * (linear + t.value[k] * step2));
  }
};

MERGANSER_END
