/// A drop in the stretching flow v = A0 (-x, z): its semi-axes against the exact solution (Monaghan 1994).
#include <gtest/gtest.h>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/note.h"
#include "tests/support/reference.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace sph_elliptical_drop_test {

using namespace sph_test;

/// A cylinder of radius 1 m and A0 = 100/s, periodic in y; Mach number about 0.07 as in Monaghan's run. The
/// axes are those of the ellipse with the particles' second moments, sqrt(4 <x^2>), scaled by their initial
/// error. h is 2 spacings: the flow squeezes the lattice to spacings of 1/2 and 2, where sums with h = 1.2
/// spacings are off and the drop swells by 4 to 9 %.
void expect_exact_axes(int across, double end) {
  MERGANSER_REFERENCE_OR_SKIP(exact, "elliptical_drop_exact.csv");
  InitialState state;
  state.gravity = {0, 0, 0};
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  const double spacing = 2.0 / across;
  const int layers = 13;  // three cells of 2h and a little
  fluid.parameters.of<SphParameters>().smoothing_length_factor = 2;
  fluid.fluid.particle_radius = spacing / 2;
  fluid.parameters.of<SphParameters>().sound_speed = 1400;
  fluid.parameters.of<SphParameters>().viscosity = 0.02;
  fluid.parameters.of<SphParameters>().allow_tension =
      true;  // started from p = 0 it rings about the exact pressure
  for (int i = 0; i < across; ++i)
    for (int k = 0; k < across; ++k) {
      const double x = (i + 0.5) * spacing - 1, z = (k + 0.5) * spacing - 1;
      if (x * x + z * z >= 1) continue;
      for (int j = 0; j < layers; ++j)
        add_particle(fluid, {x, (j + 0.5) * spacing, z}, {-100 * x, 0, 100 * z});
    }
  state.periodic_length = {0, layers * spacing, 0};
  state.max_time_step = 1e-4;
  Driver driver(state);
  const auto axes = [&] {
    double x2 = 0, z2 = 0;
    const auto position = driver.store.position.to_host();
    for (const Vec3& x : position) x2 += double(x.x) * x.x, z2 += double(x.z) * x.z;
    return std::array<double, 2>{std::sqrt(4 * x2 / double(position.size())),
                                 std::sqrt(4 * z2 / double(position.size()))};
  };
  const auto start = axes();
  double worst = 0;
  for (const auto& row : exact) {
    if (row[0] <= 0 || row[0] > end + 1e-9) continue;
    driver.run_until(row[0]);
    const auto now = axes();
    worst =
        std::max({worst, std::abs(now[0] / start[0] / row[1] - 1), std::abs(now[1] / start[1] / row[2] - 1)});
  }
  note("%d particles in the plane: axes within %.2f %% up to %.4f s, %lld steps\n",
       driver.store.count() / layers, 100 * worst, driver.time, driver.steps);
  EXPECT_LT(worst, 0.01);
}
TEST(SphEllipticalDrop, TwelveHundredParticles) { expect_exact_axes(40, 0.0076); }
TEST(SphEllipticalDropSlow, FiveThousandParticles) { expect_exact_axes(80, 0.0076); }

}  // namespace sph_elliptical_drop_test
MERGANSER_END
