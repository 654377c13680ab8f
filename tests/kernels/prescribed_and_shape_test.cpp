/// Prescribed turns end on their circle; the shape error sees deformation and nothing else.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/core/initial_particles.h"
#include "solvers/core/prescribed_motions.h"
#include "solvers/observables/shape_error.h"

MERGANSER_BEGIN
namespace prescribed_and_shape_test {

SystemState held_particles(const std::vector<Float3>& positions) {
  SystemState state;
  for (const Float3& x : positions) {
    state.position.push_back(x);
    state.velocity.push_back({0, 0, 0});
    state.mass.push_back(1);
    state.radius.push_back(0.1f);
    state.immobile.push_back(1);
    state.body.push_back(0);
  }
  return state;
}

/// A quarter turn about (1, 0, 0), which moves with 2 m/s along z, in ten steps that overlap its end: the arm
/// (1, 0, 0) becomes (0, 1, 0). Tolerance: ten roundings of floats of size 2.
TEST(PrescribedMotions, TurnsStayOnTheirCircle) {
  SystemState state = held_particles({{2, 0, 0}});
  state.prescribed.push_back({.particles = {0},
                              .velocity = {0, 0, 2},
                              .start_time = 0.05,
                              .end_time = 0.95,
                              .angular_velocity = {0, 0, M_PI / 2 / 0.9},
                              .centre = {1, 0, 0}});
  ParticleStore store;
  store.add_system(initial_particles(state));
  const PrescribedMotions motions(state);
  for (int step = 0; step < 10; ++step) {
    motions.set_velocities(store, 0, 0.1 * step, 0.1);
    const Vec3 x = store.position.to_host()[0], v = store.velocity.to_host()[0];
    store.position.assign(std::vector<Vec3>{x + 0.1f * v});
  }
  EXPECT_LT(norm(store.position.to_host()[0] - Vec3{1, 1, 1.8f}), 3e-6f);
}

/// Turned and moved: nothing. One of eight corners of a unit cube moved by d: more than nothing, and less
/// than 2 d/8 (the fit moves the others by as much in all at most).
TEST(ShapeError, SeesDeformationOnly) {
  std::vector<Float3> rest, turned;
  for (int k = 0; k < 8; ++k) {
    const float x = float(k & 1), y = float(k >> 1 & 1), z = float(k >> 2);
    rest.push_back({x, y, z});
    turned.push_back({5 - y, x - 3, z + 2});
  }
  for (float d : {0.0f, 0.1f}) {
    turned[0][2] = 2 - d;
    ParticleStore store;
    store.add_system(initial_particles(held_particles(turned)));
    ShapeError measure(0, 0, rest);
    measure.measure(store);
    fetch_results();
    const double error = measure.measured();
    EXPECT_GE(error, 0.1f * d);
    EXPECT_LT(error, 0.25f * d + 1e-6);
  }
}

}  // namespace prescribed_and_shape_test
MERGANSER_END
