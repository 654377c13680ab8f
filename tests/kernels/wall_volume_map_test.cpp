/// The tabulated share of a kernel behind a plane against direct quadrature in three dimensions.
#include "solvers/coupling/boundary/wall_volume_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "device/launch.h"
#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN
namespace wall_volume_map_test {

struct SampleFill {
  static constexpr const char* name = "test sample fill";
  WallFillView fill;
  View<const float> distance;
  View<WallFillSample> sample;
  MERGANSER_METHOD void operator()(int i) const { sample[i] = fill.at(distance[i]); }
};

/// Midpoint sums over a cube of cells around the kernel's centre; the wall is the half space z < -d.
struct Quadrature {
  double fraction = 0, slope = 0, along = 0, normal = 0;
};
template <class Kernel>
Quadrature integrate_behind(const Kernel& kernel, double h, double d) {
  Quadrature q;
  const int n = 100;
  const double cell = 4 * h / n, volume = cell * cell * cell;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const double x = -2 * h + (i + 0.5) * cell, y = -2 * h + (j + 0.5) * cell,
                     z = -2 * h + (k + 0.5) * cell;
        if (z > -d) continue;
        const double r = std::sqrt(x * x + y * y + z * z), f = kernel.gradient_factor(r);
        q.fraction += volume * kernel.value(r);
        q.slope -= volume * f * z;       // z component of grad_i W with i at the origin
        q.along -= volume * f * x * x;   // share of a gradient along the wall
        q.normal -= volume * f * z * z;  // share of a gradient along its normal
      }
  return q;
}

/// With d on a border of cells the midpoint rule is good to about 2e-4 here.
template <template <class> class Kernel>
void expect_quadrature() {
  const double h = 0.25;
  const WallVolumeMap fill(Kernel<double>(1), float(h));
  std::vector<float> distances;
  for (int k = -11; k <= 11; ++k) distances.push_back(static_cast<float>(k * 0.16 * h));
  Array<float> distance(distances);
  Array<WallFillSample> sample(distance.size());
  launch(distance.size(), SampleFill{fill.view(), distance.const_view(), sample.view()});
  const auto samples = sample.to_host();
  for (size_t k = 0; k < distances.size(); ++k) {
    const double d = distances[k], lambda = samples[k].fraction, slope = samples[k].slope;
    const Quadrature expected = integrate_behind(Kernel<double>(h), h, d);
    EXPECT_NEAR(lambda, expected.fraction, 3e-4) << d;
    EXPECT_NEAR(slope * h, expected.slope * h, 3e-4) << d;
    // What wall_fill.h states of linear fields: shares behind the wall are lambda along it and lambda -
    // d lambda' across.
    EXPECT_NEAR(lambda, expected.along, 6e-4) << d;
    EXPECT_NEAR(lambda - d * slope, expected.normal, 6e-4) << d;
  }
}
TEST(WallVolumeMap, WendlandEqualsQuadrature) { expect_quadrature<WendlandC2>(); }
TEST(WallVolumeMap, CubicSplineEqualsQuadrature) { expect_quadrature<CubicSpline>(); }

TEST(WallVolumeMap, LimitsFarAndNear) {
  const WallVolumeMap fill(WendlandC2<double>(1), 0.5f);
  Array<float> distance(std::vector<float>{0, 1.0f, 5, -1.0f, -5, 0.999f});
  Array<WallFillSample> sample(6);
  launch(6, SampleFill{fill.view(), distance.const_view(), sample.view()});
  const auto s = sample.to_host();
  EXPECT_NEAR(s[0].fraction, 0.5, 1e-6);
  EXPECT_NEAR(s[0].slope, -1.5,
              1e-5);  // h lambda'(0) = -2 pi int W r dr = -21/8 (4 B(2, 5) + 16 B(3, 5)) = -3/4
  for (int k : {1, 2}) EXPECT_EQ(s[size_t(k)].fraction, 0);
  for (int k : {3, 4}) EXPECT_EQ(s[size_t(k)].fraction, 1);
  EXPECT_NEAR(s[5].fraction, 0, 1e-6);
}

}  // namespace wall_volume_map_test
MERGANSER_END
