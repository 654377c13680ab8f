/// Merging-and-splitting over many steps, with the simplest systems there are: free flight under gravity.
#include <gtest/gtest.h>

#include "device/launch.h"
#include "solvers/core/advance.h"
#include "solvers/coupling/boundary/wrap_positions.h"
#include "solvers/coupling/merge_split/merge_split.h"
#include "tests/support/particles.h"

MERGANSER_BEGIN
namespace merge_split_motion_test {

/// End-of-step velocities of particles and groups that nothing but gravity acts on.
struct FreeFlight {
  static constexpr const char* name = "test free flight";
  ParticleConstView particles;
  MetaParticleView groups;
  Vec3 kick;  ///< dt g [m/s]
  View<Vec3> end_velocity;
  MERGANSER_METHOD void operator()(int i) const {
    const int g = groups.group_of[i];
    const Vec3 start = g < 0 ? particles.velocity[i] : groups.velocity[g];
    const bool mobile = (g < 0 ? particles.inverse_mass[i] : groups.inverse_mass[g]) > 0;
    end_velocity[i] = mobile ? start + kick : start;
  }
};

struct Motion {
  ParticleStore store;
  std::vector<ContactRules> systems;
  Vec3 origin{0, 0, 0}, period{0, 0, 0}, gravity{0, 0, 0};
  float dt = 0.01f;
  MergeStatistics total;
  int second_stages = 0;

  void run(int steps, const MergeSplitParameters& parameters) {
    MergeSplit merging(parameters, 1, origin, period);
    KernelReport report;
    Array<Vec3> end(store.count());
    for (int step = 0; step < steps; ++step) {
      merging.detect(store, systems, step);
      merging.merge(store);
      bool again = false;
      do {
        launch(store.count(), FreeFlight{store.const_view(), merging.groups(), dt * gravity, end.view()});
        merging.synchronize(end.view(), dt * gravity);
        again = !again && merging.second_stage(store, end.const_view());
        second_stages += again;
      } while (again);
      advance_particles(store, end.const_view(), dt, report.view());
      launch(store.count(), WrapPositions{origin, period, store.position.view()});
      merging.split(store.velocity.view());
      const MergeStatistics statistics = merging.statistics();
      total.merged_pairs += statistics.merged_pairs;
      total.dissipated_merging += statistics.dissipated_merging;
      total.dissipated_synchronization += statistics.dissipated_synchronization;
    }
  }
  Vec3d momentum(double* magnitude = nullptr, double* energy = nullptr) const {
    const auto v = store.velocity.to_host();
    const auto m = store.mass.to_host();
    Vec3d sum{0, 0, 0};
    for (size_t i = 0; i < v.size(); ++i) {
      sum += double(m[i]) * to_double(v[i]);
      if (magnitude) *magnitude += m[i] * norm(to_double(v[i]));
      if (energy) *energy += 0.5 * m[i] * norm_squared(to_double(v[i]));
    }
    return sum;
  }
};

/// Two gases in a periodic box, masses over four decades.
Motion two_gases() {
  Motion motion;
  std::mt19937 engine(1);
  motion.origin = {-0.5f, -0.5f, -0.5f};
  motion.period = {1, 1, 1};
  add_systems(motion.store, {random_particles(engine, 300, 1.0f, 0.02f, 1.5f),
                             random_particles(engine, 200, 1.0f, 0.02f, 1.5f)});
  motion.systems.resize(2);
  motion.systems[1].implicit = motion.systems[1].self_contact = true;
  return motion;
}

TEST(MergeSplitMotion, MomentumOfAClosedSceneDriftsByLessThanRounding) {
  Motion motion = two_gases();
  double magnitude = 0, energy_before = 0, energy_after = 0;
  const Vec3d before = motion.momentum(&magnitude, &energy_before);
  motion.run(1000, MergeSplitParameters{});
  EXPECT_GT(motion.total.merged_pairs, 10000);
  EXPECT_NEAR(norm(motion.momentum(nullptr, &energy_after) - before), 0, 1e-5 * magnitude);
  // alpha = 1: nothing dissipates; each of nearly 20,000 merges rounds energy by some 1e-7 of its own, of
  // either sign.
  EXPECT_NEAR(energy_after, energy_before, 1e-4 * energy_before);
}

TEST(MergeSplitMotion, EnergyLostIsTheEnergyReported) {
  Motion motion = two_gases();
  MergeSplitParameters parameters;
  parameters.alpha = 0.5;
  double before = 0, after = 0;
  motion.momentum(nullptr, &before);
  motion.run(100, parameters);
  motion.momentum(nullptr, &after);
  EXPECT_LT(after, 0.7 * before);
  EXPECT_NEAR(before - after, motion.total.dissipated_merging + motion.total.dissipated_synchronization,
              1e-5 * before);
}

void expect_rest(float gravity) {
  // A floor of immobile particles; one particle on top of another one, one in a hollow between four.
  // Gravitation turns the marked pairs to approach in every step, the second stage merges them with the
  // floor, and nothing moves.
  Motion motion;
  HostParticles floor, load;
  for (int i = 0; i < 25; ++i)
    add_particle(floor, {0.1f * float(i % 5), 0.1f * float(i / 5), 0}, {0, 0, 0}, 1, 0.05f, true);
  add_particle(load, {0.1f, 0.1f, 0.095f}, {0, 0, 0}, 0.3f, 0.05f);
  add_particle(load, {0.25f, 0.25f, 0.07f}, {0, 0, 0}, 20, 0.05f);
  add_systems(motion.store, {floor, load});
  motion.systems.resize(2);
  motion.gravity = {0, 0, -gravity};
  motion.dt = 0.002f;
  const auto before = motion.store.position.to_host();
  motion.run(500, MergeSplitParameters{});
  EXPECT_EQ(motion.second_stages, 500);
  EXPECT_EQ(motion.store.position.to_host(), before);
}
TEST(MergeSplitMotion, ParticlesRestingOnImmobileOnesStayAtRest) { expect_rest(9.81f); }
/// The pairs turn by 10 micrometres a second.
TEST(MergeSplitMotion, AndUnderWeakGravitation) { expect_rest(0.005f); }

TEST(MergeSplitMotion, RestitutionOfABounceIsTheSquareRootOfAlpha) {
  for (double alpha : {0.25, 1.0}) {
    Motion motion;
    HostParticles floor, ball;
    add_particle(floor, {0, 0, 0}, {0, 0, 0}, 1, 0.05f, true);
    add_particle(ball, {0, 0, 0.12f}, {0, 0, -1}, 0.3f, 0.05f);
    add_systems(motion.store, {floor, ball});
    motion.systems.resize(2);
    motion.dt = 0.01f;
    MergeSplitParameters parameters;
    parameters.alpha = alpha;
    motion.run(20, parameters);
    EXPECT_NEAR(motion.store.velocity.to_host()[1].z, std::sqrt(alpha), 1e-6);
    EXPECT_EQ(motion.total.merged_pairs, 1);
  }
}

}  // namespace merge_split_motion_test
MERGANSER_END
