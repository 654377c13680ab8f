/// Viscosities that do not brake what turns as a rigid body: angular momentum is kept.
#include <gtest/gtest.h>

#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace rotation_test {

using namespace sph_test;

constexpr double spacing = 0.01, spin = 8, viscosity = 1e-3;

enum class Kind { dfsph_explicit, dfsph_implicit, sph_xsph, sph_implicit };
const char* const names[] = {"DfsphExplicit", "DfsphImplicit", "SphXsph", "SphImplicit"};

struct Rotation : testing::TestWithParam<Kind> {
  InitialState fluid() const {
    const Kind kind = GetParam();
    const bool dfsph = kind == Kind::dfsph_explicit || kind == Kind::dfsph_implicit;
    InitialState state;
    state.systems = {new_system(dfsph ? "dfsph" : "sph")};
    SystemState& fluid = state.systems[0];
    fluid.fluid.particle_radius = spacing / 2;
    if (dfsph) {
      auto& parameters = fluid.parameters.of<DfsphParameters>();
      if (kind == Kind::dfsph_explicit) parameters.viscosity = viscosity;
      if (kind == Kind::dfsph_implicit)
        parameters.forces.implicit_viscosity = viscosity * fluid.fluid.density0;
      return state;
    }
    auto& parameters = fluid.parameters.of<SphParameters>();
    parameters.sound_speed = 15;
    parameters.viscosity_model = ViscosityModel::none;
    if (kind == Kind::sph_xsph) parameters.xsph = 0.1;
    if (kind == Kind::sph_implicit) parameters.forces.implicit_viscosity = viscosity * fluid.fluid.density0;
    return state;
  }
};

/// Adds what of a lattice `holds` says, in rigid rotation about z.
template <class Holds>
void add_turning(InitialState& state, int layers, const Holds& holds) {
  for (int k = -layers; k < layers; ++k)
    for (int j = -12; j < 12; ++j)
      for (int i = -12; i < 12; ++i) {
        const Vec3d x{(i + 0.5) * spacing, (j + 0.5) * spacing, (k + 0.5) * spacing};
        if (holds(x)) add_particle(state.systems[0], x, Vec3d{-x.y, x.x, 0} * spin);
      }
}

double angular_momentum(const Driver& driver) {
  const auto x = driver.store.position.to_host(), v = driver.store.velocity.to_host();
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += double(x[i].x) * v[i].y - double(x[i].y) * v[i].x;
  return sum;
}

/// The share that is left after 0.5 s.
double kept(const InitialState& state) {
  Driver driver(state);
  const double before = angular_momentum(driver);
  driver.run_until(0.5);
  return angular_momentum(driver) / before;
}

/// A free drop stretches as it turns, and no torque acts on it. Viscous forces along differences of velocity
/// leave 0.90; along lines of centres they leave all but rounding.
TEST_P(Rotation, OfAFreeDrop) {
  InitialState state = fluid();
  state.gravity = {0, 0, 0};
  add_turning(state, 6, [](const Vec3d& x) { return norm(x) < 6 * spacing; });
  const double share = kept(state);
  EXPECT_NEAR(share, 1, GetParam() == Kind::dfsph_explicit ? 0.005 : 1e-4);
  note("drop: %.5f\n", share);
}

/// Water in a round vessel without friction, its surface a paraboloid. Viscous forces along differences of
/// velocity leave 0.85.
TEST_P(Rotation, OfABucket) {
  InitialState state = fluid();
  add_turning(state, 5, [](const Vec3d& x) { return std::hypot(x.x, x.y) < 10 * spacing; });
  state.walls.push_back(
      {.shape = WallShape::cylinder, .direction = {0, 0, 1}, .radius = 10 * spacing, .length = 40 * spacing});
  state.walls.push_back({.shape = WallShape::plane, .point = {0, 0, -5 * spacing}, .direction = {0, 0, 1}});
  const double share = kept(state);
  EXPECT_NEAR(share, 1, 0.005);
  note("bucket: %.4f\n", share);
}

INSTANTIATE_TEST_SUITE_P(Viscosities, Rotation,
                         testing::Values(Kind::dfsph_explicit, Kind::dfsph_implicit, Kind::sph_xsph,
                                         Kind::sph_implicit),
                         [](const auto& info) { return std::string(names[int(info.param)]); });

}  // namespace rotation_test
MERGANSER_END
