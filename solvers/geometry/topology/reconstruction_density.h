#pragma once
/// The density with which surfaces and neighborhoods are reconstructed; not the fluid's.
#include "device/launch.h"
#include "solvers/geometry/topology/field_kernel.h"
#include "solvers/geometry/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// [TN] eq. 7: rho_i = m_i + sum over linked j of a_ij m_j W(|x_i - x_j|), and V_i = m_i/rho_i.
struct ReconstructionDensity {
  static constexpr const char* name = "topology density";
  NeighborGraphView graph;
  View<const float> distance2;  ///< [m^2] per entry of the graph
  View<const float> mass;       ///< [kg]
  FieldKernel kernel;
  View<float> density;  ///< [kg] written
  View<float> volume;   ///< written
  MERGANSER_METHOD void operator()(int i) const {
    double sum = mass[i];
    for (int e = graph.first[i]; e < graph.first[i + 1]; ++e) {
      const float share = graph.age[e] * mass[graph.neighbor[e]] * kernel(distance2[e]);
      sum += static_cast<double>(share);  // ages of unlinked pairs are 0
    }
    density[i] = static_cast<float>(sum);
    volume[i] = static_cast<float>(mass[i] / sum);
  }
};

MERGANSER_END
