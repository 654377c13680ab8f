/// A standing wave of DFSPH against linear theory.
#include <gtest/gtest.h>

#include "tests/support/driven_fluids.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace dfsph_waves_test {

using namespace sph_test;

/// Half a wave in a basin 0.44 m long and 0.2 m deep, 22 x 10 particles, periodic across: eta = a cos(k x),
/// a = 0.033 m, w^2 = g k tanh(k h). The amplitude is that of the volume's moment, 2/(L b) sum V cos(k x).
/// Bars: w within 3 % (measured: 0.5 %; half a time step of a crossing, and (k a)^2/8 of a higher wave); from
/// the second crest on, for the column starts on a lattice that gives way, the amplitude falls by less than
/// 0.35/s (measured: 0.22/s, for any kernel, step, tolerance and height). Linear theory has no loss: this is
/// the scheme's own, as much as 2e-3 m^2/s of viscosity, and falls with the spacing.
TEST(DfsphWaves, StandingWaveOfLinearTheory) {
  const double d = 0.02, length = 0.44, depth = 0.2, height = 0.033, pi = 3.14159265358979;
  const double k = pi / length, frequency = std::sqrt(9.81 * k * std::tanh(k * depth));
  const int nx = 22, ny = 6;
  InitialState state;
  state.systems = {new_system("dfsph")};
  state.systems[0].fluid.particle_radius = d / 2;
  for (int i = 0; i < nx; ++i)
    add_block(state.systems[0], {i * d, 0, 0}, 1, ny,
              int(std::lround((depth + height * std::cos(k * (i + 0.5) * d)) / d)));
  for (const auto& [point, normal] : {std::pair<Point3, Point3>{{0, 0, 0}, {0, 0, 1}},
                                      {{0, 0, 0}, {1, 0, 0}},
                                      {{length, 0, 0}, {-1, 0, 0}}})
    state.walls.push_back({.shape = WallShape::plane, .point = point, .direction = normal});
  state.periodic_length = {0, ny * d, 0};
  state.max_time_step = 5e-3;
  Driver driver(state);
  std::vector<double> crossings, crests{0};
  double before = height, time_before = 0;
  driver.run_until(2.4, [&](Driver& now) {
    double moment = 0;
    for (const Vec3& x : now.store.position.to_host()) moment += std::cos(k * x.x);
    const double amplitude = 2 * d * d * d / (length * ny * d) * moment;
    if (amplitude * before < 0) {
      crossings.push_back(time_before + (now.time - time_before) * before / (before - amplitude));
      crests.push_back(0);
    }
    crests.back() = std::max(crests.back(), std::abs(amplitude));
    before = amplitude, time_before = now.time;
  });
  ASSERT_GE(crossings.size(), 4u);
  const size_t last = crossings.size() - 1;
  const double found = pi * double(last) / (crossings[last] - crossings[0]);
  const double loss = std::log(crests[1] / crests[last]) / (double(last - 1) * pi / frequency);
  note("frequency %.3f of theory, amplitude falls by %.3f/s\n", found / frequency, loss);
  EXPECT_NEAR(found / frequency, 1, 0.03);
  EXPECT_LT(loss, 0.35);
  EXPECT_GT(loss, 0);
}

}  // namespace dfsph_waves_test
MERGANSER_END
