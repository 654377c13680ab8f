/// The surface field in the points of the sparse grid against the formulas in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "solvers/geometry/surface/surface_search.h"
#include "tests/support/surface_reference.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace surface_field_test {

/// Points, graph and search on the device.
struct Field {
  Array<Vec3> position, velocity;
  Array<float> mass, age;
  Array<int> first, neighbor;
  Array<unsigned char> linked;
  FieldParticles particles;
  SurfaceSearch search;
  SurfaceParameters parameters;

  Field(const SurfaceReference& reference, const SurfaceParameters& wanted) : parameters(wanted) {
    const FluidPoints points = reference.points();
    std::vector<Vec3> x;
    for (const Float3& p : points.position) x.push_back({p[0], p[1], p[2]});
    position.assign(x);
    velocity.resize(position.size());
    mass.assign(points.mass);
    NeighborGraphView graph;
    if (parameters.method == SurfaceMethod::topological) {
      const TopologyLinks pairs = reference.topology_links();
      first.assign(pairs.first);
      neighbor.assign(pairs.neighbor);
      age.assign(pairs.age);
      linked.assign(std::vector<unsigned char>(pairs.neighbor.size(), 1));
      graph = {first.view(), neighbor.view(), linked.view(), age.view()};
    }
    particles.build(position.const_view(), velocity.const_view(), mass.const_view(), graph, parameters);
    search.run(particles, parameters);
  }
  /// Calls visit(x, value) for every grid point that was evaluated.
  template <class Visit>
  void for_each_point(const Visit& visit) const {
    const auto key = to_host(search.bricks().key());
    const auto value = to_host(search.value());
    const BrickLattice lattice{float(parameters.h * parameters.cell_factor)};
    for (size_t slot = 0; slot < key.size(); ++slot)
      for (int bit = 0; bit < brick_points; ++bit)
        visit(lattice.position(BrickLattice::point(brick_of_key(key[slot]), bit)),
              double(value[slot * brick_points + size_t(bit)]));
  }
};

/// Two drops of 1.2 h spacing-to-h ratio, a gap of `gap` between their particles; the second one's lattice
/// is shifted.
SurfaceReference two_drops(double gap, int radius = 2) {
  SurfaceReference cloud;
  cloud.h = 1.2;
  const double r = radius + 0.3;
  cloud.add_lattice({-r, -r, -r}, {r, r, r}, 1, [&](const Vec3d& x) { return norm(x) < r; });
  const Vec3d centre{2 * radius + gap, 0.3, 0.2};
  cloud.add_lattice(centre - Vec3d{double(radius), r, r}, centre + Vec3d{r, r, r}, 1,
                    [&](const Vec3d& x) { return norm(x - centre) < r; });
  return cloud;
}
bool same_drop(const SurfaceReference& cloud, int i, int j, double middle) {
  return (cloud.position[size_t(i)].x < middle) == (cloud.position[size_t(j)].x < middle);
}

TEST(SurfaceField, SumEqualsTheFormula) {
  const SurfaceReference cloud = two_drops(1.5);
  const auto volume = cloud.volumes(false);
  const Field field(cloud, {.method = SurfaceMethod::sum, .h = cloud.h, .spacing = 1, .cell_factor = 0.3});
  int points = 0;
  field.for_each_point([&](const Vec3& x, double value) {
    // Some hundred terms of order 0.1 in float.
    ASSERT_NEAR(value, cloud.sum(to_double(x), volume), 2e-6);
    ++points;
  });
  EXPECT_GT(points, 5000);
}

/// Links within a drop, some of them young.
TEST(SurfaceField, TopologicalEqualsTheFormula) {
  SurfaceReference cloud = two_drops(1.5);
  cloud.link([&](int i, int j) {
    return !same_drop(cloud, i, j, 2.75) ? -1.0 : (i + j) % 2 == 0 ? 0.4 : 1.0;
  });
  const auto volume = cloud.volumes(true);
  const Field field(
      cloud,
      {.h = cloud.h, .spacing = 1, .cell_factor = 0.3, .search_radius_factor = 4, .early_stop = false});
  int points = 0, apart = 0;
  field.for_each_point([&](const Vec3& x, double value) {
    if (++points % 7 != 0) return;  // the reference is slow
    // Float: the power 1/20 takes back what the power 20 does to rounding. Powers of g < 0.01 C vanish in
    // float.
    if (cloud.blend(to_double(x), volume) < 0.01) return;
    const double expected = cloud.topological(to_double(x), volume);
    EXPECT_LT(std::abs(value - expected), 5e-6);
    apart += expected < 0.9 * cloud.sum(to_double(x), volume);
  });
  EXPECT_GT(points, 5000);
  EXPECT_GT(apart, 20);
  EXPECT_EQ(field.search.topological_bricks(), field.search.bricks().count());
}

/// The field joins the sum without a step: away from adjusted particles it is the sum, also in bricks where
/// it is worked out in full.
TEST(SurfaceField, TopologicalIsTheSumWhereNothingIsAdjusted) {
  SurfaceReference cloud = two_drops(1.5, 4);
  const double middle = 4.75;
  cloud.link([&](int i, int j) { return same_drop(cloud, i, j, middle) ? 1.0 : -1.0; });
  const auto volume = cloud.volumes(true);
  const Field field(
      cloud,
      {.h = cloud.h, .spacing = 1, .cell_factor = 0.3, .search_radius_factor = 4, .early_stop = false});
  EXPECT_LT(field.search.topological_bricks(), field.search.bricks().count());
  int far = 0;
  double near = 0;
  field.for_each_point([&](const Vec3& x, double value) {
    const double sum = cloud.sum(to_double(x), volume), off = std::abs(value - sum);
    if (std::abs(x.x - middle) > 4.2 * cloud.h) {  // adjusted particles lie within 2h of the middle
      EXPECT_LT(off, 1e-5);
      ++far;
    }
    near = std::max(near, off);
  });
  EXPECT_GT(far, 1000);
  EXPECT_GT(near, 0.1);
}

/// The reduced radius and the early stop of [TN] sec. 6.3 change the field near its iso-value by rounding,
/// and elsewhere by nothing that a crossing sees.
TEST(SurfaceField, ShortcutsDoNotMoveTheSurface) {
  SurfaceReference cloud = two_drops(1.4, 3);
  cloud.link([&](int i, int j) { return same_drop(cloud, i, j, 3.7) ? 1.0 : -1.0; });
  SurfaceParameters parameters{.h = cloud.h, .spacing = 1};
  std::map<std::array<float, 3>, double> shortened;
  Field(cloud, parameters).for_each_point([&](const Vec3& x, double value) {
    shortened[{x.x, x.y, x.z}] = value;
  });
  parameters.search_radius_factor = 4.5;
  parameters.early_stop = false;
  double largest = 0;
  Field(cloud, parameters).for_each_point([&](const Vec3& x, double value) {
    const auto found = shortened.find({x.x, x.y, x.z});
    ASSERT_NE(found, shortened.end());
    if (value > 1.25 * field_iso_value)
      EXPECT_GT(found->second, 1.249 * field_iso_value);
    else if (value > 0.5 * field_iso_value)
      largest = std::max(largest, std::abs(value - found->second));
  });
  EXPECT_LT(largest, 2e-6);
}

TEST(SurfaceField, IsTheSameForAnyNumberOfThreads) {
  SurfaceReference cloud = two_drops(1.4, 3);
  cloud.link([&](int i, int j) { return same_drop(cloud, i, j, 3.7) ? 1.0 : -1.0; });
  const auto values = [&](int threads) {
    return with_threads(threads, [&] {
      const Field field(cloud, {.h = cloud.h, .spacing = 1});
      return std::pair(to_host(field.search.bricks().key()), to_host(field.search.value()));
    });
  };
  EXPECT_EQ(values(1), values(2));
}

/// Memory follows the surface, not the box: drops a kilometre apart cost what two drops cost.
TEST(SurfaceField, EmptySpaceCostsNothing) {
  SurfaceReference one;
  one.h = 1.2;
  one.add_lattice({-3, -3, -3}, {3, 3, 3}, 1, [](const Vec3d& x) { return norm(x) < 3.2; });
  SurfaceReference two = one;
  for (const Vec3d& x : one.position) {
    // By bricks of h, nearly; rounding of 1200 in float moves points by less than 1e-4.
    two.position.push_back(x + Vec3d{1000 * 1.2, -1000 * 1.2, 1000 * 1.2});
    two.mass.push_back(1);
  }
  const SurfaceParameters parameters{.method = SurfaceMethod::sum, .h = one.h, .spacing = 1};
  const Field single(one, parameters), both(two, parameters);
  EXPECT_GT(single.search.bricks().count(), 100);
  EXPECT_NEAR(both.search.bricks().count(), 2 * single.search.bricks().count(), 20);
}

/// Every crossing of a dense grid around the whole cloud is in the sparse one, where all its corners are
/// known.
TEST(SurfaceField, NoCrossingIsLeftOut) {
  std::mt19937 engine(3);
  for (int trial = 0; trial < 6; ++trial) {
    SurfaceReference cloud;
    cloud.h = 1.2;
    std::uniform_real_distribution<double> at(0, trial < 3 ? 6 : 4);
    const int count = trial < 3 ? 60 : 220;
    for (int i = 0; i < count; ++i) {
      cloud.position.push_back(
          {double(float(at(engine))), double(float(at(engine))), double(float(at(engine)))});
      cloud.mass.push_back(1);
    }
    const auto volume = cloud.volumes(false);
    const Field field(cloud, {.method = SurfaceMethod::sum, .h = cloud.h, .spacing = 1, .cell_factor = 0.4});
    std::map<std::array<float, 3>, double> sparse;
    field.for_each_point([&](const Vec3& x, double value) { sparse[{x.x, x.y, x.z}] = value; });
    const float cell = float(1.2 * 0.4);  // as the search has it
    const int low = -6, high = 20;
    const auto dense = [&](int i, int j, int k) {
      return cloud.sum(to_double(Vec3{float(i) * cell, float(j) * cell, float(k) * cell}), volume);
    };
    int crossings = 0;
    for (int k = low; k < high; ++k)
      for (int j = low; j < high; ++j) {
        double before = 0;
        for (int i = low; i < high; ++i) {
          const double here = dense(i, j, k);
          if (i > low && (here > field_iso_value) != (before > field_iso_value)) {
            ++crossings;
            EXPECT_TRUE(sparse.count({float(i) * cell, float(j) * cell, float(k) * cell}));
            EXPECT_TRUE(sparse.count({float(i - 1) * cell, float(j) * cell, float(k) * cell}));
          }
          before = here;
        }
      }
    EXPECT_GT(crossings, 100);
  }
}

}  // namespace surface_field_test
MERGANSER_END
