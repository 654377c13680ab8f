#pragma once
/// Blocks of fluid for tests, and a driver of one fluid of any method within walls.
#include <algorithm>
#include <cmath>

#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/make_system.h"
#include "solvers/methods/sph/sph.h"
#include "tests/support/step_driver.h"

MERGANSER_BEGIN

namespace sph_test {

/// Adds a particle of the fluid's mass at x.
inline void add_particle(SystemState& fluid, const Vec3d& x, const Vec3d& v = {0, 0, 0}) {
  const double spacing = 2 * fluid.fluid.particle_radius;
  fluid.position.push_back({float(x.x), float(x.y), float(x.z)});
  fluid.velocity.push_back({float(v.x), float(v.y), float(v.z)});
  fluid.mass.push_back(static_cast<float>(fluid.fluid.density0 * spacing * spacing * spacing));
  fluid.radius.push_back(static_cast<float>(fluid.fluid.particle_radius));
  fluid.immobile.push_back(0);
  fluid.body.push_back(0);
}

/// nx x ny x nz particles on a cubic lattice whose cells fill the box that starts at `low`.
inline void add_block(SystemState& fluid, const Vec3d& low, int nx, int ny, int nz) {
  const double s = 2 * fluid.fluid.particle_radius;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        add_particle(fluid, low + Vec3d{(i + 0.5) * s, (j + 0.5) * s, (k + 0.5) * s});
}

struct Driver : test::StepDriver<System> {
  explicit Driver(const InitialState& from)
      : StepDriver(initial_particles(from.systems[0], 0, 0),
                   {float(from.gravity[0]), float(from.gravity[1]), float(from.gravity[2])}),
        initial(from),
        contact(from) {
    system = make_system(from, 0, store);
  }
  StepContext context(double dt) override {
    StepContext step = StepDriver::context(dt);
    step.frame_end = frame_every > 0 && (steps + 1) % frame_every == 0;
    return step;
  }
  void meet_walls() override { contact.apply(store, gravity); }
  /// Steps of the largest stable size, the last one ending at `end`; each(*this) after every step.
  template <class Each>
  void run_until(double end, const Each& each) {
    while (time < end * (1 - 1e-12)) {
      step(std::min({system->largest_time_step(store), initial.max_time_step, end - time}));
      each(*this);
    }
  }
  void run_until(double end) {
    run_until(end, [](Driver&) {});
  }

  std::vector<float> field(const std::string& name) const {
    for (auto& [key, values] : system->frame_fields())
      if (key == name) return values;
    return {};
  }
  double max_speed() const {
    double most = 0;
    for (const Vec3& v : store.velocity.to_host()) most = std::max(most, double(norm(v)));
    return most;
  }

  InitialState initial;
  WallContact contact;
  int frame_every = 0;  ///< steps that make an output frame, 0 = no frames
};

}  // namespace sph_test

MERGANSER_END
