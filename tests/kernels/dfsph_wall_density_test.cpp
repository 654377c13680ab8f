/// Density beside conservative walls: the pressure force is its gradient, and lattices stay where they
/// are.
#include <gtest/gtest.h>

#include <cmath>

#include "device/launch.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/geometry/walls/wall.h"
#include "solvers/methods/dfsph/wall_density.h"

MERGANSER_BEGIN
namespace dfsph_wall_density_test {

/// 1 - Lambda and Lambda'/2 at heights over a plane.
struct SharesOverPlane {
  static constexpr const char* name = "test shares over a plane";
  WallView walls;
  DfsphWallFill fill;
  View<const float> height;  ///< [m]
  View<float> open, slope;   ///< written; 1 and 0 out of reach
  MERGANSER_METHOD void operator()(int i) const {
    open[i] = 1, slope[i] = 0;
    for_each_near_wall(walls, fill, i, {0, 0, height[i]}, [&](const Wall&, const WallShare& share) {
      open[i] = share.open, slope[i] = share.slope;
    });
  }
};

struct Shares {
  std::vector<float> open, slope;
};
template <class Kernel>
Shares shares_at(const std::vector<float>& heights, float spacing, float h, const WallDensity& density) {
  Walls walls({{.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {0, 0, 1}}});
  const WallVolumeMap fill(Kernel(1), h, wall_offset(Kernel(1), spacing, h));
  const Array<float> height(heights);
  Array<float> open(height.size()), slope(height.size());
  launch(
      height.size(),
      SharesOverPlane{walls.view(), {fill.view(), density}, height.const_view(), open.view(), slope.view()});
  return {open.to_host(), slope.to_host()};
}

/// Differences over 2 % of h of what stands in tables of 256 pieces: 2 % of the steepest slope. With walls
/// that mirror the formulas' 2 lambda' is twice the slope of the density.
template <class Kernel>
void expect_gradient(float factor) {
  constexpr float spacing = 0.02f;
  const float h = factor * spacing, step = 0.02f * h;
  std::vector<float> heights;
  for (float z = 0.3f * spacing; z < 2.2f * h; z += step) heights.push_back(z);
  for (const bool conservative : {true, false}) {
    const WallDensity density =
        conservative ? conservative_wall_density(Kernel(1), spacing, h) : WallDensity{};
    const Shares found = shares_at<Kernel>(heights, spacing, h, density);
    double steepest = 0, error = 0;
    for (const float slope : found.slope) steepest = std::max(steepest, 2.0 * std::abs(slope));
    for (size_t k = 1; k + 1 < heights.size(); ++k) {
      const double rise = -(double(found.open[k + 1]) - found.open[k - 1]) / (2.0 * step);
      error = std::max(error, std::abs(rise - 2.0 * found.slope[k]));
    }
    if (conservative) {
      EXPECT_LT(error, 0.02 * steepest) << factor;
    } else {
      EXPECT_GT(error, 0.4 * steepest) << factor;
    }
  }
}
TEST(DfsphWallDensity, ForceIsItsGradient) {
  for (const float factor : {0.8f, 1.0f, 1.5f}) {
    expect_gradient<CubicSpline<double>>(factor);
    expect_gradient<WendlandC2<double>>(factor);
  }
}

/// Half a spacing over the plane the density is that of a lattice, and equal pressures push its first layer
/// up from the plane as the layers above push it down: V sum 2 p grad W over these = 2 p lattice_slope.
/// Tables of 256 pieces: 1e-3.
template <class Kernel>
void expect_lattice_at_rest(float factor) {
  constexpr float spacing = 0.02f;
  const float h = factor * spacing;
  const WallDensity density = conservative_wall_density(Kernel(1), spacing, h);
  const Shares found = shares_at<Kernel>({spacing / 2}, spacing, h, density);
  const double inside = lattice_density(Kernel(1), spacing, h);
  EXPECT_NEAR(found.open[0], 1 - lattice_layers(Kernel(1), spacing, h, 1) / inside, 1e-3) << factor;
  double above = 0;
  const double d = spacing / h;
  for (int z = 1; z < 4; ++z)
    for (int y = -4; y <= 4; ++y)
      for (int x = -4; x <= 4; ++x) {
        const double r = d * std::sqrt(double(x * x + y * y + z * z));
        above += Kernel(1).derivative(r) * d * z / r * d * d * d / inside;
      }
  EXPECT_NEAR(found.slope[0] * h / above, 1, 5e-3) << factor;
}
TEST(DfsphWallDensity, LatticesStayWhereTheyAre) {
  for (const float factor : {0.8f, 1.0f, 1.5f}) {
    expect_lattice_at_rest<CubicSpline<double>>(factor);
    expect_lattice_at_rest<WendlandC2<double>>(factor);
  }
}

}  // namespace dfsph_wall_density_test
MERGANSER_END
