/// DFSPH: what the density solve leaves, found in double precision from where particles were and went.
#include <gtest/gtest.h>

#include <algorithm>

#include "solvers/methods/dfsph/compression_mean.h"
#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "tests/support/dfsph_reference.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace dfsph_density_test {

using namespace sph_test;

/// Mean of what is too dense: what a solve takes away of the compression (compression_mean.h) and what
/// `velocity` adds to it in dt [s].
double too_dense(const dfsph_test::Reference& fluid, const std::vector<Vec3d>& velocity, double dt,
                 double tolerance) {
  const size_t count = velocity.size();
  std::vector<double> compression(count), dense(count), mean(count);
  for (size_t i = 0; i < count; ++i) {
    compression[i] = fluid.compression(i);
    dense[i] = compression[i] > -surface_lack ? compression[i] : 0;
  }
  for (size_t i = 0; i < count; ++i) mean[i] = fluid.mean(i, dense);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const float taken = compression_now(float(compression[i]), float(fluid.mean(i, mean)),
                                        float(slow_bound * tolerance), {}, true);
    sum += std::max(0.0, double(taken) + dt * fluid.rate(i, velocity));
  }
  return sum / double(count);
}

/// Two blocks of fluid hit each other with 8 m/s in free space: from where particles are and with what
/// velocities they go, after steps of which much was asked as well, less than the tolerance is left.
void expect_error_below(double tolerance) {
  InitialState state;
  state.gravity = {0, 0, 0};
  state.systems = {new_system("dfsph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.05;
  add_block(fluid, {2.2, 0, 0}, 6, 6, 6);
  add_block(fluid, {-2.8, 0.13, 0.04}, 6, 6, 6);
  for (size_t i = 0; i < fluid.velocity.size(); ++i) fluid.velocity[i] = {i < 216 ? -4.0f : 4.0f, 0, 0};
  fluid.parameters.of<DfsphParameters>().max_density_error = tolerance;
  Driver driver(state);
  const auto by_id = [&](const Array<Vec3>& values) {
    std::vector<Vec3d> sorted(values.size());
    const auto id = driver.store.id.to_host();
    const auto all = values.to_host();
    for (size_t i = 0; i < sorted.size(); ++i) sorted[size_t(id[i])] = to_double(all[i]);
    return sorted;
  };
  int hard = 0;
  double most_asked = 0, most_left = 0;
  for (int step = 0; step < 160; ++step) {
    const dfsph_test::Reference before{by_id(driver.store.position), {}, 0.1, 1e-3};
    const std::vector<Vec3d> velocity = by_id(driver.store.velocity);
    const double dt = std::min(0.01, driver.system->largest_time_step(driver.store));
    driver.step(dt);
    const double asked = too_dense(before, velocity, dt, tolerance);
    const double left = too_dense(before, by_id(driver.store.velocity), dt, tolerance);
    EXPECT_LT(left, tolerance) << step;
    hard += asked > 10 * tolerance;
    most_asked = std::max(most_asked, asked), most_left = std::max(most_left, left);
  }
  note("asked for at most %g, for much in %d steps, left at most %g\n", most_asked, hard, most_left);
  EXPECT_GT(hard, 10);
}

TEST(DfsphDensity, ErrorIsAtItsTolerance) {
  EXPECT_EQ(DfsphParameters{}.max_density_error, 1e-4);
  expect_error_below(1e-4);
  expect_error_below(1e-5);
}

}  // namespace dfsph_density_test
MERGANSER_END
