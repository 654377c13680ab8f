#pragma once
/// Overlaps of bodies at the start.
#include <vector>

#include "solvers/core/initial_state.h"

namespace merganser {

/// Particles of two bodies that are nearer than their radii at the start; in a periodic domain also of one
/// body, from half of that on.
struct BodyOverlap {
  int body_a, body_b;  ///< indices into InitialState::bodies
  long long pairs = 0;
  double deepest = 0;  ///< [m]
  bool more = false;  ///< counting stopped, for too many particles lie in each other: there are more overlaps
};

/// Pairs of bodies with overlaps, of those that are there at the start, by a cell list, in about linear time:
/// counting stops where hundreds of particles lie in each other. Distances are those of the nearest images.
std::vector<BodyOverlap> find_overlaps(const InitialState& initial);
/// The same of the systems' particles with a diameter of `distance` [m], whatever their radii are; also of
/// one body in an open domain.
std::vector<BodyOverlap> find_doubled(const std::vector<int>& systems, double distance,
                                      const InitialState& initial);

}  // namespace merganser
