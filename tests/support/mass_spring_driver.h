#pragma once
/// Steps one mass-spring system alone: prepare, integrate, advance, as the simulation does without contacts.
#include "device/launch.h"
#include "solvers/core/advance.h"
#include "solvers/core/initial_particles.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/mass_spring/mass_spring.h"

MERGANSER_BEGIN
namespace test {

/// A system state that particles are added to one by one.
struct SpringBody : SystemState {
  SpringBody() {
    name = "body";
    use(*find_method("massSpring"));
  }
  void add(Float3 x, float particle_mass, bool fixed = false, Float3 v = {0, 0, 0}) {
    position.push_back(x);
    velocity.push_back(v);
    mass.push_back(particle_mass);
    radius.push_back(0.01f);
    immobile.push_back(fixed);
    body.push_back(0);
  }
};

class MassSpringDriver {
 public:
  explicit MassSpringDriver(const SystemState& state, Vec3 gravity = {0, 0, 0}) : gravity_(gravity) {
    store.add_system(initial_particles(state));
    system = std::make_unique<MassSpring>(state, 0, store);
    end_velocity.resize(store.count());
  }
  void step(double dt) {
    KernelReport report;
    StepContext context{store, report, gravity_, time, dt, steps++};
    system->prepare(context);
    system->integrate(context, MetaParticleView{}, 0, end_velocity.view());
    advance_particles(store, end_velocity.const_view(), float(dt), report.view());
    time += dt;
  }
  void run(int count, double dt) {
    for (int k = 0; k < count; ++k) step(dt);
  }
  std::vector<Vec3> positions() const { return store.position.to_host(); }
  std::vector<Vec3> velocities() const { return store.velocity.to_host(); }

  ParticleStore store;
  std::unique_ptr<System> system;
  Array<Vec3> end_velocity;
  double time = 0;
  long long steps = 0;

 private:
  Vec3 gravity_;
};

}  // namespace test
MERGANSER_END
