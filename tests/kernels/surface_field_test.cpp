/// The surface field in the points of the sparse grid against the formulas in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "solvers/surface/surface_search.h"
#include "tests/support/surface_reference.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace {

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

/// Links within a drop, some of them young; phi where it counts, the mixture beyond.
TEST(SurfaceField, TopologicalEqualsTheFormula) {
  SurfaceReference cloud = two_drops(1.5);
  cloud.link([&](int i, int j) {
    return !same_drop(cloud, i, j, 2.75) ? -1.0 : (i + j) % 2 == 0 ? 0.4 : 1.0;
  });
  const auto volume = cloud.volumes(true);
  const Field field(
      cloud,
      {.h = cloud.h, .spacing = 1, .cell_factor = 0.3, .search_radius_factor = 4, .early_stop = false});
  int points = 0;
  field.for_each_point([&](const Vec3& x, double value) {
    if (++points % 7 != 0) return;  // the reference is slow
    // Every particle has a young link, so phi counts in full within 2h. Float: the power 1/20 takes back what
    // the power 20 does to rounding. Powers of g < 0.01 C vanish in float.
    const double expected = cloud.blend(to_double(x), volume);
    if (expected > 0.01) {
      ASSERT_NEAR(value, expected, 5e-6);
    }
  });
  EXPECT_GT(points, 5000);
  EXPECT_EQ(field.search.topological_bricks(), field.search.bricks().count());
}

/// Far from adjusted neighborhoods the sum is used, in between a mixture of the two.
TEST(SurfaceField, TopologicalIsTheSumWhereNothingIsAdjusted) {
  SurfaceReference cloud = two_drops(1.5, 4);
  const double middle = 4.75;
  cloud.link([&](int i, int j) { return same_drop(cloud, i, j, middle) ? 1.0 : -1.0; });
  const auto volume = cloud.volumes(true);
  std::vector<Vec3d> adjusted;
  for (size_t i = 0; i < cloud.position.size(); ++i)
    for (size_t j = 0; j < cloud.position.size(); ++j)
      if (!same_drop(cloud, int(i), int(j), middle) &&
          norm(cloud.position[i] - cloud.position[j]) < 2 * cloud.h) {
        adjusted.push_back(cloud.position[i]);
        break;
      }
  ASSERT_GT(adjusted.size(), 10u);
  const Field field(
      cloud,
      {.h = cloud.h, .spacing = 1, .cell_factor = 0.3, .search_radius_factor = 4, .early_stop = false});
  int plain = 0, blended = 0, mixed = 0, points = 0;
  field.for_each_point([&](const Vec3& x, double value) {
    if (++points % 17 != 0) return;
    const Vec3d at = to_double(x);
    double nearest = 1e30;
    for (const Vec3d& a : adjusted) nearest = std::min(nearest, norm(at - a));
    const double u = std::clamp(3 - nearest / cloud.h, 0.0, 1.0), share = u * u * (3 - 2 * u);
    const double sum = cloud.sum(at, volume), blend = share > 0 ? cloud.blend(at, volume) : 0;
    plain += share == 0, blended += share == 1, mixed += share > 0 && share < 1;
    ASSERT_NEAR(value, (1 - share) * sum + share * blend, blend > 0.01 || share == 0 ? 5e-6 : 0.02);
  });
  EXPECT_GT(plain, 100);
  EXPECT_GT(blended, 100);
  EXPECT_GT(mixed, 100);
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

}  // namespace
MERGANSER_END
