#pragma once
/// Counts fluid particles that pass through a sheet, independently of the collision code.
///
/// In a step every fluid particle goes on a straight path from its last position to its present one, and
/// every vertex of the sheet does the same. A particle whose path pierces a moving triangle has passed
/// through the sheet, anywhere on it; one that goes round the rim pierces none. There is no band, no
/// tolerance and no part of the sheet that is left out: moving_triangle.h decides exactly.
///
/// What is counted: passages, one for each layer of the sheet and each time. A particle that goes through and
/// back has passed twice. While steps end with a particle exactly on the sheet, the side it came from stands:
/// the passage counts, or not, once it has left.
/// How a particle moved does not matter: one that a solver re-seeds behind the sheet has passed.
/// Particles are followed by their id from the first positions that are seen, emitted ones from where they
/// are emitted. On periodic axes paths lead to the nearest image.
#include <string>
#include <vector>

#include "device/particle_store.h"
#include "device/reduce.h"
#include "device/uniform_grid.h"
#include "solvers/base/host_types.h"
#include "solvers/base/state_archive.h"

MERGANSER_BEGIN

struct CrossingCounts {
  long long passages = 0;   ///< so far
  long long particles = 0;  ///< that passed at least once
  long long followed = 0;   ///< particles whose paths were followed, those that are removed by now included
};

/// The same as kernels count it.
struct CrossingCount {
  int passages, particles, followed;
};

/// What the sheet and the particles near it sweep in a step.
struct SweptReach {
  Bounds bounds;   ///< [m] of the sheet
  float triangle;  ///< [m] largest half diagonal of a triangle's box
  float path;      ///< [m] largest half length of a particle's path
};

/// How far a grid over the triangles lets paths search.
struct SearchLimit {
  float triangle = -1, path = -1;  ///< [m], see SweptReach; negative: no grid yet
  float farthest = -1;             ///< [m] largest coordinate of the sheet, for rounding
};

class CrossingCounter {
 public:
  /// `triangles` of the sheet in local indices of system `sheet_system`; `vertex_spacing` [m] is the longest
  /// rest edge: coordinates are rounded to 1e-9 of it, and a step may move things by a thousand times as
  /// much. `period` [m] of the axes, 0 = not periodic; paths and edges must be shorter than a quarter of it.
  CrossingCounter(int fluid_system, int sheet_system, const std::vector<Triangle>& triangles,
                  float vertex_spacing, Vec3 period = {0, 0, 0});
  /// Begins to follow particles that were not there before, at their present positions.
  void meet(const ParticleStore& particles);
  /// Follows all particles one step further: measure(), fetch_results() and complete(). Blocking.
  void update(const ParticleStore& particles);
  /// Launches the search for what the step has swept and, on the GPU, the count of its passages with a grid
  /// that leaves some room beyond what the step before has swept.
  void measure(const ParticleStore& particles);
  /// After the next fetch_results(): launches the count where it was not launched or the step has swept more
  /// than there was room for. True: it did, and another fetch_results() brings the counts.
  bool complete(const ParticleStore& particles);
  CrossingCounts counts() const { return counts_of(count_.read()); }  ///< (blocking read)
  /// As of the last fetch_results().
  CrossingCounts fetched_counts() const { return counts_of(count_.fetched()); }
  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  /// Launches the count of passages, which does nothing where the step has swept more than `limit`.
  void follow(const ParticleStore& particles, const Bounds& bounds, const SearchLimit& limit);
  static CrossingCounts counts_of(const CrossingCount& count) {
    return {count.passages, count.particles, count.followed};
  }
  int fluid_system_, sheet_system_;
  double resolution_;  ///< [1/m] lattice points
  Vec3 period_;
  Array<int> vertex_;             ///< local indices of the sheet's vertices
  Array<int> corner_;             ///< 3 per triangle, indices into vertex_
  Array<Vec3> sheet_, previous_;  ///< [m] vertices now and before the step
  Array<Vec3> centre_;            ///< [m] of the box that a triangle sweeps
  Array<Bounds> box_;             ///< [m] that box
  Array<Vec3> last_;              ///< [m] position before the step, per particle id
  Array<signed char> state_;      ///< per particle id: 1 followed, 2 has passed
  Array<signed char> pending_;    ///< per particle id: passages that count once the particle leaves the sheet
  DeviceResult<CrossingCount> count_;
  Reduction<SweptReach> sheet_reach_, path_reach_;
  Bounds bounds_{};    ///< [m] of the sheet, of the last step
  SearchLimit limit_;  ///< of the last step, with room
  UniformGrid grid_;
};

MERGANSER_END
