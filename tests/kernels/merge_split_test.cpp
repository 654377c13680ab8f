/// A whole step of merging-and-splitting: groups as systems see them, second stage, statistics.
#include <gtest/gtest.h>

#include "tests/support/merge_split_scene.h"

MERGANSER_BEGIN
namespace merge_split_test {

using namespace merge_split_test;

TEST(MergeSplit, GroupsAreWhatSystemsExpect) {
  Scene scene(1, {600, 300, 200});
  const Snapshot start(scene.store);
  MergeSplit merging(parameters_with(1, 0), 1, open_domain, open_domain);
  merging.detect(scene.store, scene.systems, 0);
  merging.merge(scene.store);
  const HostGroups groups(merging.groups());
  ASSERT_GT(groups.count(), 20u);
  std::vector<int> listed(start.mass.size(), -1);
  bool some_scaled = false;
  for (size_t g = 0; g < groups.count(); ++g) {
    double mass = 0, implicit_mass = 0;
    Vec3d momentum{0, 0, 0};
    int last = -1;
    groups.for_each_member(g, [&](size_t i) {
      EXPECT_GT(int(i), last);
      last = int(i);
      listed[i] = int(g);
      mass += start.mass[i];
      momentum += double(start.mass[i]) * to_double(start.velocity[i]);
      if (scene.systems[size_t(start.system[i])].implicit) implicit_mass += start.mass[i];
    });
    EXPECT_NEAR(norm(to_double(groups.velocity[g]) - momentum / mass), 0, 1e-6);
    EXPECT_NEAR(groups.inverse_mass[g] * mass, 1, 2e-6);
    EXPECT_NEAR(groups.mass_scale[g], implicit_mass > 0 ? mass / implicit_mass : 1,
                1e-6 * groups.mass_scale[g]);
    some_scaled = some_scaled || groups.mass_scale[g] > 1;
  }
  EXPECT_TRUE(some_scaled);
  EXPECT_EQ(listed, groups.group_of);
  const MergeStatistics statistics = merging.statistics();
  EXPECT_EQ(statistics.groups, int(groups.count()));
  EXPECT_GT(statistics.contacts, statistics.merged_pairs);
  EXPECT_GT(statistics.merged_pairs, 0);
  EXPECT_GT(statistics.virtual_bond_energy, 0);
  EXPECT_EQ(statistics.dissipated_merging, 0);  // alpha = 1
}

TEST(MergeSplit, SecondStageMergesMarkedPairsThatTurn) {
  // Particle 1 leaves 0 and, pushed back, approaches it at the end; particle 2 meets 1 from the start.
  // However slowly: any speed of approach counts ([MS] eq. 22).
  for (const float pushed : {0.5f, -0.5f, 1e-5f, -1e-5f}) {
    const bool turns = pushed < 0;
    std::vector<HostParticles> systems(2);
    add_particle(systems[0], {0, 0, 0}, {0, 0, 0}, 1, 0.06f);
    add_particle(systems[1], {0.1f, 0, 0}, {0.2f, 0, 0}, 1, 0.06f);
    add_particle(systems[0], {0.2f, 0, 0}, {-0.3f, 0, 0}, 1, 0.06f);
    ParticleStore store;
    add_systems(store, systems);  // order in the store: 0, 2, 1
    MergeSplit merging(parameters_with(1, 0), 1, open_domain, open_domain);
    merging.detect(store, std::vector<ContactRules>(2), 0);
    merging.merge(store);
    EXPECT_EQ(HostGroups(merging.groups()).group_of, (std::vector<int>{-1, 0, 0}));
    Array<Vec3> end(std::vector<Vec3>{{0, 0, 0}, {pushed, 0, 0}, {pushed, 0, 0}});
    merging.synchronize(end.view(), no_gravitation);
    EXPECT_EQ(merging.second_stage(store, end.const_view()), turns);
    const HostGroups groups(merging.groups());
    EXPECT_EQ(groups.group_of, (turns ? std::vector<int>{0, 0, 0} : std::vector<int>{-1, 0, 0}));
    EXPECT_EQ(merging.statistics().contacts, 2);
    EXPECT_EQ(merging.statistics().merged_pairs, turns ? 2 : 1);
    EXPECT_EQ(merging.statistics().ignored_contacts, 0);
    if (!turns) continue;
    EXPECT_NEAR(groups.velocity[0].x, -0.1 / 3, 1e-7);
    end.assign(std::vector<Vec3>(3, Vec3{-0.2f, 0, 0}));
    merging.synchronize(end.view(), no_gravitation);
    merging.split(end.view());
    const auto after = end.to_host();
    EXPECT_LE(after[2].x, after[1].x);  // eq. 14 at both nodes: 1 from 2, and 0 from the centre of both
    EXPECT_LE(2 * after[0].x, after[1].x + after[2].x);
    EXPECT_NEAR(after[0].x + after[1].x + after[2].x, -0.6, 1e-6);
  }
}

/// A particle of 2 kg slides over a held one at 0.3 m/s, and the step's forces press it on: what it moves by
/// along the contact, it cannot, is gone after the step. A collision keeps its energy, and so does a solid.
TEST(MergeSplit, FluidPressedOnAHeldParticleComesToRest) {
  const Array<int> bond_first(std::vector<int>{0, 0}), bond_neighbor(1);
  for (const bool approaches : {false, true})
    for (const bool bonded : {false, true}) {
      std::vector<HostParticles> systems(2);
      add_particle(systems[0], {0, 0, 0}, {0, 0, 0}, 1, 0.06f, true);
      add_particle(systems[1], {0, 0, 0.1f}, {0.3f, 0, approaches ? -1e-3f : 1e-3f}, 2, 0.06f);
      ParticleStore store;
      add_systems(store, systems);
      std::vector<ContactRules> rules(2);
      if (bonded) {
        rules[1].bond_first = bond_first.const_view();
        rules[1].bond_neighbor = bond_neighbor.const_view();
      }
      MergeSplit merging(parameters_with(1, 0), 1, open_domain, open_domain);
      merging.detect(store, rules, 0);
      merging.merge(store);
      Array<Vec3> end(std::vector<Vec3>{{0, 0, 0}, {0.3f, 0, -0.1f}});
      merging.synchronize(end.view(), no_gravitation);
      EXPECT_EQ(merging.second_stage(store, end.const_view()), !approaches);
      merging.synchronize(end.view(), no_gravitation);
      merging.split(end.view());
      const Vec3 after = end.to_host()[1];
      const bool rests = !approaches && !bonded;
      EXPECT_NEAR(after.x, rests ? 0 : 0.3, 1e-6) << approaches << bonded;
      EXPECT_NEAR(after.z, rests ? 0 : 1e-3, 1e-6) << approaches << bonded;
      EXPECT_NEAR(merging.statistics().dissipated_merging, rests ? 0.09 : 0, 1e-5) << approaches << bonded;
    }
}

TEST(MergeSplit, StatisticsCountEveryContactOnce) {
  Scene scene(6, {3000, 3000});
  MergeSplit merging(parameters_with(1, 0, 4, 8), 1, open_domain, open_domain);
  merging.detect(scene.store, scene.systems, 0);
  merging.merge(scene.store);
  Array<Vec3> end(scene.store.velocity.to_host());
  merging.synchronize(end.view(), no_gravitation);
  const MergeStatistics first = merging.statistics();
  EXPECT_LE(first.largest_group, 8);
  EXPECT_GT(first.ignored_contacts, 0);
  ASSERT_TRUE(merging.second_stage(scene.store, end.const_view()));
  const MergeStatistics second = merging.statistics();
  EXPECT_EQ(second.contacts, first.contacts);
  EXPECT_GT(second.merged_pairs + second.ignored_contacts, first.merged_pairs + first.ignored_contacts);
  EXPECT_LE(second.merged_pairs + second.ignored_contacts, second.contacts);
}

TEST(MergeSplit, NoContactsNoGroups) {
  Scene scene(7, {500, 300});
  MergeSplitParameters none;
  none.method = ContactMethod::none;
  MergeSplit off(none, 1, open_domain, open_domain), on({}, 1, open_domain, open_domain);
  for (MergeSplit* merging : {&off, &on}) {
    merging->detect(scene.store, merging == &off ? scene.systems : std::vector<ContactRules>(2), 0);
    if (merging == &off) {
      merging->merge(scene.store);
      Array<Vec3> end(scene.store.velocity.to_host());
      merging->synchronize(end.view(), no_gravitation);
      EXPECT_FALSE(merging->second_stage(scene.store, end.const_view()));
      merging->split(end.view());
      EXPECT_EQ(end.to_host(), scene.store.velocity.to_host());
      EXPECT_EQ(merging->statistics().contacts, 0);
    }
    const HostGroups groups(merging->groups());
    EXPECT_EQ(groups.count(), 0u);
    EXPECT_EQ(groups.group_of, std::vector<int>(800, -1));
  }
}

TEST(MergeSplit, GroupsEndWithTheirStepAndMemoryStaysConstant) {
  Scene scene(8, {600, 400});
  MergeSplit merging({}, 1, open_domain, open_domain);
  auto step = [&](long long number) {
    merging.detect(scene.store, scene.systems, number);
    merging.merge(scene.store);
    Array<Vec3> end(scene.store.velocity.to_host());
    merging.synchronize(end.view(), no_gravitation);
    merging.second_stage(scene.store, end.const_view());
    merging.split(end.view());
    merging.statistics();
  };
  for (int k = 0; k < 20; ++k) step(k);
  const size_t bytes = allocated_bytes();
  for (int k = 0; k < 20; ++k) step(k);
  EXPECT_EQ(allocated_bytes(), bytes);
  // Everything drifts out of reach, then a particle is added: no trace of the groups.
  auto positions = scene.store.position.to_host();
  for (size_t i = 600; i < positions.size(); ++i) positions[i].x += 5;
  scene.store.position.assign(positions);
  step(21);
  EXPECT_EQ(HostGroups(merging.groups()).group_of, std::vector<int>(1000, -1));
  HostParticles more;
  add_particle(more, {9, 9, 9}, {0, 0, 0}, 1, 0.1f);
  scene.store.append(0, more);
  step(22);
  EXPECT_EQ(HostGroups(merging.groups()).group_of, std::vector<int>(1001, -1));
}

}  // namespace merge_split_test
MERGANSER_END
