#pragma once
/// A body of springs for tests, and its driver.
#include "device/launch.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/mass_spring/mass_spring.h"
#include "tests/support/step_driver.h"
#include "tests/support/test_namespace.h"

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

class MassSpringDriver : public StepDriver<System> {
 public:
  explicit MassSpringDriver(const SystemState& state, Vec3 gravity_of = {0, 0, 0})
      : StepDriver(initial_particles(state), gravity_of) {
    system = std::make_unique<MassSpring>(state, 0, store);
    end_velocity.resize(store.count());
  }
};

}  // namespace test
MERGANSER_END
