#pragma once
/// Steps one system alone, as the simulation does without contacts.
#include <memory>

#include "solvers/core/advance.h"
#include "solvers/core/initial_particles.h"
#include "solvers/core/system.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

/// A driver derives from it, adds particles to the store and makes the system.
template <class SystemType>
class StepDriver {
 public:
  virtual ~StepDriver() = default;
  virtual StepContext context(double dt) { return {store, report, gravity, time, dt, steps, walls, false}; }
  void step(double dt) {
    const StepContext step = context(dt);
    end_velocity.resize(store.count());
    system->prepare(step);
    begin_integration(dt);
    system->integrate(step, MetaParticleView{}, 0, end_velocity.view());
    system->record_exchange(step, MetaParticleView{}, end_velocity.const_view());
    advance_particles(store, end_velocity.const_view(), float(dt), report.view());
    system->advanced(step);
    meet_walls();
    system->finish(step, end_velocity.const_view());
    time += dt;
    ++steps;
  }
  void run(int count, double dt) {
    for (int k = 0; k < count; ++k) step(dt);
  }
  std::vector<Vec3> positions() const { return store.position.to_host(); }
  std::vector<Vec3> velocities() const { return store.velocity.to_host(); }

  ParticleStore store;
  KernelReport report;
  std::unique_ptr<SystemType> system;
  Array<Vec3> end_velocity;
  Vec3 gravity;         ///< [m/s^2]
  WallView walls = {};  ///< that the system feels in its solve
  double time = 0;      ///< [s]
  long long steps = 0;

 protected:
  /// Before integrate().
  virtual void begin_integration(double) {}
  StepDriver(const HostParticles& particles, Vec3 gravity_of) : gravity(gravity_of) {
    store.add_system(particles);
  }
  /// After positions have advanced.
  virtual void meet_walls() {}
};

}  // namespace test
MERGANSER_END
