#pragma once
/// Topology-aware neighborhoods of one fluid ([TN] sec. 5), kept from update to update.
#include <string>

#include "device/particle_store.h"
#include "device/uniform_grid.h"
#include "solvers/base/state_archive.h"
#include "solvers/geometry/topology/candidate_list.h"
#include "solvers/geometry/topology/closure.h"
#include "solvers/geometry/topology/field_kernel.h"
#include "solvers/geometry/topology/graph_rows.h"
#include "solvers/geometry/topology/graph_sums.h"
#include "solvers/geometry/topology/local_field.h"
#include "solvers/geometry/topology/neighbor_graph.h"

MERGANSER_BEGIN

/// The fluid's particles, in their present order.
struct FluidParticles {
  View<const Vec3> position;  ///< [m]
  View<const float> mass;     ///< [kg]
  View<const int> id;         ///< persistent, each once
  View<const int> body;       ///< pairs of one body are linked from the beginning
};

/// Changes by the last update, in pairs.
struct TopologyChanges {
  long long fused = 0;     ///< found to touch
  long long closed = 0;    ///< linked by the closure
  long long split = 0;     ///< came apart
  long long late = 0;      ///< came from beyond 2h to less than h/2 since the update before
  int closure_sweeps = 0;  ///< the last one finds nothing
};

/// Keeps the graph of a fluid: which pairs within 2h are linked, since when, and the reconstruction density.
/// The graph depends on the particles and their ids alone, not on their order, to the last bit.
class TopologicalNeighborhoods {
 public:
  static constexpr float closeness = 1.25f;         ///< alpha, [TN] sec. 5
  static constexpr float fusion_tolerance = 1.01f;  ///< beta, [TN] sec. 5.1

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
  /// [s], 0: at once. `moved` [m]: no particle has moved further since; late pairs are looked for where it
  /// allows some.
  void update(const FluidParticles& particles, float elapsed, float gamma, float moved = 0);

  bool started() const { return h_ > 0; }
  NeighborGraphView view() const;
  /// Reconstruction density [kg] of [TN] eq. 7 (W is not normalized).
  View<const float> density() const { return density_.view(); }
  const TopologyChanges& changes() const { return changes_; }

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  void list_neighbors(const FluidParticles& particles);
  long long build_rows(const FluidParticles& particles, float growth, float moved = 0);
  void list_close_neighbors(View<const int> id);
  void update_density(const FluidParticles& particles);
  /// Lines 3-5; new links get `age`.
  void merge(const FluidParticles& particles, float age);
  void split(const FluidParticles& particles);
  LocalField field(const FluidParticles& particles) const;
  CloseNeighbors close() const;
  long long count_found();
  float close_limit2() const { return closeness * h_ * closeness * h_; }

  float h_ = 0;  ///< [m]
  Array<int> first_, neighbor_, id_;
  Array<unsigned char> linked_;
  Array<float> age_, distance2_, density_, volume_;
  Array<int> row_then_;  ///< of each particle, in the graph of the last update
  TopologyChanges changes_;

  // Data between stages, and memory that is kept from update to update.
  UniformGrid grid_;
  Array<float> sorted_x_, sorted_y_, sorted_z_;  ///< [m] in the grid's order
  Array<int> sorted_id_;
  Array<int> table_;      ///< ids of all neighbors, one row of table_width_ a particle
  int table_width_ = 96;  ///< grows where a row does not fit
  Array<int> next_first_, next_neighbor_, index_of_id_;
  Array<unsigned char> next_linked_, mark_, found_;
  Array<int> spare_row_;
  Array<float> next_age_, reach_;
  Array<int> close_first_, close_id_, close_entry_;
  CandidateList candidates_;
  Reduction<IdBounds> id_bounds_;
  Reduction<RowSizes> row_sizes_;
  Reduction<long long> count_, late_;
  Scratch scratch_;
};

MERGANSER_END
