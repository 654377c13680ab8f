#pragma once
/// Boxes that a fluid's particles must not leave.
#include <optional>

#include "device/compact.h"
#include "device/particle_store.h"
#include "device/reduce.h"
#include "solvers/base/parameter_table.h"
#include "solvers/core/emission.h"

MERGANSER_BEGIN

/// [m] lower and upper corner.
struct KillBoxCorners {
  Vec3 low, high;
  MERGANSER_METHOD bool holds(const Vec3& x) const {
    return x.x >= low.x && x.x <= high.x && x.y >= low.y && x.y <= high.y && x.z >= low.z && x.z <= high.z;
  }
};

/// Removes the particles of one system that are in none of its boxes. Positions that are no numbers stay, for
/// others to report.
class KillBox {
 public:
  KillBox(const Regions& regions, int system_index);

  /// What was removed.
  struct Removal {
    Emission particles;
    std::vector<int> of_body;  ///< how many of each body that was asked for
    /// What is left: new particle k of the system is old particle kept[k], local indices.
    View<const int> kept;
  };
  /// Looks for particles outside, at the end of a step; the result comes by fetch_results().
  void measure(const ParticleStore& particles);
  /// Takes them out of the store; nothing where nobody has left. Positions are those of measure(). Waits once
  /// where somebody has.
  std::optional<Removal> remove_outside(ParticleStore& particles, const Vec3& gravity,
                                        const std::vector<int>& bodies);
  int system_index() const { return system_index_; }

 private:
  int system_index_;
  Array<KillBoxCorners> boxes_;
  Array<int> outside_, inside_, gone_, kept_, offsets_;
  Array<int> gone_count_, kept_count_;
  Scratch scratch_;
  Reduction<int> outside_sum_;
  Reduction<Emission> sums_;
  std::vector<Reduction<int>> of_body_;
};

MERGANSER_END
