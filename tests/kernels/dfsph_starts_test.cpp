/// Pressures that the solves of DFSPH start from.
#include <gtest/gtest.h>

#include "solvers/methods/dfsph/factors.h"
#include "solvers/methods/dfsph/pressure_kernels.h"

MERGANSER_BEGIN
namespace dfsph_starts_test {

/// Fluid at rest starts from what lasts of the last pressures, fluid that moves a twentieth of a spacing a
/// step from all of them; none below 0, none where there was none.
TEST(DfsphPressures, StartFromWhatLasts) {
  const std::vector<float> means{40, 40, 40, -40, 900, 40}, last{500, 500, 500, 500, 500, 0};
  const std::vector<Vec3> velocities{{0, 0, 0}, {0, 0.3f, 0.4f}, {5, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const Array<float> mean(means);
  const Array<Vec3> velocity(velocities);
  Array<float> steady(std::vector<float>(6, 1)), pressure(last);
  const auto follow = [&](View<const PressureState> state, bool takes_level) {
    launch(6, FollowPressures{.mean = mean.const_view(),
                              .velocity = velocity.const_view(),
                              .per_spacing = 0.05f,
                              .state = state,
                              .takes_level = takes_level,
                              .steady = steady.view(),
                              .pressure = pressure.view()});
    return pressure.to_host();
  };
  PressureState full{};
  full.level = 30;
  const Array<PressureState> state(std::vector<PressureState>{full});
  const double expected[] = {500 - 0.95 * 40, 500 - 0.5 * 40, 500, 500 + 0.95 * 40, 0, 0};
  const auto found = follow(state.const_view(), false);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-3) << i;
  EXPECT_EQ(found, steady.to_host());

  pressure.assign(last);
  const double without_level[] = {470 - 0.95 * 10, 470 - 0.5 * 10, 470, 470 + 0.95 * 70, 0, 0};
  const auto levelled = follow(state.const_view(), true);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(levelled[i], without_level[i], 1e-3) << i;
}
/// The level of a full vessel is the lowest pressure of all; 0 where one particle is at a free surface, or
/// takes no part. Solves start without it.
TEST(DfsphPressures, LevelOfAFullVessel) {
  const int n = 300;  // of several blocks, without neighbors: the step is -source/(dt^2 A)
  UniformGrid grid;
  std::vector<Vec3> x;
  for (int i = 0; i < n; ++i) x.push_back({3.0f * float(i), 0, 0});
  const Array<Vec3> position(x);
  grid.build(position.const_view(), 1);
  NeighborRows rows;
  rows.build(grid.view(), 1);
  const auto level = [&](float compression, float diagonal) {
    std::vector<Quad> packed;
    std::vector<float> lacking(size_t(n), 0), inverse(size_t(n), 1);
    for (int i = 0; i < n; ++i) packed.push_back({x[size_t(i)].x, 0, 0, 70 + float((i * 37) % n)});
    lacking[123] = compression, inverse[200] = diagonal;
    PressureState start{};
    start.dt = 1, start.stiffest = 1, start.active = 1, start.max_iterations = 9;
    Array<PressureState> state(std::vector<PressureState>{start});
    Array<Quad> position_and_pressure(packed), nothing(std::vector<Quad>(size_t(n), Quad{0, 0, 0, 1}));
    const Array<float> compressions(lacking), inverses(inverse);
    Array<float> source(n), pressure(n), last_pressure(n), last_residual(n);
    source.zero(), pressure.zero();
    Reduction<PressureResiduals> residuals;
    residuals.run(
        n, PressureUpdate<CubicSpline<float>>{
               .pairs = {CubicSpline<float>(0.5f), 1, rows.view(), position_and_pressure.const_view(), {}},
               .state = state.view(),
               .acceleration = nothing.const_view(),
               .source = source.const_view(),
               .inverse_diagonal = inverses.const_view(),
               .wall = nothing.const_view(),
               .compression = compressions.const_view(),
               .count = n,
               .pressure = pressure.view(),
               .last_pressure = last_pressure.view(),
               .last_residual = last_residual.view(),
               .position = position_and_pressure.view()});
    for (const bool takes_level : {false, true}) {
      launch(n, StartPressures{.inverse_diagonal = inverses.const_view(),
                               .warm = true,
                               .state = state.const_view(),
                               .takes_level = takes_level,
                               .pressure = pressure.view(),
                               .position = position_and_pressure.view()});
      const float taken = takes_level ? read_back(state.const_view(), 0).level : 0;
      EXPECT_EQ(pressure.to_host()[1], 107 - taken);
    }
    return read_back(state.const_view(), 0).level;
  };
  EXPECT_EQ(level(-0.09f, 1), 70);
  EXPECT_EQ(level(-0.11f, 1), 0);
  EXPECT_EQ(level(0, 0), 0);
}

/// What is too dense at the start may stay so; what comes apart by more than the slack has less from then on,
/// and never gets it back.
TEST(DfsphRestExcess, IsThatOfTheStartAndOnlyFalls) {
  std::vector<float> host(3, 0.0f);
  const View<float> of{host.data(), 3};
  const auto after = [&](bool measures, const std::vector<float>& compression) {
    for (int i = 0; i < 3; ++i) RestExcess{of, measures, 0.01f}.follow(i, compression[size_t(i)]);
    return host;
  };
  EXPECT_EQ(after(true, {0.2f, 0.05f, -0.3f}), (std::vector<float>{0.2f, 0.05f, 0}));
  EXPECT_EQ(after(false, {0.5f, 0.045f, 0.1f}), (std::vector<float>{0.2f, 0.05f, 0}));
  EXPECT_EQ(after(false, {0.1f, -0.2f, 0}), (std::vector<float>{0.1f + 0.01f, 0.01f, 0}));
  EXPECT_EQ(after(false, {0.3f, 0.3f, 0.3f}), (std::vector<float>{0.1f + 0.01f, 0.01f, 0}));
}

}  // namespace dfsph_starts_test
MERGANSER_END
