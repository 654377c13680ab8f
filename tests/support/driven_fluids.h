#pragma once
/// Shared parts of tests of fluids: states to the bit, restarts, jets, sums over particles.
#include <gtest/gtest.h>

#include <cstring>

#include "device/random.h"
#include "solvers/core/emitter.h"
#include "solvers/observables/particle_sums.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace sph_test {

/// All that a fluid is, with one of the fields of its frames.
struct FluidState {
  std::vector<int> id;
  std::vector<Vec3> x, v;
  std::vector<float> field;
  explicit FluidState(const Driver& d, const std::string& field_name = "")
      : id(d.store.id.to_host()),
        x(d.store.position.to_host()),
        v(d.store.velocity.to_host()),
        field(d.field(field_name)) {
    EXPECT_EQ(field.empty(), field_name.empty()) << field_name;
  }
  bool operator==(const FluidState& o) const {
    return id == o.id && field == o.field && x.size() == o.x.size() &&
           std::memcmp(x.data(), o.x.data(), x.size() * sizeof(Vec3)) == 0 &&
           std::memcmp(v.data(), o.v.data(), v.size() * sizeof(Vec3)) == 0;
  }
};

/// Puts `resumed`, made from the same scene, where `whole` is, as a checkpoint does.
inline void resume(const Driver& whole, Driver& resumed) {
  StateArchive archive;
  whole.system->save(archive, "systems/0");
  resumed.store.position.assign(whole.store.position.const_view());
  resumed.store.velocity.assign(whole.store.velocity.const_view());
  resumed.store.id.assign(whole.store.id.const_view());
  resumed.store.body.assign(whole.store.body.const_view());
  resumed.time = whole.time;
  resumed.steps = whole.steps;
  resumed.system->load(archive, "systems/0");
}

/// Steps of at most 1 ms, with what the emitter adds.
inline void run_jet(Driver& driver, Emitter& emitter, double end) {
  while (driver.time < end) {
    const Emitter::Emitted added = emitter.emit(driver.time, {0, 0, 0}, driver.store);
    if (added.brings.particles > 0)
      driver.system->particles_added(driver.store, added.brings.particles, added.box);
    driver.step(std::min(1e-3, driver.system->largest_time_step(driver.store)));
  }
}

/// A cube of 1,000 particles with velocities of up to 1 m/s along each axis.
inline void add_random_blob(SystemState& fluid) {
  fluid.fluid.particle_radius = 0.05;
  add_block(fluid, {-0.5, -0.5, -0.5}, 10, 10, 10);
  for (size_t i = 0; i < fluid.position.size(); ++i)
    for (size_t c = 0; c < 3; ++c)
      fluid.velocity[i][c] =
          2 * uniform_float(random_draw(5, RandomPurpose::test, unsigned(i), 0).word[c]) - 1;
}

inline ParticleSums sums_of(Driver& driver) {
  ParticleSummation summation;
  summation.measure(driver.store.const_view(), {0, driver.store.count()}, {0, 0, 0});
  fetch_results();
  return summation.sums();
}

}  // namespace sph_test
MERGANSER_END
