#pragma once
/// Topological neighborhoods of a system ([TN] sec. 5), for frames and observables.
#include <cstdint>
#include <vector>

#include "device/particle_store.h"

MERGANSER_BEGIN

/// Linked pairs of a system's particles for frames, local indices: row i is [first[i], first[i + 1]).
struct LinkedPairs {
  std::vector<std::int32_t> first, neighbor;
  std::vector<float> age;  ///< [TN] eq. 6
};

class TopologicalLinks {
 public:
  virtual ~TopologicalLinks() = default;
  /// The linked pairs, both directions; empty where the neighborhoods are others.
  virtual LinkedPairs linked_pairs() const = 0;
  /// Number of linked pairs between two bodies of the system. Blocking.
  virtual long long links_between(const ParticleStore& particles, int body, int other) = 0;
  /// Pairs that the updates since the last call have seen first when they were nearer than h/2: they came
  /// from beyond 2h without acting on each other.
  virtual long long take_late_pairs() = 0;
};

MERGANSER_END
