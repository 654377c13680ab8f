/// Topological neighborhoods and surfaces: the CPU and the GPU half give the same links and, to rounding, the
/// same meshes.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/geometry/surface/surface_builder.h"
#include "solvers/geometry/surface/topology_tracker.h"

namespace merganser {
namespace surfaces_test {

struct Fluid {
  FluidPoints points;
  std::vector<int> id, body;
};

/// A pool of 16 x 16 x 6 particles on a jittered lattice of spacing 1, and a drop `gap` spacings above it.
Fluid pool_and_drop(float gap) {
  Fluid made;
  double draws = 0;
  const auto jitter = [&] {  // even, repeatable, within 0.15 of a spacing
    draws += 1;
    return static_cast<float>(0.3 * (std::fmod(0.6180339887498949 * draws, 1.0) - 0.5));
  };
  const auto add = [&](float x, float y, float z, int body) {
    made.points.position.push_back({x + jitter(), y + jitter(), z + jitter()});
    made.points.velocity.push_back({0, 0.1f * x, body == 0 ? 0.0f : -1.0f});
    made.points.mass.push_back(1);
    made.id.push_back(static_cast<int>(made.id.size()));
    made.body.push_back(body);
  };
  for (int z = 0; z < 6; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) add(float(x), float(y), float(z), 0);
  for (int z = -3; z <= 3; ++z)
    for (int y = -3; y <= 3; ++y)
      for (int x = -3; x <= 3; ++x)
        if (x * x + y * y + z * z <= 9) add(7.5f + float(x), 7.5f + float(y), 8 + gap + float(z), 1);
  return made;
}

constexpr double h = 1.3;

struct Neighborhoods {
  TopologyLinks far, touching;
};
template <class Tracker>
Neighborhoods follow(Tracker&& tracker) {
  const Fluid far = pool_and_drop(1.8f), near = pool_and_drop(0.9f);
  const auto next = [&](const Fluid& fluid) {
    return tracker->next_frame(fluid.points, fluid.id, fluid.body, h, 0.02, 0.1);
  };
  Neighborhoods found;
  found.far = next(far);
  found.touching = next(near);
  return found;
}

TEST(BackendsTopology, LinksAgree) {
  const Neighborhoods a = follow(cpu::make_topology_tracker()), b = follow(gpu::make_topology_tracker());
  EXPECT_NE(a.touching.neighbor, a.far.neighbor);
  for (const auto& [on_cpu, on_gpu] : {std::pair{&a.far, &b.far}, std::pair{&a.touching, &b.touching}}) {
    EXPECT_EQ(on_cpu->first, on_gpu->first);
    EXPECT_EQ(on_cpu->neighbor, on_gpu->neighbor);
    ASSERT_EQ(on_cpu->age.size(), on_gpu->age.size());
    for (size_t k = 0; k < on_cpu->age.size(); ++k)
      ASSERT_NEAR(on_cpu->age[k], on_gpu->age[k], 1e-6);  // a few roundings of a number up to 1
  }
}

/// Vertices lie on edges of the cells, where the field's rounding moves them by its ratio to the slope.
void expect_same_mesh(const SurfaceMesh& a, const SurfaceMesh& b) {
  ASSERT_GT(a.position.size(), 1000u);
  ASSERT_EQ(a.triangles, b.triangles);
  ASSERT_EQ(a.position.size(), b.position.size());
  for (size_t i = 0; i < a.position.size(); ++i)
    for (size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(a.position[i][k], b.position[i][k], 1e-4) << i;
      ASSERT_NEAR(a.normal[i][k], b.normal[i][k], 2e-3) << i;
      ASSERT_NEAR(a.velocity[i][k], b.velocity[i][k], 1e-4) << i;
    }
}
TEST(BackendsSurface, MeshesAgree) {
  const Fluid fluid = pool_and_drop(0.9f);
  const TopologyLinks links = follow(cpu::make_topology_tracker()).touching;
  for (const SurfaceMethod method : {SurfaceMethod::sum, SurfaceMethod::topological})
    for (const int refinements : {0, 2}) {
      SurfaceParameters parameters{.method = method, .h = h, .spacing = 1, .cell_factor = 0.4};
      parameters.refinements = refinements;
      parameters.smoothing = 2 * refinements;
      const TopologyLinks* given = method == SurfaceMethod::topological ? &links : nullptr;
      expect_same_mesh(cpu::make_surface_builder()->build(fluid.points, given, parameters),
                       gpu::make_surface_builder()->build(fluid.points, given, parameters));
    }
}

}  // namespace surfaces_test
}  // namespace merganser
