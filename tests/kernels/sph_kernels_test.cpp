/// Smoothing kernels against their lattice sums, their own derivative and their integral.
#include "solvers/core/smoothing_kernels.h"

#include <gtest/gtest.h>

#include "tests/support/reference.h"

MERGANSER_BEGIN
namespace sph_kernels_test {

/// sum_j W V and -sum_j x_j dW/dx V over a cubic lattice of unit spacing around one of its points.
template <class Kernel>
void lattice_sums(const Kernel& kernel, double h, double& unity, double& gradient) {
  unity = gradient = 0;
  const int reach = static_cast<int>(2 * h) + 1;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z) {
        const double r = std::sqrt(double(x * x + y * y + z * z));
        if (r >= 2 * h) continue;
        unity += kernel.value(r);
        gradient -= x * x * kernel.gradient_factor(r);
      }
}

TEST(SphKernels, LatticeSumsEqualTheReference) {
  MERGANSER_REFERENCE_OR_SKIP(rows, "sph_kernel_lattice_sums.csv");
  for (const auto& row : rows) {
    const double h = row[0];
    double unity, gradient;
    lattice_sums(CubicSpline<double>(h), h, unity, gradient);
    EXPECT_NEAR(unity, row[2], 1e-5) << "cubic spline, h = " << h;
    EXPECT_NEAR(gradient, row[4], 1e-5) << "cubic spline, h = " << h;
    lattice_sums(WendlandC2<double>(h), h, unity, gradient);
    EXPECT_NEAR(unity, row[3], 1e-5) << "Wendland, h = " << h;
    EXPECT_NEAR(gradient, row[5], 1e-5) << "Wendland, h = " << h;
  }
}

/// Central differences of step 1e-5 h are good to about 1e-9 in double; float kernels round at 1e-6 of the
/// largest value.
template <template <class> class Kernel>
void expect_consistent_derivative() {
  const double h = 0.37;
  const Kernel<double> kernel(h);
  const Kernel<float> single(0.37f);
  const double scale = kernel.value(0.0);
  for (double r = 0.004; r < 2.2 * h; r += 0.0131) {
    const double e = 1e-5 * h;
    EXPECT_NEAR(kernel.derivative(r), (kernel.value(r + e) - kernel.value(r - e)) / (2 * e), 1e-6 * scale / h)
        << r;
    EXPECT_NEAR(single.value(float(r)), kernel.value(r), 2e-6 * scale);
    EXPECT_NEAR(single.derivative(float(r)), kernel.derivative(r), 4e-6 * scale / h);
  }
  EXPECT_EQ(kernel.value(2 * h), 0);
  EXPECT_EQ(kernel.gradient_factor(3 * h), 0);
  double mass = 0;  // midpoint rule
  const int n = 4000;
  for (int k = 0; k < n; ++k) {
    const double r = (k + 0.5) * 2 * h / n;
    mass += 4 * sph_pi * r * r * kernel.value(r) * 2 * h / n;
  }
  EXPECT_NEAR(mass, 1, 1e-6);
}
TEST(SphKernels, CubicSplineIsConsistent) { expect_consistent_derivative<CubicSpline>(); }
TEST(SphKernels, WendlandIsConsistent) { expect_consistent_derivative<WendlandC2>(); }

}  // namespace sph_kernels_test
MERGANSER_END
