#pragma once
/// Updates of a fluid's topological neighborhoods ([TN] sec. 6.2), and what follows from them.
#include <string>

#include "solvers/core/system.h"
#include "solvers/core/topological_links.h"
#include "solvers/geometry/topology/linked_rows.h"
#include "solvers/geometry/topology/topological_neighborhoods.h"
#include "solvers/methods/sph/sph_parameters.h"

MERGANSER_BEGIN

/// Once every so many output frames, at the end of the step that reaches the frame's time, so that frames
/// hold the graph of their own positions; between frames at the beginning of the step after a particle has
/// moved `topology_distance` h since the last update, or particles were emitted. Pairs that come within 2h
/// between updates do not interact until the next one. While nothing moves further than h/2, such a pair is
/// at least h apart when it is seen first, which is where two drops touch. Pairs that are seen first nearer
/// than h/2 are counted, for a warning.
class TopologyUpdates {
 public:
  /// `h` [m].
  TopologyUpdates(const SphParameters& parameters, float h);

  void start(const FluidParticles& particles);
  void particles_added(int count);
  /// True where the neighborhoods are to be renewed before the particles' next step. The caller may then sort
  /// its particles, say so with permute(), and calls update(). Blocking: one number is read back.
  bool due(View<const Vec3> position);
  void permute(View<const int> order);
  void update(const FluidParticles& particles);
  /// After a step of dt [s]; true where a frame wants the graph of now: the caller calls update().
  bool step_ended(double dt, bool frame_end);

  const TopologicalNeighborhoods& graph() const { return graph_; }
  LinkedRowsView linked() const { return linked_.view(); }
  LinkedPairs linked_pairs() const;
  /// Number of linked pairs between two bodies; `body_of` of the particles. Blocking.
  long long links_between(View<const int> body_of, int body, int other);
  /// True once after each update.
  bool take_renewed();
  /// TopologicalLinks::take_late_pairs()
  long long take_late_pairs();

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  float largest_displacement(View<const Vec3> position);
  void remember(View<const Vec3> position);

  float h_, fusion_time_, distance_;
  int frames_between_;
  TopologicalNeighborhoods graph_;
  LinkedRows linked_;
  Array<Vec3> position_;   ///< [m] at the last update
  float moved_ = 0;        ///< [m] largest displacement since the last update, when it was last looked at
  double elapsed_ = 0;     ///< [s] since the last update
  double since_sort_ = 0;  ///< [m] bound of what particles have moved since they were sorted, up to the last
                           ///< update
  int frames_ = 0;         ///< since the last update that a frame wanted
  bool added_ = false, renewed_ = false;
  long long late_ = 0;  ///< pairs that met too late, of updates since they were asked for
  Reduction<float> displacement_;
  Reduction<long long> links_;
};

MERGANSER_END
