#pragma once
/// Impulses on held particles, for probes of forces: particles that never move or move as they are
/// told: [MS] has them as particles of infinite mass.
#include "device/launch.h"
#include "solvers/core/discarded_work.h"

MERGANSER_BEGIN

class HeldImpulses {
 public:
  virtual ~HeldImpulses() = default;
  /// Launches what writes, for each particle of the system that is held (HeldParticles), the impulse [N s]
  /// that the rest of its system gave to it in the step, and 0 for all others. When record_exchange() may be
  /// called, and with the same arguments.
  virtual void write_held_impulses(const StepContext&, const MetaParticleView&, View<const Vec3> end_velocity,
                                   View<Vec3> impulse) = 0;
  /// Then, of all systems: launches what adds the impulse that this system gave to held particles of others.
  /// `impulse` [N s] is indexed like the store.
  virtual void add_held_impulses(const StepContext&, const MetaParticleView&, View<Vec3> impulse) {
    (void)impulse;
  }
  /// After integrate(), before a pressure solve changes the end velocities, which are those of the system's
  /// own forces until then.
  virtual void before_pressure(const StepContext&, View<const Vec3> end_velocity) { (void)end_velocity; }
};

/// End velocities of a system's own forces [m/s], where a pressure solve changes them afterwards.
class SolvedVelocities {
 public:
  void keep(Range own, View<const Vec3> end_velocity) {
    kept_.resize(own.count);
    copy_on_device(kept_.data(), end_velocity.data + own.first, sizeof(Vec3) * size_t(own.count));
  }
  /// Of own particles: kept, or else those that there are.
  View<const Vec3> of(Range own, View<const Vec3> end_velocity) const {
    return kept_.empty() ? end_velocity.subview(own.first, own.count) : kept_.const_view();
  }

 private:
  Array<Vec3> kept_;
};

/// Of a formula of the ledger, which says of a held particle what it gave: StepExchange::impulse is -J.
template <class Exchange>
struct HeldImpulsesOf {
  static constexpr const char* name = "held impulses";
  Exchange exchange;
  View<Vec3> impulse;  ///< [N s] of own particles, written
  MERGANSER_METHOD void operator()(int i) const {
    const bool held = exchange.discarded.held.holds(exchange.first_particle + i);
    impulse[i] = held ? to_float(-exchange(i).impulse) : Vec3{0, 0, 0};
  }
};
template <class Exchange>
void write_held(const Exchange& exchange, View<Vec3> impulse) {
  launch(impulse.count, HeldImpulsesOf<Exchange>{exchange, impulse});
}

MERGANSER_END
