/// The baseline contact methods on a few particles against their written formulas.
#include "solvers/coupling/pairwise_contact/pairwise_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/coupling/pairwise_contact/penalty_force.h"
#include "solvers/observables/deepest_overlap.h"
#include "tests/support/particles.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace pairwise_contacts_test {

constexpr double dt = 1e-4;  // [s]
constexpr PairwiseContactParameters parameters{
    .stiffness = 3e4, .damping = 0.3, .iterations = 4, .restitution = 0.6};

/// Particles of two systems, their contacts and what a method makes of them.
struct Scene {
  ParticleStore store;
  ContactDetection contacts;
  Vec3 period;
  Scene(const std::vector<HostParticles>& systems, Vec3 origin = {0, 0, 0}, Vec3 length = {0, 0, 0})
      : contacts(origin, length), period(length) {
    add_systems(store, systems);
    contacts.detect(store, std::vector<ContactRules>(systems.size()));
  }
  /// Velocities [m/s] after the method has acted.
  std::vector<Vec3> act(ContactMethod method, const PairwiseContactParameters& p = parameters) {
    PairwiseContacts pairwise(method, p, period);
    pairwise.before_integration(store, contacts, dt);
    Array<Vec3> end_velocity;
    end_velocity.assign(store.velocity.const_view());
    pairwise.after_integration(store, contacts, end_velocity.view());
    return end_velocity.to_host();
  }
};

/// Two particles of unlike mass and radius on a skew line, approaching at 5 m/s along it and sliding.
struct Pair {
  Vec3 n = normalized_or_zero(Vec3{1, 2, -2});
  Vec3 slide = normalized_or_zero(Vec3{0, 1, 1});
  float mass1 = 0.02f, mass2 = 0.05f, radius1 = 0.01f, radius2 = 0.014f, distance = 0.018f;
  bool immobile2 = false;
  Scene scene() const {
    std::vector<HostParticles> systems(2);
    add_particle(systems[0], {0.3f, 0.1f, -0.2f}, 3.0f * n + 2.0f * slide, mass1, radius1);
    add_particle(systems[1], Vec3{0.3f, 0.1f, -0.2f} + distance * n,
                 immobile2 ? Vec3{0, 0, 0} : -2.0f * n - 1.0f * slide, mass2, radius2, immobile2);
    return Scene(systems);
  }
};

double along(const Vec3& a, const Vec3& n) { return dot(to_double(a), to_double(n)); }

constexpr ContactMethod baselines[] = {ContactMethod::penalty, ContactMethod::sph_force,
                                       ContactMethod::impulses};

/// Momentum to float rounding of the velocities (a few ulp of 4 m/s times 0.07 kg), no force across n, and
/// the particles part or approach more slowly.
TEST(PairwiseContacts, KeepMomentumAndActAlongTheLineOfCentres) {
  for (ContactMethod method : baselines) {
    const Pair pair;
    Scene scene = pair.scene();
    const auto before = scene.store.velocity.to_host();
    const auto after = scene.act(method);
    const Vec3d change1 = to_double(after[0]) - to_double(before[0]),
                change2 = to_double(after[1]) - to_double(before[1]);
    EXPECT_LT(norm(double(pair.mass1) * change1 + double(pair.mass2) * change2), 1e-7) << int(method);
    EXPECT_LT(dot(change1, to_double(pair.n)), -1e-3) << int(method) << ": pushed away from particle 2";
    EXPECT_LT(norm(change1 - dot(change1, to_double(pair.n)) * to_double(pair.n)), 1e-5) << int(method);
  }
}

/// f = k o - c v_n in double precision; float keeps 1e-4 of it, since v + dt f/m loses digits of f.
TEST(PairwiseContacts, PenaltyForceIsTheFormula) {
  const Pair pair;
  Scene scene = pair.scene();
  const auto before = scene.store.velocity.to_host();
  const auto after = scene.act(ContactMethod::penalty);
  const double reach = double(pair.radius1) + pair.radius2, k = parameters.stiffness * reach;
  const double mu = 1 / (1 / double(pair.mass1) + 1 / double(pair.mass2));
  const double force = k * (reach - pair.distance) + 2 * parameters.damping * std::sqrt(k * mu) * 5;
  EXPECT_NEAR(-along(after[0] - before[0], pair.n) * pair.mass1 / dt, force, 1e-4 * force);
}

/// A pair that parts faster than the spring pushes is not pulled back.
TEST(PairwiseContacts, PenaltyForceNeverPulls) {
  EXPECT_EQ(penalty_force(100, 0.5f, 0.02f, 1e-4f, 10, 30), 0);
  EXPECT_GT(penalty_force(100, 0.5f, 0.02f, 1e-4f, 0, 30), 0);
}

/// Equal particles: p = K q^3 on both with q = overlap/s, f = 2 p 45/pi (s q)^2.
TEST(PairwiseContacts, SphForceIsTheFormula) {
  Pair pair;
  pair.radius2 = pair.radius1;
  pair.distance = 0.015f;
  Scene scene = pair.scene();
  const auto before = scene.store.velocity.to_host();
  const auto after = scene.act(ContactMethod::sph_force);
  const double s = 2 * double(pair.radius1), q = 1 - pair.distance / s;
  const double force = 2 * parameters.stiffness * q * q * q * 45 / 3.14159265358979 * (s * q) * (s * q);
  EXPECT_NEAR(-along(after[0] - before[0], pair.n) * pair.mass1 / dt, force, 1e-3 * force);
}

/// An overlapped third particle compresses the middle one, so its pressure adds up over both partners.
TEST(PairwiseContacts, SphPressureSumsOverPartners) {
  std::vector<HostParticles> systems(2);
  add_particle(systems[0], {0, 0, 0}, {0, 0, 0}, 0.02f, 0.01f);
  add_particle(systems[1], {-0.012f, 0, 0}, {0, 0, 0}, 0.02f, 0.01f);
  add_particle(systems[1], {0.015f, 0, 0}, {0, 0, 0}, 0.02f, 0.01f);
  Scene scene(systems);
  const auto after = scene.act(ContactMethod::sph_force);
  const double q1 = 0.4, q2 = 0.25, c1 = q1 * q1 * q1, c2 = q2 * q2 * q2;
  const double scale = dt * parameters.stiffness * 45 / 3.14159265358979 / 0.02 * 4e-4;
  EXPECT_NEAR(after[1].x / (-scale * (c1 + c2 + c1) * q1 * q1), 1, 1e-4);
  EXPECT_NEAR(after[2].x / (scale * (c1 + c2 + c2) * q2 * q2), 1, 1e-4);
}

TEST(PairwiseContacts, ImpulseTurnsTheNormalVelocityAround) {
  for (bool immobile : {false, true}) {
    Pair pair;
    pair.immobile2 = immobile;
    Scene scene = pair.scene();
    const auto before = scene.store.velocity.to_host();
    const auto after = scene.act(ContactMethod::impulses);
    const double rate = along(before[1] - before[0], pair.n);
    EXPECT_NEAR(along(after[1] - after[0], pair.n), -parameters.restitution * rate, 1e-5);
  }
}

TEST(PairwiseContacts, AnImmobilePartnerPushesAndStays) {
  for (ContactMethod method : baselines) {
    Pair pair;
    pair.immobile2 = true;
    Scene scene = pair.scene();
    const auto before = scene.store.velocity.to_host();
    const auto after = scene.act(method);
    EXPECT_TRUE(after[1] == before[1]) << int(method);
    EXPECT_LT(along(after[0] - before[0], pair.n), -1e-3) << int(method);
  }
}

TEST(PairwiseContacts, NothingActsOnDistantOrCoincidentParticlesOrWithAnotherMethod) {
  for (float distance : {0.0f, 0.03f}) {
    Pair pair;
    pair.distance = distance;
    Scene scene = pair.scene();
    const auto before = scene.store.velocity.to_host();
    for (ContactMethod method : baselines) EXPECT_TRUE(scene.act(method) == before) << distance;
  }
  for (ContactMethod method : {ContactMethod::none, ContactMethod::merging_and_splitting}) {
    Scene scene = Pair{}.scene();
    const auto before = scene.store.velocity.to_host();
    EXPECT_TRUE(scene.act(method) == before) << int(method);
  }
}

/// Across a periodic border the direction is that of the nearest image.
TEST(PairwiseContacts, ForcesActAcrossAPeriodicBorder) {
  for (ContactMethod method : baselines) {
    std::vector<HostParticles> systems(2);
    add_particle(systems[0], {0.005f, 0.5f, 0.5f}, {-1, 0, 0}, 1, 0.01f);
    add_particle(systems[1], {0.995f, 0.5f, 0.5f}, {1, 0, 0}, 1, 0.01f);
    Scene scene(systems, {0, 0, 0}, {1, 1, 1});
    const auto after = scene.act(method);
    EXPECT_GT(after[0].x, -1) << int(method);
    EXPECT_LT(after[1].x, 1) << int(method);
  }
}

std::vector<HostParticles> clouds(int count, double immobile_share) {
  std::mt19937 engine(11);
  return {random_particles(engine, count, 1, 0.03f, 2, immobile_share),
          random_particles(engine, count, 1, 0.03f, 2, immobile_share)};
}

struct Sums {
  Vec3d momentum{0, 0, 0};
  double momenta = 0, energy = 0;
};
Sums sums(const Scene& scene, const std::vector<Vec3>& velocity) {
  Sums sums;
  const auto mass = scene.store.mass.to_host();
  for (size_t i = 0; i < mass.size(); ++i) {
    const Vec3d v = to_double(velocity[i]);
    sums.momentum += double(mass[i]) * v;
    sums.momenta += mass[i] * norm(v);
    sums.energy += 0.5 * mass[i] * norm_squared(v);
  }
  return sums;
}

/// Many pairs a particle, masses from 1 to 1e4: forces cancel over the cloud. Every particle rounds its
/// velocity once per action, to 6e-8 of the momenta at most.
TEST(PairwiseContacts, CloudsKeepMomentumAndImpulsesNeverAddEnergy) {
  for (ContactMethod method : baselines) {
    Scene scene(clouds(3000, 0));
    ASSERT_GT(scene.contacts.pair_count(), 3000);
    const Sums before = sums(scene, scene.store.velocity.to_host());
    const auto after =
        scene.act(method, {.stiffness = 1e5, .damping = 0.3, .iterations = 8, .restitution = 1});
    const Sums now = sums(scene, after);
    EXPECT_FALSE(after == scene.store.velocity.to_host() && method == ContactMethod::impulses);
    EXPECT_LT(norm(now.momentum - before.momentum), 1e-6 * (before.momenta + now.momenta)) << int(method);
    if (method == ContactMethod::impulses) {
      EXPECT_LT(now.energy, before.energy * (1 + 1e-6));
    }
  }
}

/// 200,000 pairs: enough that a second thread takes part.
TEST(PairwiseContacts, SameBitsForOneAndTwoThreads) {
  for (ContactMethod method : baselines) {
    auto work = [&] { return Scene(clouds(8000, 0.1)).act(method); };
    const auto one = with_threads(1, work);
    for (int run = 0; run < 3; ++run) EXPECT_TRUE(one == with_threads(2, work)) << int(method);
  }
}

/// Rows hold every pair twice, ascending, whatever order the atomics came in.
TEST(PairwiseContacts, RowsHoldEveryPairInBothDirections) {
  Scene scene(clouds(1000, 0));
  ContactRows rows;
  rows.build(scene.contacts);
  const auto first = to_host(rows.view().first), partner = to_host(rows.view().partner);
  std::vector<std::vector<int>> expected(size_t(rows.row_count()));
  for (const ItemPair& pair : to_host(scene.contacts.pairs())) {
    expected[size_t(pair.first)].push_back(pair.second);
    expected[size_t(pair.second)].push_back(pair.first);
  }
  for (size_t row = 0; row < expected.size(); ++row) {
    std::sort(expected[row].begin(), expected[row].end());
    EXPECT_EQ(expected[row],
              std::vector<int>(partner.begin() + first[row], partner.begin() + first[row + 1]));
  }
}

TEST(DeepestOverlap, IsTheShareOfTheSumOfRadii) {
  Pair pair;
  Scene scene = pair.scene();
  DeepestOverlap overlap;
  overlap.measure(scene.store, scene.contacts, scene.period);
  fetch_results();
  EXPECT_NEAR(overlap.measured(), 0.25, 1e-5);  // (0.024 - 0.018)/0.024
  pair.distance = 0.03f;
  Scene apart = pair.scene();
  overlap.measure(apart.store, apart.contacts, apart.period);
  fetch_results();
  EXPECT_EQ(overlap.measured(), 0);
}

}  // namespace pairwise_contacts_test
MERGANSER_END
