/// Synchronization and splitting keep momentum and give back the energy they should ([MS] eq. 8, 9, 17-20).
#include <gtest/gtest.h>

#include "tests/support/merge_reference.h"
#include "tests/support/merge_split_scene.h"

MERGANSER_BEGIN
namespace merge_split_conservation_test {

using namespace merge_split_test;

/// One step with arbitrary systems: eq. 17-20 and 8-9 over each group, measured from the particles alone.
void expect_step_conserves(std::vector<int> counts, double alpha, double beta, unsigned seed) {
  Scene scene(seed, counts);
  const Snapshot start(scene.store);
  MergeSplit merging(parameters_with(alpha, beta), seed, open_domain, open_domain);
  merging.detect(scene.store, scene.systems, 5);
  merging.merge(scene.store);
  const HostGroups groups(merging.groups());
  const std::vector<Vec3> hat = arbitrary_end_velocities(start, groups, seed);
  Array<Vec3> end(hat);
  const Vec3 free_change{0.05f, 0, -0.2f};
  merging.synchronize(end.view(), free_change);
  const auto synchronized = end.to_host();
  merging.split(end.view());
  const auto after = end.to_host();
  double merging_loss = 0, synchronization_loss = 0;
  int spanning = 0, bounded = 0;
  for (size_t g = 0; g < groups.count(); ++g) {
    double mass = 0, start_energy = 0, after_energy = 0, magnitude = 0;
    std::vector<ReferenceMember> members;
    Vec3d start_momentum{0, 0, 0}, hat_momentum{0, 0, 0}, after_momentum{0, 0, 0};
    const Vec3 v = synchronized[size_t(groups.member[size_t(groups.first[g])])];
    groups.for_each_member(g, [&](size_t i) {
      const double m = start.mass[i];
      EXPECT_EQ(synchronized[i], v);  // members translate rigidly
      mass += m;
      start_momentum += m * to_double(start.velocity[i]);
      hat_momentum += m * to_double(hat[i]);
      after_momentum += m * to_double(after[i]);
      magnitude += m * norm(to_double(after[i]));
      start_energy += 0.5 * m * norm_squared(to_double(start.velocity[i]));
      const int system = start.system[i];
      members.push_back({m, scene.systems[size_t(system)].implicit ? -1 : system, to_double(hat[i])});
      after_energy += 0.5 * m * norm_squared(to_double(after[i]));
    });
    const Vec3d whole = to_double(v);
    EXPECT_NEAR(norm(whole - hat_momentum / mass), 0,
                1.2e-7 * (norm(whole) + 1e-3));                             // eq. 17 to float rounding
    EXPECT_NEAR(norm(after_momentum - mass * whole), 0, 1e-6 * magnitude);  // eq. 8
    const double merging_energy =
        start_energy - 0.5 * norm_squared(start_momentum) / mass;  // sum of dE, eq. 4
    const Vec3d begin = to_double(groups.velocity[g]);
    const ReferenceSynchronization reference =
        reference_synchronize(members, begin, begin + to_double(free_change));
    EXPECT_NEAR(norm(reference.velocity - hat_momentum / mass), 0, 1e-12);
    const double synchronization_energy = reference.energy();
    const double given =
        0.5 * mass * norm_squared(whole) + alpha * merging_energy + beta * synchronization_energy;
    EXPECT_NEAR(after_energy, given, 1e-5 * given);  // eq. 9 with eq. 20
    merging_loss += (1 - alpha) * merging_energy;
    synchronization_loss += (1 - beta) * synchronization_energy;
    if (synchronization_energy > 1e-4 * start_energy) ++spanning;
    if (reference.step_lost < reference.integrated) ++bounded;
  }
  EXPECT_GT(spanning, 20);
  EXPECT_GT(bounded, 0);
  for (size_t i = 0; i < after.size(); ++i)
    if (groups.group_of[i] < 0) {
      EXPECT_EQ(after[i], hat[i]);
    }
  const MergeStatistics statistics = merging.statistics();
  EXPECT_NEAR(statistics.dissipated_merging, merging_loss, 1e-4 * merging_loss + 1e-9);
  EXPECT_NEAR(statistics.dissipated_synchronization, synchronization_loss,
              1e-4 * synchronization_loss + 1e-9);
}
TEST(MergeSplit, TwoSystemsConserve) {
  for (double alpha : {0.0, 0.5, 1.0})
    for (double beta : {0.0, 0.5, 1.0}) expect_step_conserves({700, 400}, alpha, beta, 2);
}
TEST(MergeSplit, ThreeSystemsConserve) {
  for (double alpha : {0.0, 1.0})
    for (double beta : {0.0, 1.0}) expect_step_conserves({500, 300, 400}, alpha, beta, 3);
}

/// Two of the four are implicit: one integrator.
TEST(MergeSplit, FourSystemsConserve) {
  for (double alpha : {0.0, 1.0}) expect_step_conserves({400, 300, 300, 400}, alpha, 1, 5);
}

/// Impulses that keep a group at rest, or in steady motion, do no work on it: there is no energy to give
/// back, whatever eq. 19 finds between the systems, and members part with nothing (alpha = 0, beta = 1).
TEST(MergeSplit, OppositeImpulsesStoreNothing) {
  const Vec3 free_change{0, 0, -0.05f};
  for (const float implicit_mass : {0.25f, 1.0f, 30.0f})
    for (const float drift : {0.0f, 0.75f}) {
      std::vector<HostParticles> systems(2);
      add_particle(systems[0], {0, 0, 0}, {drift + implicit_mass, 0, 0}, 1, 0.06f);
      add_particle(systems[1], {0.1f, 0, 0}, {drift - 1, 0, 0}, implicit_mass, 0.06f);
      ParticleStore store;
      add_systems(store, systems);
      std::vector<ContactRules> contacts(2);
      contacts[1].implicit = true;
      MergeSplit merging(parameters_with(0, 1), 1, open_domain, open_domain);
      merging.detect(store, contacts, 0);
      merging.merge(store);
      const HostGroups groups(merging.groups());
      ASSERT_EQ(groups.count(), 1u);
      const float whole = 1 + implicit_mass;
      const Vec3 free = groups.velocity[0] + free_change, impulse{4, 0, 1};
      // The second system takes the first one's impulse and the weight.
      Array<Vec3> end(
          std::vector<Vec3>{free + impulse, free + (1 / implicit_mass) * (-impulse - whole * free_change)});
      merging.synchronize(end.view(), free_change);
      EXPECT_NEAR(norm(end.to_host()[0] - groups.velocity[0]), 0, 2e-6f * (4 + drift));
      merging.split(end.view());
      EXPECT_NEAR(merging.statistics().synchronization_energy, 0, 1e-10 * whole);
      for (const Vec3& v : end.to_host()) EXPECT_NEAR(norm(v - groups.velocity[0]), 0, 1e-5f);
    }
}

TEST(MergeSplit, MassScaleAddsUpTheImpulsesOfAllSystems) {
  // One group of an explicit particle and two implicit ones of two systems. Each system gives its member the
  // impulse J_k over its own inertia; by the rule of MetaParticleView the synchronized velocity must be V* +
  // sum J_k / M.
  const float mass[3] = {3.0f, 0.5f, 8.0f};
  std::vector<HostParticles> systems(3);
  for (int s = 0; s < 3; ++s)
    add_particle(systems[size_t(s)], {0.1f * float(s), 0, 0}, {-float(s), 0, 0}, mass[s], 0.07f);
  ParticleStore store;
  add_systems(store, systems);
  std::vector<ContactRules> contacts(3);
  contacts[1].implicit = contacts[2].implicit = true;
  MergeSplit merging(parameters_with(1, 0), 1, open_domain, open_domain);
  merging.detect(store, contacts, 0);
  merging.merge(store);
  const HostGroups groups(merging.groups());
  ASSERT_EQ(groups.count(), 1u);
  ASSERT_EQ(groups.member.size(), 3u);
  const double whole = 11.5, scale = groups.mass_scale[0];
  const Vec3d free = to_double(groups.velocity[0]) + Vec3d{0, 0, -0.01};  // V* = V + dt g
  std::vector<Vec3> hat;
  Vec3d sum{0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    const Vec3d impulse{0.3 * k + 0.1, 1.0 - k, 0.2};
    sum += impulse;
    const double factor = contacts[size_t(k)].implicit ? scale : 1.0;
    const Vec3d computed =
        free + impulse / (factor * mass[k]);  // the system's own inertia, scaled where it is implicit
    hat.push_back(to_float(free + factor * (computed - free)));
  }
  Array<Vec3> end(hat);
  merging.synchronize(end.view(), no_gravitation);
  EXPECT_NEAR(norm(to_double(end.to_host()[1]) - (free + sum / whole)), 0, 5e-7);
}

TEST(MergeSplit, ImmobileMembersHoldTheirGroup) {
  Scene scene(4, {700, 400}, 0.2);
  const Snapshot start(scene.store);
  MergeSplit merging(parameters_with(1, 1), 1, open_domain, open_domain);
  merging.detect(scene.store, scene.systems, 0);
  merging.merge(scene.store);
  const HostGroups groups(merging.groups());
  const auto hat = arbitrary_end_velocities(start, groups, 1);
  Array<Vec3> end(hat);
  merging.synchronize(end.view(), no_gravitation);
  const auto synchronized = end.to_host();
  merging.split(end.view());
  const auto after = end.to_host();
  int held = 0;
  for (size_t g = 0; g < groups.count(); ++g) {
    int immobile = 0;
    double energy = 0, expected = 0;
    groups.for_each_member(g, [&](size_t i) {
      const double m = start.mass[i];
      if (start.inverse_mass[i] == 0) {
        ++immobile;
        EXPECT_EQ(groups.velocity[g], start.velocity[i]);
        EXPECT_EQ(after[i], start.velocity[i]);  // a prescribed particle moves as prescribed
        return;
      }
      // In the frame of the immobile member all energy is in the bonds and comes back (alpha = 1).
      expected += 0.5 * m * norm_squared(to_double(start.velocity[i]) - to_double(groups.velocity[g]));
      energy += 0.5 * m * norm_squared(to_double(after[i]) - to_double(groups.velocity[g]));
    });
    EXPECT_LE(immobile, 1);
    EXPECT_EQ(groups.inverse_mass[g] == 0, immobile == 1);
    if (immobile == 0) continue;
    ++held;
    EXPECT_EQ(groups.mass_scale[g], 1);
    EXPECT_NEAR(energy, expected, 1e-5 * expected);
    groups.for_each_member(g, [&](size_t i) { EXPECT_EQ(synchronized[i], groups.velocity[g]); });
  }
  EXPECT_GT(held, 20);
}

}  // namespace merge_split_conservation_test
MERGANSER_END
