/// Groups of systems whose velocities are half a step behind (solvers/coupling/merge_split/METHOD.md): they
/// merge and split with v + h, and the systems see V without the group's H.
#include <gtest/gtest.h>

#include "tests/support/merge_split_scene.h"

MERGANSER_BEGIN
namespace merge_split_half_kick_test {

using namespace merge_split_test;

/// Half kicks of systems 0 and 2; immobile particles have none.
std::vector<Vec3> some_half_kicks(const Snapshot& start) {
  std::vector<Vec3> kicks(start.mass.size(), Vec3{0, 0, 0});
  for (size_t i = 0; i < kicks.size(); ++i) {
    if (start.system[i] == 1 || !(start.inverse_mass[i] > 0)) continue;
    const RandomBits bits = random_draw(31, RandomPurpose::test, unsigned(i), 0);
    kicks[i] = 2 * Vec3{uniform_float(bits.word[0]) - 0.5f, uniform_float(bits.word[1]) - 0.5f,
                        uniform_float(bits.word[2]) - 0.5f};
  }
  return kicks;
}

/// Sums over a group in double: relative to `velocity` and with half kicks, the energy [J] of eq. 4.
struct GroupSums {
  double mass = 0;
  Vec3d momentum{0, 0, 0}, kick{0, 0, 0};
  double relative(const Vec3d& of_group, const HostGroups& groups, size_t g, const Snapshot& start,
                  const std::vector<Vec3>& velocity, const std::vector<Vec3>& kicks) const {
    double energy = 0;
    groups.for_each_member(g, [&](size_t i) {
      energy += 0.5 * start.mass[i] *
                norm_squared(to_double(velocity[i]) + to_double(kicks[i]) - of_group - kick / mass);
    });
    return energy;
  }
};
GroupSums sums_of(const HostGroups& groups, size_t g, const Snapshot& start,
                  const std::vector<Vec3>& velocity, const std::vector<Vec3>& kicks) {
  GroupSums sums;
  groups.for_each_member(g, [&](size_t i) {
    sums.mass += start.mass[i];
    sums.momentum += double(start.mass[i]) * to_double(velocity[i]);
    sums.kick += double(start.mass[i]) * to_double(kicks[i]);
  });
  return sums;
}

/// Momentum as without half kicks; alpha of the energy of v + h comes back as energy of v' + h.
TEST(MergeSplitHalfKick, EnergyOfTheVelocitiesAtThePositionsComesBack) {
  for (const double alpha : {0.0, 0.5, 1.0}) {
    Scene scene(7, {700, 400, 300}, 0.05);
    const Snapshot start(scene.store);
    const std::vector<Vec3> kicks = some_half_kicks(start);
    const Array<Vec3> half_kick(kicks);
    MergeSplit merging(parameters_with(alpha, 0), 1, open_domain, open_domain);
    merging.detect(scene.store, scene.systems, 0, half_kick.const_view());
    merging.merge(scene.store);
    const HostGroups groups(merging.groups());
    ASSERT_GT(groups.count(), 50u);
    Array<Vec3> end(arbitrary_end_velocities(start, groups, 3));
    merging.synchronize(end.view(), no_gravitation);
    const auto synchronized = end.to_host();
    merging.split(end.view());
    const auto after = end.to_host();
    int held = 0;
    for (size_t g = 0; g < groups.count(); ++g) {
      if (groups.inverse_mass[g] == 0) {
        ++held;
        groups.for_each_member(g, [&](size_t i) {
          if (start.inverse_mass[i] == 0) {
            EXPECT_EQ(groups.velocity[g], start.velocity[i]);
            EXPECT_EQ(after[i], start.velocity[i]);
          }
        });
        continue;
      }
      const GroupSums before = sums_of(groups, g, start, start.velocity, kicks),
                      behind = sums_of(groups, g, start, after, kicks);
      EXPECT_NEAR(norm(to_double(groups.velocity[g]) - before.momentum / before.mass), 0, 1e-6);
      const Vec3d v = to_double(synchronized[size_t(groups.member[size_t(groups.first[g])])]);
      EXPECT_NEAR(norm(behind.momentum / behind.mass - v), 0, 3e-6);
      const double bound =
          before.relative(to_double(groups.velocity[g]), groups, g, start, start.velocity, kicks);
      EXPECT_NEAR(behind.relative(v, groups, g, start, after, kicks), alpha * bound, 2e-5 * bound);
    }
    EXPECT_GT(held, 5);
  }
}

/// By hand: two equal particles approach at 1 m/s each, half a step before their positions. Forces that take
/// 2 m/s in a step have stopped them at the positions: they do not collide. With 1 m/s in a step they collide
/// at 0.5 m/s and part at 0.5 m/s, half a step before which they are at rest.
TEST(MergeSplitHalfKick, TwoParticlesByHand) {
  for (const float held_back : {2.0f, 1.0f}) {
    std::vector<HostParticles> systems(2);
    add_particle(systems[0], {0, 0, 0}, {1, 0, 0}, 1, 0.06f);
    add_particle(systems[1], {0.1f, 0, 0}, {-1, 0, 0}, 1, 0.06f);
    ParticleStore store;
    add_systems(store, systems);
    const Array<Vec3> half_kick(std::vector<Vec3>{{-0.5f * held_back, 0, 0}, {0.5f * held_back, 0, 0}});
    MergeSplit merging(parameters_with(1, 0), 1, open_domain, open_domain);
    merging.detect(store, std::vector<ContactRules>(2), 0, half_kick.const_view());
    merging.merge(store);
    const HostGroups groups(merging.groups());
    ASSERT_EQ(groups.count(), held_back == 2 ? 0u : 1u);
    if (groups.count() == 0) continue;
    EXPECT_EQ(groups.velocity[0], (Vec3{0, 0, 0}));
    Array<Vec3> end(std::vector<Vec3>(2, Vec3{0, 0, 0}));
    merging.synchronize(end.view(), no_gravitation);
    merging.split(end.view());
    EXPECT_EQ(end.to_host()[0], (Vec3{0, 0, 0}));
    EXPECT_EQ(end.to_host()[1], (Vec3{0, 0, 0}));
  }
}

}  // namespace merge_split_half_kick_test
MERGANSER_END
