#pragma once
/// Boxes that a fluid's particles must not leave.
#include <optional>

#include "device/compact.h"
#include "device/particle_store.h"
#include "device/reduce.h"
#include "solvers/base/parameter_table.h"

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

  /// What was removed, in the order of the store.
  struct Removal {
    HostParticles particles;
    /// What is left: new particle k of the system is old particle kept[k], local indices.
    View<const int> kept;
  };
  /// Takes particles out of the store; none where nobody has left. Blocking.
  std::optional<Removal> remove_outside(ParticleStore& particles);
  int system_index() const { return system_index_; }

 private:
  int system_index_;
  Array<KillBoxCorners> boxes_;
  Array<int> outside_, inside_, gone_, kept_, offsets_;
  Array<int> gone_count_, kept_count_;
  Scratch scratch_;
  Reduction<int> outside_sum_;
};

MERGANSER_END
