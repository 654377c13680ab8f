/// Walls, contacts, merging-and-splitting and the contact methods beside it.
#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/coupling/merge_split/merge_split.h"
#include "solvers/coupling/pairwise_contact/pairwise_contacts.h"
#include "solvers/methods/all_methods.h"
#include "tests/backends/samples/sample_numbers.h"
#include "tests/support/particles.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN

namespace {

/// Three overlapping clouds, every other one implicit.
struct Clouds {
  ParticleStore store;
  std::vector<ContactRules> systems;
  explicit Clouds(double immobile_share = 0.02) {
    std::mt19937 engine(5);
    std::vector<HostParticles> clouds;
    for (int count : {900, 700, 500}) {
      clouds.push_back(random_particles(engine, count, 1.0f, 0.03f, 1.5f, immobile_share));
      ContactRules system;
      system.implicit = clouds.size() % 2 == 0;
      systems.push_back(system);
    }
    add_systems(store, clouds);
  }
};

/// A body's members share what their system computed: a velocity per group and system.
Vec3 some_velocity(int key) {
  const RandomBits bits = test_bits(key, 41);
  return {uniform_float(bits.word[0]) - 0.5f, uniform_float(bits.word[1]) - 0.5f,
          uniform_float(bits.word[2]) - 0.5f};
}

/// Both stages of a step; half_kicks: of systems whose velocities are half a step behind.
template <int least, int most, bool half_kicks = false>
KernelSample merging() {
  Clouds scene;
  MergeSplitParameters parameters;
  parameters.alpha = 0.7;
  parameters.beta = 0.3;
  parameters.group_min = least;
  parameters.group_max = most;
  parameters.unlimited = most == 0;
  MergeSplit merging(parameters, 3, {0, 0, 0}, {0, 0, 0});
  Array<Vec3> half_kick;
  if (half_kicks) {
    std::vector<Vec3> kicks;
    for (const float inverse_mass : scene.store.inverse_mass.to_host())
      kicks.push_back(inverse_mass > 0 ? some_velocity(500000 + int(kicks.size())) : Vec3{0, 0, 0});
    half_kick.assign(kicks);
  }
  merging.detect(scene.store, scene.systems, 17, half_kick.const_view());
  KernelSample sample;
  std::vector<int> pairs;
  for (const ItemPair& pair : to_host(merging.contacts().pairs()))
    pairs.insert(pairs.end(), {pair.first, pair.second});
  sample.integers.emplace_back("pairs", pairs);
  sample.integers.emplace_back("contact particles", to_host(merging.contacts().contact_particles()));
  sample.integers.emplace_back("approaching", to_host(merging.contacts().approaching()));
  merging.merge(scene.store);
  Array<Vec3> end_velocity(scene.store.count());
  const auto start = scene.store.velocity.to_host();
  const auto system = scene.store.system.to_host();
  for (int stage = 0; stage < 2; ++stage) {
    const std::string in = stage == 0 ? " of the first stage" : " of the second stage";
    const MetaParticleView groups = merging.groups();
    const auto group_of = to_host(groups.group_of);
    sample.integers.emplace_back("groups" + in, group_of);
    sample.integers.emplace_back(
        "members" + in, to_host(groups.member.subview(0, read_back(groups.first, groups.group_count))));
    const auto velocity = to_host(groups.velocity);
    add_numbers(sample, "velocities" + in, velocity);
    add_numbers(sample, "inverse masses" + in, to_host(groups.inverse_mass));
    add_numbers(sample, "mass scales" + in, to_host(groups.mass_scale));
    std::vector<Vec3> end(start.size());
    for (size_t i = 0; i < end.size(); ++i) {
      const int group = group_of[i];
      end[i] = group < 0 ? start[i] + some_velocity(int(i))
                         : velocity[size_t(group)] + some_velocity(100000 + 4 * group + system[i]);
    }
    end_velocity.assign(end);
    merging.synchronize(end_velocity.view(), {0, 0, -0.1f});
    add_numbers(sample, "synchronized velocities" + in, end_velocity.to_host());
    if (stage == 0 && !merging.second_stage(scene.store, end_velocity.const_view())) break;
  }
  scene.store.velocity.assign(end_velocity.const_view());
  merging.split(scene.store.velocity.view());
  add_numbers(sample, "split velocities", scene.store.velocity.to_host());
  // Splitting divides by members' masses, which differ by 1e4: rounding of a heavy one shows in a light one.
  sample.tolerance = 2e-4;
  return sample;
}

template <ContactMethod method>
KernelSample pairwise() {
  Clouds scene;
  ContactDetection contacts({0, 0, 0}, {0, 0, 0});
  contacts.detect(scene.store, scene.systems);
  PairwiseContacts pairwise(method, {.stiffness = 3e4, .damping = 0.3, .iterations = 4, .restitution = 0.6},
                            {0, 0, 0});
  pairwise.before_integration(scene.store, contacts, 1e-4);
  Array<Vec3> end_velocity;
  end_velocity.assign(scene.store.velocity.const_view());
  pairwise.after_integration(scene.store, contacts, end_velocity.view());
  KernelSample sample;
  sample.tolerance = 1e-5;
  add_numbers(sample, "velocity", end_velocity.to_host());
  return sample;
}

/// Every shape of wall, particles on both sides of each.
KernelSample walls() {
  Clouds scene;
  InitialState initial;
  initial.systems = {new_system("sph"), new_system("massSpring"), new_system("massSpring")};
  const auto add = [&](WallShape shape, bool inside, Point3 point, Point3 direction, double radius) {
    WallParameters wall;
    wall.shape = shape;
    wall.inside = inside;
    wall.point = point;
    wall.direction = direction;
    wall.low = {-0.45, -0.4, -0.42};
    wall.high = {0.4, 0.45, 0.44};
    wall.radius = radius;
    wall.friction = 0.4;
    wall.restitution = 0.5;
    wall.velocity = {0.1, 0, 0.2};
    initial.walls.push_back(wall);
  };
  add(WallShape::plane, true, {0, 0, -0.35}, {0, 0.6, 0.8}, 0);
  add(WallShape::box, true, {}, {0, 0, 1}, 0);
  add(WallShape::sphere, false, {0.1, 0.1, 0.1}, {0, 0, 1}, 0.15);
  add(WallShape::cylinder, false, {-0.2, -0.2, 0}, {0.6, 0, 0.8}, 0.1);
  WallContact contact(initial);
  contact.apply(scene.store, {0, 0, -9.81f});
  KernelSample sample;
  add_numbers(sample, "position", scene.store.position.to_host());
  add_numbers(sample, "velocity", scene.store.velocity.to_host());
  return sample;
}

}  // namespace

SampleList contact_samples() {
  return {{"MergingLimited", merging<8, 64>},
          {"MergingPairsOnly", merging<2, 2>},
          {"MergingUnlimited", merging<2, 0>},
          {"MergingHalfAStepBehind", merging<8, 64, true>},
          {"Penalty", pairwise<ContactMethod::penalty>},
          {"SphForce", pairwise<ContactMethod::sph_force>},
          {"Impulses", pairwise<ContactMethod::impulses>},
          {"Walls", walls}};
}

MERGANSER_END
