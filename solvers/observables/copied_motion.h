#pragma once
/// Difference between the motions of a body and of a copy of it.
#include "device/particle_store.h"
#include "device/reduce.h"

MERGANSER_BEGIN

/// Two bodies of one system with equally many particles; the k-th of each by id belong together.
class CopiedMotion {
 public:
  /// Throws InputError where the bodies differ in the number of particles.
  CopiedMotion(int system, int body, int copy, const ParticleStore& particles);
  /// Launches the search.
  void measure(const ParticleStore& particles);
  /// Largest |(x_copy - x_body) - (its value of the first pair at the beginning)| [m], of the last
  /// fetch_results(). Pairs of which a kill box has removed a particle are left out.
  double largest_deviation() const { return largest_.fetched(); }

 private:
  int system_, body_, copy_;
  int count_, first_id_, first_id_of_copy_;
  Vec3d offset_;      ///< [m]
  Array<int> place_;  ///< index + 1 of each id, 0 = removed: the body's, then the copy's
  Reduction<double> largest_;
};

MERGANSER_END
