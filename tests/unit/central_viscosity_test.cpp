/// Weights of viscosity along lines of centres: the same viscosity in all directions of a lattice and off it.
#include "solvers/methods/fluid/central_viscosity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/core/smoothing_kernels.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace central_viscosity_test {

using namespace merganser::test;

constexpr double spacing = 0.01;

/// Sum of V w(r) `of`(x, y, z) over a lattice.
template <class Of>
double lattice_sum(const CentralViscosity& central, double h, const Of& of) {
  const int reach = static_cast<int>(2 * h / spacing) + 1;
  double sum = 0;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -reach; k <= reach; ++k) {
        const double x = i * spacing, y = j * spacing, z = k * spacing;
        sum += central.weight(float(std::sqrt(x * x + y * y + z * z))) * of(x, y, z);
      }
  return sum;
}

/// v = z^2/2 along x gives sum V w x^2 z^2/2 for lap v = 1; the same wave turned by 45 degrees about y gives
/// sum V w (x^2 - z^2)^2/8; evenly spread particles int w x^2 z^2 dV/2 = 4 pi/30 int w r^6 dr.
TEST(CentralViscosity, IsTheSameInAllDirectionsOfALatticeAndOffIt) {
  for (const double factor : {1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0}) {
    const double h = factor * spacing;
    const CentralViscosity central(spacing, h);
    const double axis = lattice_sum(central, h, [](double x, double, double z) { return x * x * z * z; }) / 2;
    const double diagonal =
        lattice_sum(central, h, [](double x, double, double z) { return std::pow(x * x - z * z, 2); }) / 8;
    double spread = 0;
    const double step = 2 * h / 2000;
    for (int k = 0; k < 2000; ++k) {
      const double r = (k + 0.5) * step;
      spread += 4 * sph_pi / 30 * central.weight(float(r)) / std::pow(spacing, 3) * std::pow(r, 6) * step;
    }
    note("h = %.2f spacings: axis %.4f, diagonal %.4f, spread %.4f\n", factor, axis, diagonal, spread);
    for (const double viscosity : {axis, diagonal, spread}) EXPECT_NEAR(viscosity, 1, 0.02) << factor;
  }
}

/// No pair drives its particles apart, and there is nothing at and beyond 2h.
TEST(CentralViscosity, IsNowhereBelowZero) {
  for (const double factor : {0.8, 1.0, 1.2, 1.5, 2.0}) {
    const CentralViscosity central(spacing, factor * spacing);
    for (int k = 0; k <= 300; k += 3) {
      const float w = central.weight(float(0.01 * k * factor * spacing));
      EXPECT_EQ(w > 0, k < 200) << factor << ' ' << k;
      EXPECT_GE(w, 0);
    }
  }
}

}  // namespace central_viscosity_test
MERGANSER_END
