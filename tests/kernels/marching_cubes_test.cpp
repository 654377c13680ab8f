/// Marching cubes on random fields: closed, oriented, manifold, whatever the signs are.
#include "solvers/geometry/surface/marching_cubes.h"

#include <gtest/gtest.h>

#include <random>

#include "solvers/geometry/surface/cube_table.h"
#include "solvers/geometry/surface/surface_kernel.h"
#include "tests/support/mesh_checks.h"

MERGANSER_BEGIN
namespace marching_cubes_test {

/// A block of bricks with field(point) in its points; outside the fluid on the block's border.
struct Block {
  static constexpr int low = -1, bricks = 3;  // per axis
  BrickGrid grid;
  Array<float> value;
  Array<Word64> inside;
  MarchingCubes cubes;

  template <class FieldOf>
  SurfaceMesh mesh(const FieldOf& field) {
    std::vector<Word64> keys;
    for (int z = 0; z < bricks; ++z)
      for (int y = 0; y < bricks; ++y)
        for (int x = 0; x < bricks; ++x) keys.push_back(brick_key({low + x, low + y, low + z}));
    Array<Word64> candidates(keys);
    grid.clear();
    EXPECT_EQ(grid.add(candidates), int(keys.size()));
    std::vector<float> values;
    std::vector<Word64> words;
    for (const Word64 key : to_host(grid.sorted_key())) {
      Word64 word = 0;
      for (int bit = 0; bit < brick_points; ++bit) {
        const Int3 p = BrickLattice::point(brick_of_key(key), bit);
        const int first = brick_side * low, last = first + brick_side * bricks - 1;
        const bool border = std::min({p.x, p.y, p.z}) == first || std::max({p.x, p.y, p.z}) == last;
        values.push_back(border ? 0.0f : field(p));
        word |= Word64(values.back() > field_iso_value) << bit;
      }
      words.push_back(word);
    }
    value.assign(values);
    inside.assign(words);
    cubes.run(grid, value.const_view(), inside.const_view(), 1);
    SurfaceMesh mesh;
    for (const Vec3& x : to_host(View<const Vec3>(cubes.vertex()))) mesh.position.push_back({x.x, x.y, x.z});
    for (const MeshTriangle& t : to_host(cubes.triangle())) mesh.triangles.push_back({t.a, t.b, t.c});
    return mesh;
  }
};

TEST(MarchingCubes, RandomFieldsGiveClosedOrientedManifolds) {
  Block block;
  std::mt19937 engine(7);
  std::uniform_real_distribution<float> any(0, 1);
  for (int trial = 0; trial < 60; ++trial) {
    // From few points inside the fluid to few outside it: every case of the table occurs many times.
    const float shift = 0.012f * float(trial - 30);
    const SurfaceMesh mesh = block.mesh([&](const Int3&) { return any(engine) + 0.22f + shift; });
    const MeshFacts facts = mesh_facts(mesh);
    ASSERT_GT(mesh.triangles.size(), 100u);
    ASSERT_EQ(facts.faulty_edges, 0) << "trial " << trial;
    ASSERT_EQ(facts.faulty_vertices, 0) << "trial " << trial;
    ASSERT_GT(facts.volume, 0);
    ASSERT_GT(facts.least_area, 0);
  }
}

/// Values exactly at the iso-value are outside; no vertex falls on a grid point, no triangle degenerates.
TEST(MarchingCubes, ValuesAtTheIsoValueDegenerateNothing) {
  Block block;
  std::mt19937 engine(8);
  const float values[3] = {0.5f, field_iso_value, 1.0f};
  for (int trial = 0; trial < 20; ++trial) {
    const MeshFacts facts = mesh_facts(block.mesh([&](const Int3&) { return values[engine() % 3]; }));
    ASSERT_EQ(facts.faulty_edges, 0);
    ASSERT_EQ(facts.faulty_vertices, 0);
    ASSERT_GT(facts.least_area, 1e-8);
  }
}

/// A linear field is met exactly: an octahedron |x| + |y| + |z| = r of known volume.
TEST(MarchingCubes, MeetsALinearField) {
  Block block;
  const float r = 3.3f;
  const SurfaceMesh mesh = block.mesh([&](const Int3& p) {
    return field_iso_value + 0.05f * (r - float(std::abs(p.x - 1) + std::abs(p.y - 1) + std::abs(p.z - 1)));
  });
  for (const Float3& x : mesh.position)
    ASSERT_NEAR(std::abs(x[0] - 1) + std::abs(x[1] - 1) + std::abs(x[2] - 1), r, 1e-5);
  const MeshFacts facts = mesh_facts(mesh);
  EXPECT_EQ(facts.euler, 2);
  // The octahedron has 4/3 r^3; its ridges run through cells, which cut them off.
  EXPECT_NEAR(facts.volume, 4.0 / 3 * r * r * r, 0.03 * facts.volume);
}

TEST(MarchingCubes, OnePointInsideIsAnOctahedron) {
  Block block;
  const SurfaceMesh mesh = block.mesh([&](const Int3& p) { return p == Int3{3, 0, 4} ? 1.0f : 0.0f; });
  EXPECT_EQ(mesh.position.size(), 6u);  // across a border between bricks
  EXPECT_EQ(mesh.triangles.size(), 8u);
  EXPECT_EQ(mesh_facts(mesh).euler, 2);
  EXPECT_GT(mesh_facts(mesh).volume, 0);
}

/// Inside corners that meet across a diagonal of a face are cut off one by one.
TEST(MarchingCubes, DiagonalPointsStayApart) {
  Block block;
  const SurfaceMesh mesh = block.mesh([&](const Int3& p) {
    return p == Int3{1, 1, 1} || p == Int3{2, 2, 1} ? 1.0f : 0.0f;
  });
  EXPECT_EQ(mesh_facts(mesh).components, 2);
}

}  // namespace marching_cubes_test
MERGANSER_END
