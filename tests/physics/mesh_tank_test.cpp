/// Water at rest in tanks that are meshes.
#include <gtest/gtest.h>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_walls.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace mesh_tank_test {

using namespace sph_test;

constexpr double spacing = 0.01, g = 9.81, rho = 1000;
constexpr int n = 6, layers = 8;

/// A column at rest, with the damping of SphHydrostatic, so strong that its ringing has gone after 0.5 s.
InitialState column() {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.5 * spacing;
  fluid.parameters.of<SphParameters>().viscosity_model = ViscosityModel::laminar;
  fluid.parameters.of<SphParameters>().viscosity = 0.07;
  add_block(fluid, {0, 0, 0}, n, n, layers);
  return state;
}

struct Rest {
  double worst = 0, top = 0, least[3] = {1, 1, 1}, most[3] = {0, 0, 0};  ///< worst: pressure error / rho g h
};
Rest rest_of(InitialState state) {
  Driver driver(state);
  driver.run_until(0.5);
  Rest rest;
  const auto pressure = driver.field("pressure");
  const auto position = driver.store.position.to_host();
  for (const Vec3& x : position) {
    const float at[3] = {x.x, x.y, x.z};
    for (int axis = 0; axis < 3; ++axis) {
      rest.least[axis] = std::min(rest.least[axis], double(at[axis]));
      rest.most[axis] = std::max(rest.most[axis], double(at[axis]));
    }
  }
  rest.top = rest.most[2] + spacing / 2;
  const double height = layers * spacing;
  for (size_t i = 0; i < position.size(); ++i)
    rest.worst = std::max(rest.worst,
                          std::abs(pressure[i] - rho * g * (rest.top - position[i].z)) / (rho * g * height));
  return rest;
}

/// A slab for a floor and its closed form: the same pressure, to 0.1 % of that at the floor. (The share of a
/// plane is exact; positions differ by rounding and spread.)
TEST(MeshTank, FloorIsAPlane) {
  const double side = n * spacing;
  const auto on_floor = [&](const WallParameters& floor) {
    InitialState state = column();
    state.walls.push_back(floor);
    for (int axis = 0; axis < 2; ++axis)
      for (int upper = 0; upper < 2; ++upper) {
        WallParameters plane{.point = {0, 0, 0}, .direction = {0, 0, 0}};
        plane.point[size_t(axis)] = upper ? side : 0;
        plane.direction[size_t(axis)] = upper ? -1 : 1;
        state.walls.push_back(plane);
      }
    return rest_of(state);
  };
  const Rest plane = on_floor({.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {0, 0, 1}});
  const Rest mesh = on_floor(
      merganser::test::mesh_wall(merganser::test::box_mesh({-0.1, -0.1, -0.05}, {side + 0.1, side + 0.1, 0}),
                                 spacing, {.inside = false}));
  EXPECT_LT(plane.worst, 0.04);  // of so shallow a column; its last layer has a tenth of rho g h
  EXPECT_NEAR(mesh.worst, plane.worst, 1e-3);
  EXPECT_NEAR(mesh.top, plane.top, 5e-3 * spacing);
  EXPECT_NEAR(mesh.least[2], plane.least[2], 5e-3 * spacing);
}

/// All sides of one mesh. Shares of kernels along its edges are good to 3.5 % of a kernel. Nothing leaks.
TEST(MeshTank, TankHoldsWater) {
  const double side = n * spacing;
  InitialState state = column();
  state.walls.push_back(
      merganser::test::mesh_wall(merganser::test::box_mesh({0, 0, 0}, {side, side, 0.3}), spacing));
  const Rest rest = rest_of(state);
  note("mesh tank: pressure error %.2f %%, top %.4f m\n", 100 * rest.worst, rest.top);
  EXPECT_LT(rest.worst, 0.08);
  EXPECT_NEAR(rest.top, layers * spacing, spacing);
  for (int axis = 0; axis < 3; ++axis) EXPECT_GT(rest.least[axis], 0.1 * spacing);
  for (int axis = 0; axis < 2; ++axis) EXPECT_LT(rest.most[axis], side - 0.1 * spacing);
}

/// A deep column of water with the default viscosity in a tank whose sides are whole cells of the distance
/// field long: it stands as between planes. (Nodes on its faces once had wrong normals: the water heated up,
/// sank into the sides and lost a fifth of its height in 0.3 s.)
TEST(MeshTank, ADeepColumnStands) {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.5 * spacing;
  fluid.parameters.of<SphParameters>().sound_speed = 20;
  add_block(fluid, {0, 0, 0}, n, n, 24);
  const double side = n * spacing;
  state.walls.push_back(
      merganser::test::mesh_wall(merganser::test::box_mesh({0, 0, 0}, {side, side, 0.4}), spacing));
  Driver driver(state);
  driver.run_until(0.3);
  double top = 0, deepest = 0;
  for (const Vec3& x : driver.store.position.to_host()) {
    top = std::max(top, double(x.z) + spacing / 2);
    deepest = std::max({deepest, -double(x.x), x.x - side, -double(x.y), x.y - side, -double(x.z)});
  }
  note("deep column in a mesh tank: top %.4f m of 0.24, deepest %.2g m behind a side\n", top, deepest);
  EXPECT_NEAR(top, 0.24, 0.01);
  EXPECT_LT(deepest, 0.02 * spacing);
}

/// An open mesh, a box without its lid, as thick as a particle spacing. Nothing leaks: particles come no
/// further than the distance field may be wrong along inner edges, 0.43 of a cell of half a spacing. The
/// pressure is that in a tank: what kernels find behind the sheet counts as solid.
TEST(MeshTank, CupOfThinSheetHoldsWater) {
  const double side = n * spacing, half = 0.5 * spacing;
  TriangleMesh cup = merganser::test::box_mesh({-half, -half, -half}, {side + half, side + half, 0.15});
  std::erase_if(cup.triangles, [&](const Triangle& t) {
    return std::all_of(t.begin(), t.end(), [&](int v) { return cup.vertices[size_t(v)][2] > 0.1f; });
  });
  ASSERT_EQ(cup.triangles.size(), 10u);
  InitialState state = column();
  state.walls.push_back(merganser::test::mesh_wall(cup, spacing, {.thickness = spacing}));
  const Rest rest = rest_of(state);
  constexpr double error = 0.43 * 0.5 * spacing;
  note("cup: pressure error %.2f %%, top %.4f m\n", 100 * rest.worst, rest.top);
  EXPECT_LT(rest.worst, 0.08);
  for (int axis = 0; axis < 3; ++axis) EXPECT_GT(rest.least[axis], -error);
  for (int axis = 0; axis < 2; ++axis) EXPECT_LT(rest.most[axis], side + error);
  EXPECT_NEAR(rest.top, layers * spacing, spacing);
}

}  // namespace mesh_tank_test
MERGANSER_END
