/// DFSPH between walls with images: tanks at rest as hydrostatics says, whatever the viscosity.
#include <gtest/gtest.h>

#include "solvers/core/smoothing_kernels.h"
#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "tests/support/driven_fluids.h"
#include "tests/support/martin_moyce.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace {

using namespace sph_test;

constexpr double g = 9.81, rho = 1000, spacing = 0.01;

InitialState tank(int n, int layers, DfsphWallPressure walls) {
  InitialState state;
  state.systems = {new_system("dfsph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = spacing / 2;
  fluid.parameters.of<DfsphParameters>().wall_pressure = walls;
  add_block(fluid, {0, 0, 0}, n, n, layers);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {n * spacing, n * spacing, 1}});
  state.max_time_step = 2e-3;
  return state;
}

/// A tank of n x n x layers particles without viscosity from `start` to `end` [s].
struct Tank {
  std::vector<double> layer;      ///< mean of p - rho g (H - z), share of rho g H; z of the particles
  std::vector<double> deviation;  ///< standard deviation of gauges half way down, share of their means
  double highest = -1;            ///< energy less that at the start, share of m g H
  double kinetic = 0;             ///< mean, share of m g H
  double floor = 0;               ///< mean force on the walls along z, share of the weight

  Tank(int n, int layers, DfsphWallPressure walls, double start, double end) : layer(size_t(layers), 0) {
    const double height = layers * spacing;
    Driver driver(tank(n, layers, walls));
    const double mass = rho * std::pow(spacing, 3) * n * n * layers, scale = mass * g * height;
    const auto potential = [&] {
      double sum = 0;
      for (const Vec3& x : driver.store.position.to_host()) sum += x.z;
      return mass * g * sum / driver.store.count();
    };
    const double at_start = potential();
    std::vector<double> count(layer.size(), 0);
    const double half = n * spacing / 2;
    const std::vector<Vec3d> gauges = {{0, half, height / 2}, {half, half, height / 2}, {0, 0, height / 2}};
    std::vector<std::vector<double>> readings(gauges.size());
    double time = 0, impulse = 0, last = 0;
    long long iterations = 0;
    driver.run_until(end, [&](Driver& now) {
      const double kinetic_now = sums_of(now).kinetic_energy / scale;
      highest = std::max(highest, kinetic_now + (potential() - at_start) / scale);
      iterations += now.system->statistics(now.store).iterations[0];
      if (now.time < start) {
        last = now.time;
        return;
      }
      const SystemStatistics statistics = now.system->statistics(now.store);
      const double dt = now.time - last;
      last = now.time;
      time += dt, kinetic += dt * kinetic_now;
      impulse += statistics.exchange.wall_impulse.z;
      const auto pressure = now.field("pressure");
      const auto position = now.store.position.to_host();
      for (size_t i = 0; i < position.size(); ++i) {
        const double z = position[i].z;
        const size_t k = size_t(std::clamp(int(z / spacing), 0, layers - 1));
        layer[k] += pressure[i] - rho * g * (height - z), ++count[k];
      }
      const CubicSpline<double> kernel(spacing);
      for (size_t k = 0; k < gauges.size(); ++k) {
        double weight = 0, sum = 0;
        for (size_t i = 0; i < position.size(); ++i) {
          const double w = kernel.value(norm(to_double(position[i]) - gauges[k]));
          weight += w, sum += w * pressure[i];
        }
        readings[k].push_back(sum / weight);
      }
    });
    kinetic /= time, floor = impulse / (time * mass * g);
    for (size_t k = 0; k < layer.size(); ++k) layer[k] /= count[k] * rho * g * height;
    for (const auto& read : readings) {
      double mean = 0, squares = 0;
      for (const double p : read) mean += p / double(read.size());
      for (const double p : read) squares += (p - mean) * (p - mean) / double(read.size());
      deviation.push_back(std::sqrt(squares) / mean);
      note("gauge: %.0f Pa, standard deviation %.1f %%\n", mean, 100 * deviation.back());
    }
    for (size_t k = 0; k < layer.size(); ++k)
      note("layer %zu: %+.2f %% of rho g H, %+.2f %% of its own\n", k, 100 * layer[k],
           100 * layer[k] * layers / (layers - double(k) - 0.5));
    note(
        "energy at most %+.5f, kinetic %.5f of m g H, floor %.4f of the weight, %lld steps, %.1f "
        "iterations\n",
        highest, kinetic, floor, driver.steps, double(iterations) / double(driver.steps));
  }
};

TEST(DfsphImageWalls, Probe) {
  for (const auto w :
       {DfsphWallPressure::images, DfsphWallPressure::mirrored, DfsphWallPressure::conservative}) {
    note("walls %d\n", int(w));
    Tank(8, 20, w, 0.4, 1);
  }
}
TEST(DfsphImageWalls, Fall) {
  for (const auto w :
       {DfsphWallPressure::images, DfsphWallPressure::mirrored, DfsphWallPressure::conservative}) {
    InitialState state = martin_moyce_column("dfsph", 16);
    state.systems[0].parameters.of<DfsphParameters>().wall_pressure = w;
    note("walls %d\n", int(w));
    expect_martin_moyce(state, 16);
  }
}

}  // namespace
MERGANSER_END
