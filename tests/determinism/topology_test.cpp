/// Topological neighborhoods: the same bits for any number of threads, any order of the particles, a cloud
/// moved as a whole, and after a checkpoint.
#include <gtest/gtest.h>

#include "tests/support/random_values.h"
#include "tests/support/threads.h"
#include "tests/support/topology_driver.h"

MERGANSER_BEGIN
namespace topology_test {

using namespace topology_test;

/// 1,200 particles of three bodies, about four a cell, that meet and part.
struct Motion {
  Cloud start;
  std::vector<std::vector<Vec3>> frames;
};
Motion motion(const Vec3& shift = {0, 0, 0}) {
  Motion made;
  for (const Vec3& x : random_points(1200, 8 * spacing)) made.start.add(x + shift, made.start.size() % 3);
  std::vector<Vec3> position = made.start.position;
  for (int step = 0; step < 4; ++step) {
    int k = 0;
    for (const Vec3& d : random_points(1200, 0.5f * spacing, step + 1)) position[size_t(k++)] += d;
    made.frames.push_back(position);
  }
  return made;
}
Links play(const Motion& motion, int shuffle) {
  Driver driver(motion.start, shuffle);
  for (const auto& frame : motion.frames) driver.update(frame, 0.3f);
  return driver.links();
}

TEST(TopologyDeterminism, AnyNumberOfThreads) {
  const Motion moved = motion();
  const Links one = with_threads(1, [&] { return play(moved, 2); });
  EXPECT_GT(one.age.size(), 10000u);
  for (int threads : {2, 3, 1}) EXPECT_TRUE(with_threads(threads, [&] { return play(moved, 2); }) == one);
}

TEST(TopologyDeterminism, AnyOrderOfTheParticles) {
  const Motion moved = motion();
  const Links in_order = play(moved, 0);
  for (int shuffle : {1, 50}) EXPECT_TRUE(play(moved, shuffle) == in_order);
}

/// All coordinates between 2 m and 4 m, then 1 m further, both on the lattice of floats there: differences of
/// positions have the same bits.
TEST(TopologyDeterminism, ACloudMovedAsAWhole) {
  Motion near = motion({2.5f, 2.5f, 2.5f}), far = near;
  for (Vec3& x : far.start.position) x.y += 1;
  for (auto& frame : far.frames)
    for (Vec3& x : frame) x.y += 1;
  const Links here = play(near, 0), there = play(far, 0);
  for (const auto& frame : near.frames)
    for (const Vec3& x : frame) ASSERT_TRUE(x.y > 2 && x.y < 3);
  EXPECT_TRUE(here == there);
}

TEST(TopologyDeterminism, ResumesBitForBit) {
  const Motion moved = motion();
  Driver whole(moved.start), resumed(moved.start);
  whole.update(moved.frames[0], 0.3f);
  StateArchive archive;
  whole.neighborhoods.save(archive, "topology");
  resumed.neighborhoods.load(archive, "topology");
  for (Driver* driver : {&whole, &resumed})
    for (size_t k = 1; k < moved.frames.size(); ++k) driver->update(moved.frames[k], 0.3f);
  EXPECT_TRUE(whole.links() == resumed.links());
}

}  // namespace topology_test
MERGANSER_END
