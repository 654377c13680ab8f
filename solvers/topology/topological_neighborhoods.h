#pragma once
/// Topology-aware neighborhoods of one fluid ([TN] sec. 5), kept from update to update.
#include <string>

#include "device/reduce.h"
#include "device/scan.h"
#include "device/uniform_grid.h"
#include "solvers/state_archive.h"
#include "solvers/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// The fluid's particles, in their present order.
struct FluidParticles {
  View<const Vec3> position;  ///< [m]
  View<const float> mass;     ///< [kg]
  View<const int> id;         ///< persistent, each once
  View<const int> body;       ///< pairs of one body are linked from the beginning
};

/// Keeps the graph of a fluid: which pairs within 2h are linked, since when, and the reconstruction density.
class TopologicalNeighborhoods {
 public:
  /// Initial graph, [TN] sec. 5: all pairs within 2h of one body are linked; of different bodies those that
  /// touch (sec. 5.1, 5.3). All ages 1. `h` [m]: half the support radius.
  void start(const FluidParticles& particles, float h);
  /// The fluid was sorted anew: particle k of now was order[k]. view() is of the old order until update().
  void permute(View<const int> order);
  /// `count` particles were appended. At the next update() they are linked, with age 1, to the particles of
  /// their own body within 2h, like those of start(); to others where they touch.
  void particles_added(int count);
  /// Algorithm 1, lines 2-8, for the particles where they are now. Ages of linked pairs grow by
  /// elapsed/gamma up to 1 ([TN] eq. 6), new links have age 0. `elapsed` [s] since the last update; `gamma`
  /// [s], 0: at once.
  void update(const FluidParticles& particles, float elapsed, float gamma);

  NeighborGraphView view() const;
  /// Reconstruction density [kg] of [TN] eq. 7 (W is not normalized).
  View<const float> density() const;

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);
};

MERGANSER_END
