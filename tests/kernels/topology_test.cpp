/// Topological neighborhoods against the slow reference, update by update, on small clouds.
#include <gtest/gtest.h>

#include "tests/support/random_values.h"
#include "tests/support/topology_driver.h"
#include "tests/support/topology_reference.h"

MERGANSER_BEGIN
namespace topology_test {

using namespace topology_test;

/// A cloud and its reference side by side. Every update is compared: the same links, ages to float rounding,
/// densities to 1e-5 (some 60 terms of rounding 6e-8 each). No decision may be nearer to a tie than 2e-6 of h
/// or C, else the comparison would be one of rounding errors (a field is good to about 1e-6).
struct Compared {
  explicit Compared(const Cloud& cloud, int shuffle = 3)
      : driver(cloud, shuffle),
        reference(cloud.position, std::vector<double>(cloud.position.size(), 1.0), cloud.body, h),
        position(cloud.position) {
    compare("start");
  }
  void update(float growth) {
    driver.update(position, growth);
    reference.update(position, growth);
    EXPECT_GT(reference.least_margin(), 2e-6) << "choose another cloud";
    fused += reference.fused().size();
    split += reference.split_pairs().size();
    compare("update " + std::to_string(++updates));
  }
  void compare(const std::string& when) {
    SCOPED_TRACE(when);
    const Links links = driver.links();
    EXPECT_TRUE(links.symmetric);
    EXPECT_TRUE(links.sorted);
    EXPECT_EQ(links.age.size(), reference.links().size());
    for (const auto& [pair, age] : reference.links()) {
      const auto found = links.age.find(pair);
      ASSERT_NE(found, links.age.end()) << pair.first << " " << pair.second << " should be linked";
      ASSERT_NEAR(found->second, age, 1e-5);
    }
    for (const auto& [id, density] : links.density)
      ASSERT_NEAR(density, reference.density()[size_t(id)], 1e-5 * density);
    // The fixed point, by its definition.
    for (const auto& pair : reference.within_support())
      ASSERT_TRUE(links.age.count(pair) || reference.mediator(pair) < 0) << "closure is not complete";
  }
  /// Links between two bodies.
  int links_between(const Cloud& cloud, int a, int b) const {
    int count = 0;
    for (const auto& [pair, age] : driver.links().age) {
      const int first = cloud.body[size_t(pair.first)], second = cloud.body[size_t(pair.second)];
      count += (first == a && second == b) || (first == b && second == a);
    }
    return count;
  }
  Driver driver;
  TopologyReference reference;
  std::vector<Vec3> position;
  size_t fused = 0, split = 0;
  int updates = 0;
};

Cloud two_drops(const Vec3& second) {
  Cloud cloud;
  add_ball(cloud, {0, 0, 0}, 2.2f * spacing, 0);
  add_ball(cloud, second, 2.2f * spacing, 1);
  return cloud;
}

TEST(TopologicalNeighborhoods, DropsApproachTouchAndMerge) {
  const Cloud cloud = two_drops({6.4f * spacing, 0.3f * spacing, 0});
  Compared both(cloud);
  int apart_within_reach = 0, linked_at_end = 0;
  for (int step = 0; step < 17; ++step) {
    for (int i = 0; i < cloud.size(); ++i)
      if (cloud.body[size_t(i)] == 1) both.position[size_t(i)].x -= 0.2f * spacing;
    both.update(0.25f);
    const int links = both.links_between(cloud, 0, 1);
    bool near = false;
    for (const auto& [i, j] : both.reference.within_support())
      near = near || cloud.body[size_t(i)] != cloud.body[size_t(j)];
    apart_within_reach += near && links == 0;
    linked_at_end = links;
  }
  EXPECT_GE(apart_within_reach, 2) << "drops nearer than 2h are not yet one";
  EXPECT_GT(linked_at_end, 100) << "drops that overlap are";
  EXPECT_GE(both.fused, 1u) << "one pair may fuse, the closure links the others";
}

TEST(TopologicalNeighborhoods, DropsPassEachOther) {
  const Cloud cloud = two_drops({-4 * spacing, 6.1f * spacing, 0});  // surfaces about 1.7 spacings apart
  Compared both(cloud);
  bool near = false;
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < cloud.size(); ++i)
      if (cloud.body[size_t(i)] == 1) both.position[size_t(i)].x += 0.8f * spacing;
    both.update(0.1f);
    for (const auto& [i, j] : both.reference.within_support())
      near = near || cloud.body[size_t(i)] != cloud.body[size_t(j)];
    EXPECT_EQ(both.links_between(cloud, 0, 1), 0);
  }
  EXPECT_TRUE(near) << "or else the test tests nothing";
}

TEST(TopologicalNeighborhoods, StretchedColumnTears) {
  Cloud cloud;
  add_block(cloud, {0, 0, 0}, {12, 3, 3}, 0);
  Compared both(cloud);
  for (int step = 0; step < 10; ++step) {
    for (Vec3& x : both.position) {
      const float from_middle = x.x - 5.5f * spacing;  // the ends are pulled apart, the middle thins out
      x.x += 0.06f * (from_middle > 0 ? 1.0f : -1.0f) *
             std::min(1.0f, std::abs(from_middle) / (2 * spacing)) * spacing * 3;
    }
    both.update(0.5f);
  }
  EXPECT_GT(both.split, 10u);
  int across = 0;
  for (const auto& [pair, age] : both.driver.links().age)
    across += (both.position[size_t(pair.first)].x - 5.5f * spacing) *
                  (both.position[size_t(pair.second)].x - 5.5f * spacing) <
              0;
  EXPECT_LT(across, 40);
}

TEST(TopologicalNeighborhoods, ThinWallKeepsPoolsApart) {
  Cloud cloud;
  add_block(cloud, {0, 0, 0}, {4, 5, 5}, 0);
  add_block(cloud, {5 * spacing, 0, 0}, {4, 5, 5}, 1);  // one layer of wall particles between them
  Compared both(cloud);
  EXPECT_EQ(both.links_between(cloud, 0, 1), 0);
  both.update(0.1f);
  EXPECT_EQ(both.links_between(cloud, 0, 1), 0);
}

/// [TN] Fig. 2: a handle, a ring of fluid whose hole is narrower than 2h. Links across the hole come apart at
/// the first update and the closure does not bring them back.
TEST(TopologicalNeighborhoods, HandleStaysOpen) {
  Cloud cloud;
  for (int layer = 0; layer < 2; ++layer)
    for (int ring = 0; ring < 2; ++ring) {
      const float radius = (1.18f + 0.95f * ring) * spacing;
      const int around = ring == 0 ? 8 : 14;
      for (int k = 0; k < around; ++k) {
        const float angle = 6.2831853f * float(k) / float(around);
        cloud.add(Vec3{radius * std::cos(angle), radius * std::sin(angle), 0.9f * layer * spacing} +
                      0.3f * jitter(cloud.size()),
                  0);
      }
    }
  Compared both(cloud);
  both.update(0.1f);
  const auto& links = both.driver.links().age;
  EXPECT_EQ(links.count({0, 4}), 0u) << "opposite particles of the inner ring";
  EXPECT_EQ(links.count({0, 1}), 1u) << "neighbors along it";
  EXPECT_GT(both.split, 0u);
}

TEST(TopologicalNeighborhoods, RandomCloudsOfManyBodies) {
  for (int seed = 0; seed < 3; ++seed) {
    Cloud cloud;
    for (const Vec3& x : random_points(160, 5 * spacing, seed)) cloud.add(x, cloud.size() % 5);
    Compared both(cloud);
    for (int step = 0; step < 4; ++step) {
      int k = 0;
      for (const Vec3& d : random_points(cloud.size(), 0.5f * spacing, 10 * seed + step + 3))
        both.position[size_t(k++)] += d;
      both.update(0.2f);
    }
    EXPECT_GT(both.fused, 2u);
  }
}

/// What holds of a pair that was split: no third particle satisfies eq. 5 for it, then or after the closure
/// that follows (it would have been linked again), and both its ages are 0.
TEST(TopologicalNeighborhoods, SplitPairsHaveNoMediator) {
  Cloud cloud;
  add_block(cloud, {0, 0, 0}, {8, 2, 2}, 0);
  Compared both(cloud);
  size_t seen = 0;
  for (int step = 0; step < 8; ++step) {
    for (Vec3& x : both.position) x.x *= 1.12f;
    both.update(1);
    const auto links = both.driver.links().age;
    for (const auto& pair : both.reference.split_pairs()) {
      ++seen;
      EXPECT_EQ(links.count(pair), 0u);
      EXPECT_EQ(both.reference.mediator(pair), -1);
    }
  }
  EXPECT_GT(seen, 10u);
}

TEST(TopologicalNeighborhoods, AgesGrowToOneAndStay) {
  const Cloud cloud = two_drops({4.6f * spacing, 0, 0});
  Driver driver(cloud);
  for (const auto& [pair, age] : driver.links().age) ASSERT_EQ(age, 1.0f);
  auto position = cloud.position;
  for (int i = 0; i < cloud.size(); ++i)
    if (cloud.body[size_t(i)] == 1) position[size_t(i)].x -= 1.5f * spacing;
  float expected = 0;
  size_t young = 0;
  for (int step = 0; step < 6; ++step, expected = std::min(1.0f, expected + 0.3f)) {
    driver.update(position, 0.3f);
    for (const auto& [pair, age] : driver.links().age)
      if (age != 1.0f) {
        ASSERT_NEAR(age, expected, 1e-6f);
        ++young;
      }
    EXPECT_EQ(young > 0, expected < 1) << "all are of age after 1/0.3 updates, and none before";
    young = 0;
  }
}

TEST(TopologicalNeighborhoods, EmittedParticlesJoinTheirBody) {
  Cloud cloud;
  add_block(cloud, {0, 0, 0}, {4, 4, 2}, 0);
  Driver driver(cloud);
  std::vector<Vec3> next = cloud.position;
  std::vector<Vec3> layer;
  for (int k = 0; k < 16; ++k) layer.push_back({(k % 4) * spacing, (k / 4) * spacing, -spacing});
  driver.append(layer, 0);
  next.insert(next.end(), layer.begin(), layer.end());
  driver.update(next, 0.1f);
  const Links links = driver.links();
  EXPECT_EQ(links.age.count({32, 33}), 1u);
  ASSERT_EQ(links.age.count({0, 32}), 1u);
  EXPECT_EQ(links.age.at({0, 32}), 1.0f);
}

TEST(TopologicalNeighborhoods, NoParticlesAndOne) {
  Driver none(Cloud{});
  none.update({}, 1);
  EXPECT_EQ(none.neighborhoods.view().row_count(), 0);
  Cloud one;
  one.add({1, 2, 3}, 0);
  Driver alone(one);
  alone.update(one.position, 1);
  EXPECT_TRUE(alone.links().age.empty());
  EXPECT_EQ(alone.links().density.at(0), 1.0f);
}

}  // namespace topology_test
MERGANSER_END
