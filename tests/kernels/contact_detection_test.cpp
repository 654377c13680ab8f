/// Contacts against brute force in double precision: clouds, unlike radii, bonds, self contact, periodic
/// borders.
#include "solvers/coupling/merge_split/contact_detection.h"

#include <gtest/gtest.h>
#if !MERGANSER_COMPILED_BY_NVCC
#include <omp.h>
#endif

#include <map>

#include "device/timers.h"
#include "tests/support/particles.h"

MERGANSER_BEGIN
namespace contact_detection_test {

/// Bonds of a system as host data with their device copy.
struct Bonds {
  std::vector<int> first, neighbor;
  Array<int> device_first, device_neighbor;
  /// Particle i is bonded to i +- 1 and i +- 5.
  explicit Bonds(int count) {
    first.push_back(0);
    for (int i = 0; i < count; ++i) {
      for (int j : {i - 5, i - 1, i + 1, i + 5})
        if (j >= 0 && j < count) neighbor.push_back(j);
      first.push_back(int(neighbor.size()));
    }
    device_first.assign(first);
    device_neighbor.assign(neighbor);
  }
  bool has(int i, int j) const {
    for (int k = first[size_t(i)]; k < first[size_t(i) + 1]; ++k)
      if (neighbor[size_t(k)] == j) return true;
    return false;
  }
};

struct Case {
  std::vector<HostParticles> systems;
  std::vector<bool> self_contact;
  std::vector<Bonds*> bonds;
  Vec3 origin{0, 0, 0}, period{0, 0, 0};
};

struct Found {
  std::vector<std::pair<int, int>> pairs;  ///< particle indices, in the order found
  std::vector<int> approaching, contact_particles;
  bool operator==(const Found&) const = default;
};

Found detect(const Case& test, ContactDetection& detection, ParticleStore& store) {
  std::vector<ContactRules> systems;
  for (size_t s = 0; s < test.systems.size(); ++s) {
    ContactRules system;
    system.self_contact = test.self_contact[s];
    if (test.bonds.size() > s && test.bonds[s]) {
      system.bond_first = test.bonds[s]->device_first.const_view();
      system.bond_neighbor = test.bonds[s]->device_neighbor.const_view();
    }
    systems.push_back(system);
  }
  detection.detect(store, systems);
  Found found{{}, to_host(detection.approaching()), to_host(detection.contact_particles())};
  for (const ItemPair& pair : to_host(detection.pairs()))
    found.pairs.push_back(
        {found.contact_particles.at(size_t(pair.first)), found.contact_particles.at(size_t(pair.second))});
  EXPECT_EQ(detection.pair_count(), int(found.pairs.size()));
  return found;
}

double image(double d, double length) { return length > 0 ? d - length * std::round(d / length) : d; }

/// Returns the number of contacts.
int expect_brute_force(const Case& test) {
  ParticleStore store;
  add_systems(store, test.systems);
  ContactDetection detection(test.origin, test.period);
  const Found found = detect(test, detection, store);
  std::map<std::pair<int, int>, int> by_pair;
  for (size_t k = 0; k < found.pairs.size(); ++k) {
    EXPECT_LT(found.pairs[k].first, found.pairs[k].second);
    EXPECT_TRUE(by_pair.insert({found.pairs[k], found.approaching[k]}).second) << "pair found twice";
  }
  EXPECT_TRUE(std::is_sorted(found.contact_particles.begin(), found.contact_particles.end()));

  const auto x = store.position.to_host(), v = store.velocity.to_host();
  const auto radius = store.radius.to_host(), inverse_mass = store.inverse_mass.to_host();
  const auto system = store.system.to_host();
  std::vector<int> in_contact(size_t(store.count()), 0);
  for (int i = 0; i < store.count(); ++i)
    for (int j = i + 1; j < store.count(); ++j) {
      const size_t a = size_t(i), b = size_t(j), s = size_t(system[a]);
      const Vec3d n{image(double(x[b].x) - x[a].x, test.period.x),
                    image(double(x[b].y) - x[a].y, test.period.y),
                    image(double(x[b].z) - x[a].z, test.period.z)};
      const double sum = double(radius[a]) + radius[b];
      bool contact = norm(n) < sum && (inverse_mass[a] > 0 || inverse_mass[b] > 0);
      if (system[a] == system[b]) {
        const int first = store.range(int(s)).first;
        contact = contact && test.self_contact[s] &&
                  !(test.bonds.size() > s && test.bonds[s] && test.bonds[s]->has(i - first, j - first));
      }
      const auto at = by_pair.find({i, j});
      if (at != by_pair.end()) in_contact[a] = in_contact[b] = 1;
      if (std::abs(norm(n) - sum) < 2e-6) continue;  // float rounding may decide either way
      EXPECT_EQ(at != by_pair.end(), contact) << i << " " << j << " at " << norm(n) << ", radii " << sum;
      if (at == by_pair.end()) continue;
      const double closing = dot(n, to_double(v[b]) - to_double(v[a]));
      if (std::abs(closing) > 1e-6) {
        EXPECT_EQ(at->second, closing < 0 ? 1 : 0);
      }
    }
  std::vector<int> expected;
  for (int i = 0; i < store.count(); ++i)
    if (in_contact[size_t(i)]) expected.push_back(i);
  EXPECT_EQ(found.contact_particles, expected);
  return int(found.pairs.size());
}

TEST(ContactDetection, LargeFluidOutsideTheGridFirstMiddleOrLast) {
  for (int place = 0; place < 3; ++place) {
    std::mt19937 engine(unsigned(place) + 1);
    Case test;
    for (int s = 0; s < 3; ++s) {
      test.systems.push_back(random_particles(engine, s == place ? 900 : 150, 1.0f, 0.03f, 1.0f));
      test.self_contact.push_back(false);
    }
    EXPECT_GT(expect_brute_force(test), 100);
  }
}

TEST(ContactDetection, UnlikeRadii) {
  for (float spread : {3.0f, 10.0f}) {
    std::mt19937 engine(3);
    // Large ones in the grid, small ones outside, and the reverse.
    for (bool large_outside : {false, true}) {
      Case test{{random_particles(engine, 600, 1.0f, large_outside ? 0.02f : 0.005f, spread),
                 random_particles(engine, 200, 1.0f, large_outside ? 0.005f : 0.02f, spread)},
                {false, false},
                {}};
      EXPECT_GT(expect_brute_force(test), 50);
    }
  }
}

TEST(ContactDetection, SelfContactWithoutBondedPairs) {
  std::mt19937 engine(4);
  Bonds bonds(400), other_bonds(300);
  Case test{
      {random_particles(engine, 400, 0.7f, 0.04f, 2.0f), random_particles(engine, 500, 0.7f, 0.03f, 1.5f),
       random_particles(engine, 300, 0.7f, 0.04f, 1.0f)},
      {true, false, true},
      {&bonds, nullptr, &other_bonds}};
  const int with_bonds = expect_brute_force(test);
  test.bonds.clear();
  EXPECT_GT(expect_brute_force(test), with_bonds);
  // A single system that collides with itself.
  expect_brute_force({{random_particles(engine, 500, 0.7f, 0.04f, 2.0f)}, {true}, {}});
}

TEST(ContactDetection, BondedChainThatOverlapsItselfHasNoContacts) {
  HostParticles chain;
  for (int i = 0; i < 100; ++i) add_particle(chain, {0.1f * float(i), 0, 0}, {0, 0, 0}, 1, 0.06f);
  Bonds bonds(100);
  Case test{{chain}, {true}, {&bonds}};
  EXPECT_EQ(expect_brute_force(test), 0);
  test.bonds.clear();
  EXPECT_EQ(expect_brute_force(test), 99);
}

TEST(ContactDetection, PairsOfImmobileParticlesAreLeftOut) {
  std::mt19937 engine(5);
  Case test{{random_particles(engine, 500, 0.7f, 0.04f, 1.5f, 0.5),
             random_particles(engine, 400, 0.7f, 0.04f, 1.5f, 0.5)},
            {false, true},
            {}};
  EXPECT_GT(expect_brute_force(test), 100);
}

TEST(ContactDetection, AcrossPeriodicBorders) {
  std::mt19937 engine(6);
  for (Vec3 period : {Vec3{1, 1, 1}, Vec3{1, 0, 0}, Vec3{0, 1, 1}}) {
    Case test{
        {random_particles(engine, 700, 1.0f, 0.03f, 1.5f), random_particles(engine, 300, 1.0f, 0.03f, 1.5f)},
        {false, true},
        {},
        {-0.5f, -0.5f, -0.5f},
        period};
    const int periodic = expect_brute_force(test);
    test.period = {0, 0, 0};
    EXPECT_GT(periodic, expect_brute_force(test));
  }
}

TEST(ContactDetection, PartnersOnlyAcrossTheBorderAreFound) {
  // The grid's particles fill a thin slab at the lower border; those that ask are all at the upper one,
  // outside its box.
  for (int axis = 0; axis < 3; ++axis) {
    std::mt19937 engine(9);
    Case test{
        {random_particles(engine, 600, 1.0f, 0.03f, 1.0f), random_particles(engine, 300, 1.0f, 0.03f, 1.0f)},
        {false, false},
        {},
        {-0.5f, -0.5f, -0.5f},
        {1, 1, 1}};
    auto squeeze = [&](HostParticles& cloud, float side) {
      for (Vec3& x : cloud.position) {
        float& c = axis == 0 ? x.x : axis == 1 ? x.y : x.z;
        c = side * (0.499f - 0.02f * std::abs(c));
      }
    };
    squeeze(test.systems[0], 1);
    squeeze(test.systems[1], -1);
    EXPECT_GT(expect_brute_force(test), 100);
  }
}

TEST(ContactDetection, CoincidentParticlesAreMarked) {
  HostParticles a, b;
  for (int i = 0; i < 5; ++i) {
    add_particle(a, {1, 2, 3}, {1, 0, 0}, 1, 0.1f);
    add_particle(b, {1, 2, 3}, {-1, 0, 0}, 1, 0.1f);
  }
  EXPECT_EQ(expect_brute_force({{a, b}, {false, false}, {}}), 25);
  ParticleStore store;
  add_systems(store, {a, b});
  ContactDetection detection({0, 0, 0}, {0, 0, 0});
  for (int approaching : detect({{a, b}, {false, false}, {}}, detection, store).approaching)
    EXPECT_EQ(approaching, 0);
}

TEST(ContactDetection, FluidAloneOrFarAwayHasNone) {
  std::mt19937 engine(7);
  EXPECT_EQ(expect_brute_force({{random_particles(engine, 300, 0.5f, 0.05f, 1.0f)}, {false}, {}}), 0);
  HostParticles far = random_particles(engine, 50, 0.5f, 0.05f, 1.0f);
  for (Vec3& x : far.position) x.z += 10;
  EXPECT_EQ(expect_brute_force({{random_particles(engine, 300, 0.5f, 0.05f, 1.0f), far}, {false, false}, {}}),
            0);
  EXPECT_EQ(expect_brute_force({{far, HostParticles{}}, {false, true}, {}}), 0);
}

/// The box is measured beforehand: the same contacts with one read, and two more where nothing is known or
/// where particles came since.
TEST(ContactDetection, WaitsOnceWhereTheBoxIsKnown) {
  std::mt19937 engine(9);
  ParticleStore store;
  add_systems(store, {random_particles(engine, 400, 1.0f, 0.03f, 1.0f),
                      random_particles(engine, 900, 1.0f, 0.03f, 1.0f)});
  ContactDetection unknown({0, 0, 0}, {0, 0, 0}), known({0, 0, 0}, {0, 0, 0});
  std::vector<ContactRules> systems(2);
  systems[0].self_contact = true;
  const auto reads = [&](ContactDetection& detection) {
    const DeviceTraffic before = device_traffic();
    detection.detect(store, systems);
    return device_traffic().reads - before.reads;
  };
  EXPECT_EQ(reads(unknown), 3 * MERGANSER_GPU_HALF) << "radii, box and counts";
  EXPECT_GT(unknown.pair_count(), 0);
  for (int step = 0; step < 3; ++step) {
    known.measure_bounds(store, systems);
    fetch_results();
    EXPECT_EQ(reads(known), (step == 0 ? 2 : 1) * MERGANSER_GPU_HALF) << "radii stay";
    EXPECT_EQ(known.pair_count(), unknown.pair_count());
  }
  EXPECT_EQ(reads(known), 2 * MERGANSER_GPU_HALF) << "a box is that of one step";
  known.measure_bounds(store, systems);
  fetch_results();
  known.forget();
  EXPECT_EQ(reads(known), 3 * MERGANSER_GPU_HALF);
  std::vector<ContactRules> moving = systems;
  moving[0].moves_in_prepare = true;
  known.measure_bounds(store, moving);
  fetch_results();
  const DeviceTraffic before = device_traffic();
  known.detect(store, moving);
  EXPECT_EQ(device_traffic().reads - before.reads, 2 * MERGANSER_GPU_HALF) << "its particles may have moved";
}

TEST(ContactDetection, SameOrderFromRunToRunAndForAnyThreads) {
  std::mt19937 engine(8);
  const Case test{
      {random_particles(engine, 20000, 1.0f, 0.01f, 2.0f), random_particles(engine, 5000, 1.0f, 0.01f, 2.0f)},
      {false, true},
      {}};
  ParticleStore store;
  add_systems(store, test.systems);
  ContactDetection detection({0, 0, 0}, {0, 0, 0}), other({0, 0, 0}, {0, 0, 0});
  const Found once = detect(test, detection, store);
  EXPECT_GT(once.pairs.size(), 5000u);
  EXPECT_EQ(detect(test, detection, store), once);
#if !MERGANSER_COMPILED_BY_NVCC
  const int threads = omp_get_max_threads();
  for (int n : {1, 2, 4}) {
    omp_set_num_threads(n);
    EXPECT_EQ(detect(test, other, store), once) << n << " threads";
  }
  omp_set_num_threads(threads);
#endif
}

}  // namespace contact_detection_test
MERGANSER_END
