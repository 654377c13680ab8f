/// Merging-and-splitting in every way of working, from run to run and with any threads.
#include <gtest/gtest.h>
#if !MERGANSER_COMPILED_BY_NVCC
#include <omp.h>
#endif

#include <cstring>

#include "tests/support/merge_split_scene.h"

MERGANSER_BEGIN
namespace merge_split_bits_test {

using namespace merge_split_test;

/// All that a step of merging-and-splitting writes, as bytes to compare.
struct StepResult {
  std::vector<int> group_of, first, member;
  std::vector<Vec3> group_velocity, synchronized, after;
  std::vector<float> inverse_mass, mass_scale;
  MergeStatistics statistics;
  int contacts;
  bool operator==(const StepResult& other) const {
    return group_of == other.group_of && first == other.first && member == other.member &&
           group_velocity == other.group_velocity && synchronized == other.synchronized &&
           after == other.after && inverse_mass == other.inverse_mass && mass_scale == other.mass_scale &&
           contacts == other.contacts && statistics.merged_pairs == other.statistics.merged_pairs &&
           statistics.rounds == other.statistics.rounds &&
           statistics.virtual_bond_energy == other.statistics.virtual_bond_energy &&
           statistics.synchronization_energy == other.statistics.synchronization_energy;
  }
};
/// Both stages, a step with each `counts`, with the ways of working that are asked for (see MergeSplit).
std::vector<StepResult> steps_with(const std::vector<std::vector<int>>& counts, bool unlimited, int few_pairs,
                                   bool by_system) {
  MergeSplitParameters parameters = parameters_with(0.8, 0.7);
  parameters.unlimited = unlimited;
  MergeSplit merging(parameters, 3, open_domain, open_domain);
  merging.set_few_pairs(few_pairs);
  merging.set_synchronize_by_system(by_system);
  std::vector<StepResult> results;
  for (unsigned step = 0; step < counts.size(); ++step) {
    Scene scene(20 + step, counts[step], 0.02);
    const Snapshot start(scene.store);
    merging.detect(scene.store, scene.systems, step);
    merging.merge(scene.store);
    const Vec3 free_change{0.05f, 0, -0.2f};
    Array<Vec3> end(arbitrary_end_velocities(start, HostGroups(merging.groups()), step));
    merging.synchronize(end.view(), free_change);
    EXPECT_EQ(merging.second_stage(scene.store, end.const_view()), merging.contacts().pair_count() > 0);
    const HostGroups groups(merging.groups());
    end.assign(arbitrary_end_velocities(start, groups, 7 + step));
    merging.synchronize(end.view(), free_change);
    StepResult result{groups.group_of,      groups.first,
                      groups.member,        groups.velocity,
                      end.to_host(),        {},
                      groups.inverse_mass,  groups.mass_scale,
                      merging.statistics(), merging.contacts().pair_count()};
    merging.split(end.view());
    result.after = end.to_host();
    results.push_back(result);
  }
  return results;
}

/// All rounds in one launch, launches for each, and both: the same bits.
TEST(MergeSplit, SingleLaunchesGiveTheBitsOfMany) {
  constexpr int never = 0, always = 1 << 20;
  for (const bool unlimited : {false, true}) {
    const std::vector<std::vector<int>> counts(3, {700, 400, 200});
    const auto plain = steps_with(counts, unlimited, never, false);
    EXPECT_GT(plain[0].statistics.rounds, 2);
    EXPECT_EQ(steps_with(counts, unlimited, always, false), plain);
    EXPECT_EQ(steps_with(counts, unlimited, 300, false), plain);
  }
}

/// Where groups are made before the host knows how many pairs there are: as many as before, more than there
/// is room for, too many for one launch, none, and some again.
TEST(MergeSplit, PairsThatOnlyTheDeviceHasCountedGiveTheSameBits) {
  const std::vector<std::vector<int>> counts{{300, 200},   {310, 210}, {1000, 900}, {1010, 900},
                                             {6000, 3000}, {1, 1},     {1000, 900}, {1000, 900}};
  const auto plain = steps_with(counts, false, 0, false);
  const int few = 4000;
  EXPECT_GT(plain[2].contacts, 4 * plain[1].contacts);
  EXPECT_LT(plain[3].contacts, few);
  EXPECT_GT(plain[4].contacts, few);
  EXPECT_EQ(plain[5].contacts, 0);
  const auto counted_later = steps_with(counts, false, few, false);
  for (size_t step = 0; step < plain.size(); ++step) EXPECT_EQ(counted_later[step], plain[step]) << step;
}

/// One thread a group, or sums by system; five systems, of which two are implicit.
TEST(MergeSplit, SumsBySystemAgreeWithSumsByGroup) {
  for (const bool unlimited : {false, true}) {
    const std::vector<std::vector<int>> counts(3, {400, 300, 200, 300, 250});
    const auto by_group = steps_with(counts, unlimited, 4096, false);
    const auto by_system = steps_with(counts, unlimited, 4096, true);
    for (size_t step = 0; step < by_group.size(); ++step) {
      const StepResult &a = by_group[step], &b = by_system[step];
      EXPECT_EQ(a.group_of, b.group_of);
      EXPECT_GT(a.statistics.synchronization_energy, 0);
      EXPECT_NEAR(a.statistics.synchronization_energy, b.statistics.synchronization_energy,
                  1e-7 * a.statistics.synchronization_energy);
      for (size_t i = 0; i < a.after.size(); ++i) {
        EXPECT_NEAR(norm(a.synchronized[i] - b.synchronized[i]), 0, 3e-7 * (norm(a.synchronized[i]) + 1));
        EXPECT_NEAR(norm(a.after[i] - b.after[i]), 0, 1e-4 * (norm(a.after[i]) + 1));
      }
    }
  }
}

TEST(MergeSplit, SameBitsFromRunToRunAndForAnyThreads) {
  auto run = [] {
    Scene scene(9, {20000, 8000});
    MergeSplit merging(parameters_with(0.7, 0.3), 1, open_domain, open_domain);
    merging.detect(scene.store, scene.systems, 3);
    merging.merge(scene.store);
    const Snapshot start(scene.store);
    Array<Vec3> end(arbitrary_end_velocities(start, HostGroups(merging.groups()), 1));
    merging.synchronize(end.view(), no_gravitation);
    merging.second_stage(scene.store, end.const_view());
    merging.synchronize(end.view(), no_gravitation);
    merging.split(end.view());
    return end.to_host();
  };
  auto same_bits = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3)) == 0;
  };
  const auto once = run();
  EXPECT_TRUE(same_bits(run(), once));
#if !MERGANSER_COMPILED_BY_NVCC
  const int threads = omp_get_max_threads();
  for (int n : {1, 2, 4}) {
    omp_set_num_threads(n);
    EXPECT_TRUE(same_bits(run(), once)) << n << " threads";
  }
  omp_set_num_threads(threads);
#endif
}

}  // namespace merge_split_bits_test
MERGANSER_END
