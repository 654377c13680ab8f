#pragma once
/// The contact methods that [MS] sec. 6.1 compares merging-and-splitting with: penalty forces, SPH-based
/// forces, impulses. Each treats overlapping pairs one by one and the systems as black boxes.
#include "solvers/core/contact_parameters.h"
#include "solvers/core/merge_split_parameters.h"
#include "solvers/coupling/pairwise_contact/contact_rows.h"

MERGANSER_BEGIN

class PairwiseContacts {
 public:
  /// Does nothing for the methods mergingAndSplitting and none. Periodic axes have length > 0 [m].
  PairwiseContacts(ContactMethod method, const PairwiseContactParameters& parameters, Vec3 periodic_length);

  /// Penalty and SPH forces: adds dt f/m to the velocities that the systems start from (operator splitting:
  /// explicit in positions and velocities at the beginning of the step). Immobile particles push, but keep
  /// their velocity.
  void before_integration(ParticleStore& particles, const ContactDetection& contacts, double dt);
  /// Impulses: changes end-of-step velocities [m/s], indexed like the store. `particles` must still hold the
  /// positions that the contacts were found at.
  void after_integration(const ParticleStore& particles, const ContactDetection& contacts,
                         View<Vec3> end_velocity);

 private:
  ContactMethod method_;
  PairwiseContactParameters parameters_;
  Vec3 period_;
  ContactRows rows_;
  Array<Vec3> action_;  ///< per row: force [N] or impulse [N s]
  Array<float> pressure_;
  Array<int> approaching_;
};

MERGANSER_END
