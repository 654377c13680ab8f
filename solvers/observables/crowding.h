#pragma once
/// Bodies that have less room than they need: in a tank that is too full, between walls or plates that close.
///
/// A particle needs the volume V = (2 r)^3. There is, with the kernel W of Wendland (1995),
///   V_there = V / max(1, c),   c = sum_j V_j W(x_ij) / prod_k (1 - lambda(d_k)),
/// and none where its centre is more than r behind a wall. The smoothing length h is 3 r, or less in a period
/// that does not hold three supports of 2 h. lambda is the share of the kernel behind a plane at the distance
/// d_k of wall k,
///   lambda(s) = (2 - s)^6 (3 s^2 + 6 s + 4)/512,   s = d/h in [0, 2],
/// and 1 - lambda(-s) behind it. c is 1 in a lattice at rest, and 2 where two particles have the room of one.
#include <set>
#include <string>
#include <vector>

#include "device/particle_store.h"
#include "solvers/core/initial_state.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// [m^3] Of a body, or of a fluid with all its bodies.
struct RoomOfBody {
  std::string path;  ///< key path of the body or the fluid
  double needed = 0, there = 0;
  Point3 place{0, 0, 0};  ///< [m] middle of what lacks room
};

class Crowding {
 public:
  explicit Crowding(const InitialState& initial);
  /// Volumes as the particles lie, of all that are there. Blocking.
  std::vector<RoomOfBody> measure(const ParticleStore& particles, const WallView& walls) const;
  /// What is to be said of those that lack more than may be and were not named before.
  std::vector<std::string> new_warnings(const ParticleStore& particles, const WallView& walls);

 private:
  float smoothing_radii(float greatest_radius) const;
  struct Part {
    std::string path;
    double least;  ///< share of its volume without a word
  };
  std::vector<Part> parts_;
  std::vector<int> part_of_;  ///< by body
  std::set<std::string> named_;
  Vec3 period_origin_, period_;
  bool bodies_meet_;  ///< contacts or pressure keep systems apart
};

MERGANSER_END
