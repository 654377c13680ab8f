#pragma once
/// Collapse of a water column against Martin & Moyce (1952), n^2 = 2, a = 57.15 mm.
#include <gtest/gtest.h>

#include "tests/support/note.h"
#include "tests/support/reference.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace sph_test {

constexpr double martin_moyce_a = 0.05715;  ///< [m]

inline double interpolate(const std::vector<std::array<double, 2>>& curve, double t) {
  for (size_t k = 1; k < curve.size(); ++k)
    if (t <= curve[k][0]) {
      const double s = (t - curve[k - 1][0]) / (curve[k][0] - curve[k - 1][0]);
      return curve[k - 1][1] + s * (curve[k][1] - curve[k - 1][1]);
    }
  return curve.back()[1];
}

/// A slab of a x 8 particles x 2a in x, y, z on a floor that leans on the wall x = 0, periodic in y; `across`
/// particles per a.
inline InitialState martin_moyce_column(const char* method, int across) {
  const double spacing = martin_moyce_a / across;
  InitialState state;
  state.systems = {new_system(method)};
  state.systems[0].fluid.particle_radius = spacing / 2;
  add_block(state.systems[0], {0, 0, 0}, across, 8, 2 * across);
  state.walls.push_back({.shape = WallShape::plane, .direction = {0, 0, 1}});
  state.walls.push_back({.shape = WallShape::plane, .direction = {1, 0, 0}});
  state.periodic_length = {0, 8 * spacing, 0};
  return state;
}

/// Bars: front within 8 % after one shift of the time T by at most 0.25 (the gate of the experiment takes
/// time to open), mean late speed dZ/dT in 1.2..1.7, residual height within 0.05.
inline void expect_martin_moyce(const InitialState& state, int across) {
  MERGANSER_REFERENCE_OR_SKIP(front, "martin_moyce_n2_2_a2.25in_table2_front.csv");
  MERGANSER_REFERENCE_OR_SKIP(height, "martin_moyce_n2_2_a2.25in_table6_height.csv");
  const double a = martin_moyce_a, g = 9.81, spacing = a / across;
  Driver driver(state);
  std::vector<std::array<double, 2>> Z{{0, 1}}, H{{0, 1}};
  driver.run_until(3.4 / std::sqrt(2 * g / a), [&](Driver& d) {
    if (d.steps % 10) return;
    // The front is where the third particle from the front is (8 make one row), the height is that beside the
    // wall.
    std::vector<float> x;
    double top = 0;
    for (const Vec3& p : d.store.position.to_host()) {
      x.push_back(p.x);
      if (p.x < 2 * spacing) top = std::max(top, double(p.z));
    }
    std::sort(x.begin(), x.end());
    Z.push_back({d.time * std::sqrt(2 * g / a), (x[x.size() - 3] + spacing / 2) / a});
    H.push_back({d.time * std::sqrt(g / a), (top + spacing / 2) / (2 * a)});
  });

  double best = 1e9, best_shift = 0;
  for (double shift = -0.25; shift <= 0.2501; shift += 0.01) {
    double worst = 0;
    for (const auto& row : front)
      worst = std::max(worst, std::abs(interpolate(Z, std::max(0.0, row[0] - shift)) / row[1] - 1));
    if (worst < best) best = worst, best_shift = shift;
  }
  const double late_speed = (interpolate(Z, 3.3) - interpolate(Z, 2.3)) / 1.0;
  double height_error = 0;
  for (const auto& row : height)
    if (row[0] < H.back()[0])
      height_error = std::max(height_error, std::abs(interpolate(H, row[0]) - row[1]));
  note("front error %.1f %% at shift %.2f, late speed %.2f, height error %.3f, %lld steps\n", 100 * best,
       best_shift, late_speed, height_error, driver.steps);
  EXPECT_LT(best, 0.08);
  EXPECT_GT(late_speed, 1.2);
  EXPECT_LT(late_speed, 1.7);
  EXPECT_LT(height_error, 0.05);
}

}  // namespace sph_test
MERGANSER_END
