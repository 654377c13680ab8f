#pragma once
/// The field of a particle and those linked to it, along a line.
#include "device/vector_math.h"
#include "solvers/topology/field_kernel.h"
#include "solvers/topology/neighbor_graph.h"

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
  /// whole has the same values.
  MERGANSER_METHOD FourValues along(int i, const Vec3& start, const Vec3& step, const FourValues& t) const {
    FourValues sum{};
    const Vec3 centre = position[i];
    const float step2 = norm_squared(step);
    add(start, step, step2, t, volume[i], sum);
    for (int e = graph.first[i]; e < graph.first[i + 1]; ++e) {
      if (!graph.linked[e]) continue;
      const int j = graph.neighbor[e];
      add(start - (position[j] - centre), step, step2, t, volume[j] * blending_weight(graph.age[e]), sum);
    }
    return sum;
  }

 private:
  /// A particle at -from, seen from where the line starts: |from + t step|^2 = |from|^2 + t (2 from.step + t
  /// |step|^2).
  MERGANSER_METHOD void add(const Vec3& from, const Vec3& step, float step2, const FourValues& t,
                            float weight, FourValues& sum) const {
    const float constant = norm_squared(from), linear = 2 * dot(from, step);
    for (int k = 0; k < 4; ++k)
      sum.value[k] += weight * kernel(constant + t.value[k] * (linear + t.value[k] * step2));
  }
};

MERGANSER_END
