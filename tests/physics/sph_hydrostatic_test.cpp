/// A column of water at rest in a tank: p = rho g (h - z).
#include <gtest/gtest.h>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace sph_hydrostatic_test {

using namespace sph_test;

/// Released from uniform density, the column rings like a spring, with wave number pi/(2h), until viscosity
/// nu has damped it: by exp(-3 nu pi^2 t/(8 h^2)), 1 % after 2.1 s for 0.0233 m^2/s; compression meets three
/// times as much as shear. Then particles in the corners sink for a second. Bars: pressure within 2 % of rho
/// g h everywhere, speed at most 0.01 sqrt(g h). The free surface lies half a spacing above the top layer.
TEST(SphHydrostatic, ColumnInATank) {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.005;
  fluid.parameters.of<SphParameters>().viscosity_model = ViscosityModel::laminar;
  fluid.parameters.of<SphParameters>().viscosity = 0.0233;
  const int n = 8, layers = 20;
  const double spacing = 0.01, g = 9.81, rho = 1000, height = layers * spacing;
  add_block(fluid, {0, 0, 0}, n, n, layers);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {n * spacing, n * spacing, 1}});
  Driver driver(state);
  driver.run_until(3);

  double speed = 0;
  driver.run_until(3.05, [&](Driver& d) { speed = std::max(speed, d.max_speed()); });
  EXPECT_LT(speed, 0.01 * std::sqrt(g * height));
  const auto pressure = driver.field("pressure");
  const auto position = driver.store.position.to_host();
  double top = 0;
  for (const Vec3& x : position) top = std::max(top, double(x.z));
  const double surface = top + spacing / 2;
  EXPECT_NEAR(surface, height, spacing);
  double worst = 0;
  for (size_t i = 0; i < position.size(); ++i) {
    const double expected = rho * g * (surface - position[i].z);
    worst = std::max(worst, std::abs(pressure[i] - expected));
    EXPECT_GT(position[i].z, 0.2 * spacing);  // no particle has sunk into the floor
  }
  EXPECT_LT(worst, 0.02 * rho * g * height);
  RecordProperty("worst_pressure_error_percent", std::to_string(100 * worst / (rho * g * height)));
  RecordProperty("speed_over_sqrt_gh", std::to_string(speed / std::sqrt(g * height)));
  note("pressure error %.2f %% of rho g h, speed %.4f sqrt(g h), surface %.4f of %.4f m\n",
       100 * worst / (rho * g * height), speed / std::sqrt(g * height), surface, height);
}

/// Released from uniform density it rings with the default artificial viscosity, too. The mean pressure of
/// the bottom layer varies by less than 3 % of rho g h (standard deviation) after 2 s; by a third of it
/// without the acoustic damping.
TEST(SphHydrostatic, BottomOfATankIsQuiet) {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.01;
  const int n = 8, layers = 12;
  const double spacing = 0.02, height = layers * spacing;
  add_block(fluid, {0, 0, 0}, n, n, layers);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {n * spacing, n * spacing, 1}});
  Driver driver(state);
  driver.run_until(2);
  double sum = 0, squares = 0, count = 0;
  driver.run_until(2.3, [&](Driver& d) {
    const auto pressure = d.field("pressure");
    const auto position = d.store.position.to_host();
    double layer = 0, particles = 0;
    for (size_t i = 0; i < position.size(); ++i)
      if (position[i].z < spacing) layer += pressure[i], particles += 1;
    const double p = layer / particles;
    sum += p, squares += p * p, count += 1;
  });
  const double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean);
  EXPECT_LT(deviation, 0.03 * 1000 * 9.81 * height);
  note("bottom: mean %.4f, standard deviation %.4f of rho g h\n", mean / (9810 * height),
       deviation / (9810 * height));
}

}  // namespace sph_hydrostatic_test
MERGANSER_END
