/// A whole step of merging-and-splitting: groups as systems see them, synchronization ([MS] eq. 17-20),
/// second stage, splitting.
#include "solvers/coupling/merge_split/merge_split.h"

#include <gtest/gtest.h>
#if !MERGANSER_COMPILED_BY_NVCC
#include <omp.h>
#endif

#include <cstring>

#include "tests/support/merge_reference.h"
#include "tests/support/particles.h"

MERGANSER_BEGIN
namespace {

constexpr Vec3 open_domain{0, 0, 0}, no_gravitation{0, 0, 0};

/// Particles of a store on the host, with sums over them in double.
struct Snapshot {
  std::vector<Vec3> velocity;
  std::vector<float> mass, inverse_mass;
  std::vector<int> system;
  explicit Snapshot(const ParticleStore& store)
      : velocity(store.velocity.to_host()),
        mass(store.mass.to_host()),
        inverse_mass(store.inverse_mass.to_host()),
        system(store.system.to_host()) {}
};

struct HostGroups {
  std::vector<int> group_of, first, member;
  std::vector<Vec3> velocity;
  std::vector<float> inverse_mass, mass_scale;
  explicit HostGroups(const MetaParticleView& view)
      : group_of(to_host(view.group_of)),
        first(to_host(view.first)),
        velocity(to_host(view.velocity)),
        inverse_mass(to_host(view.inverse_mass)),
        mass_scale(to_host(view.mass_scale)) {
    first.resize(view.group_count > 0 ? size_t(view.group_count) + 1 : 0);
    member = to_host(view.member.subview(0, first.empty() ? 0 : first.back()));
  }
  size_t count() const { return velocity.size(); }
  template <class Visit>
  void for_each_member(size_t group, const Visit& visit) const {
    for (int k = first[group]; k < first[group + 1]; ++k) visit(size_t(member[size_t(k)]));
  }
};

/// Overlapping clouds of several systems; every other system is implicit.
struct Scene {
  ParticleStore store;
  std::vector<ContactRules> systems;
  Scene(unsigned seed, std::vector<int> counts, double immobile_share = 0) {
    std::mt19937 engine(seed);
    std::vector<HostParticles> clouds;
    for (int count : counts) {
      clouds.push_back(random_particles(engine, count, 1.0f, 0.03f, 1.5f, immobile_share));
      ContactRules system;
      system.implicit = clouds.size() % 2 == 0;
      systems.push_back(system);
    }
    add_systems(store, clouds);
  }
};

MergeSplitParameters parameters_with(double alpha, double beta, int least = 8, int most = 64) {
  MergeSplitParameters parameters;
  parameters.alpha = alpha;
  parameters.beta = beta;
  parameters.group_min = least;
  parameters.group_max = most;
  return parameters;
}

/// Any end velocity: one draw per particle, but one per (group, system) for members, as systems return it.
std::vector<Vec3> arbitrary_end_velocities(const Snapshot& start, const HostGroups& groups, unsigned seed) {
  std::vector<Vec3> end(start.velocity.size());
  for (size_t i = 0; i < end.size(); ++i) {
    const int group = groups.group_of[i];
    const unsigned key = group < 0 ? unsigned(i) : unsigned(1000000 + 10 * group + start.system[i]);
    const RandomBits bits = random_draw(seed, RandomPurpose::test, key, 0);
    const Vec3 kick{uniform_float(bits.word[0]) - 0.5f, uniform_float(bits.word[1]) - 0.5f,
                    uniform_float(bits.word[2]) - 0.5f};
    end[i] = (group < 0 ? start.velocity[i] : groups.velocity[size_t(group)]) + kick;
  }
  return end;
}

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

/// All that a step of merging-and-splitting writes, as bytes to compare.
struct StepResult {
  std::vector<int> group_of, first, member;
  std::vector<Vec3> group_velocity, synchronized, after;
  std::vector<float> inverse_mass, mass_scale;
  MergeStatistics statistics;
  bool operator==(const StepResult& other) const {
    return group_of == other.group_of && first == other.first && member == other.member &&
           group_velocity == other.group_velocity && synchronized == other.synchronized &&
           after == other.after && inverse_mass == other.inverse_mass && mass_scale == other.mass_scale &&
           statistics.merged_pairs == other.statistics.merged_pairs &&
           statistics.rounds == other.statistics.rounds &&
           statistics.virtual_bond_energy == other.statistics.virtual_bond_energy &&
           statistics.synchronization_energy == other.statistics.synchronization_energy;
  }
};
/// Both stages, several steps, with the ways of working that are asked for (see MergeSplit).
std::vector<StepResult> steps_with(std::vector<int> counts, bool unlimited, int few_pairs, bool by_system) {
  MergeSplitParameters parameters = parameters_with(0.8, 0.7);
  parameters.unlimited = unlimited;
  MergeSplit merging(parameters, 3, open_domain, open_domain);
  merging.set_few_pairs(few_pairs);
  merging.set_synchronize_by_system(by_system);
  std::vector<StepResult> results;
  for (unsigned step = 0; step < 3; ++step) {
    Scene scene(20 + step, counts, 0.02);
    const Snapshot start(scene.store);
    merging.detect(scene.store, scene.systems, step);
    merging.merge(scene.store);
    const Vec3 free_change{0.05f, 0, -0.2f};
    Array<Vec3> end(arbitrary_end_velocities(start, HostGroups(merging.groups()), step));
    merging.synchronize(end.view(), free_change);
    EXPECT_TRUE(merging.second_stage(scene.store, end.const_view()));
    const HostGroups groups(merging.groups());
    end.assign(arbitrary_end_velocities(start, groups, 7 + step));
    merging.synchronize(end.view(), free_change);
    StepResult result{groups.group_of,     groups.first,      groups.member,
                      groups.velocity,     end.to_host(),     {},
                      groups.inverse_mass, groups.mass_scale, merging.statistics()};
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
    const auto plain = steps_with({700, 400, 200}, unlimited, never, false);
    EXPECT_GT(plain[0].statistics.rounds, 2);
    EXPECT_EQ(steps_with({700, 400, 200}, unlimited, always, false), plain);
    EXPECT_EQ(steps_with({700, 400, 200}, unlimited, 300, false), plain);
  }
}

/// One thread a group, or sums by system; five systems, of which two are implicit.
TEST(MergeSplit, SumsBySystemAgreeWithSumsByGroup) {
  for (const bool unlimited : {false, true}) {
    const std::vector<int> counts{400, 300, 200, 300, 250};
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

}  // namespace
MERGANSER_END
