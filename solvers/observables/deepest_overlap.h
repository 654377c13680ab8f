#pragma once
/// Depth of a step's deepest overlapping pair: the measure that all contact methods share.
#include "device/particle_store.h"
#include "device/reduce.h"
#include "solvers/coupling/merge_split/contact_detection.h"

MERGANSER_BEGIN

class DeepestOverlap {
 public:
  /// Launches the search for the largest (r_i + r_j - |x_j - x_i|)/(r_i + r_j) over the pairs; 0 where there
  /// is none, 1 for coincident particles. `particles` must hold the positions that the contacts were found
  /// at. Periodic axes have length > 0 [m].
  void measure(const ParticleStore& particles, const ContactDetection& contacts, Vec3 periodic_length);
  /// Of the last measure(), as of the last fetch_results().
  double measured() const { return any_ ? reduction_.fetched() : 0; }

 private:
  bool any_ = false;  ///< pairs
  Reduction<float> reduction_;
};

MERGANSER_END
