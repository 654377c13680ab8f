/// Several implicit systems solved as one. The oracle is one mass-spring system that holds the particles and
/// springs of all: what belongs to which system must not matter.
#include <gtest/gtest.h>

#include <cmath>

#include "device/random.h"
#include "host/simulation/simulation.h"
#include "solvers/coupling/implicit/implicit_coupling.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/mass_spring/spring_network.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/mass_spring_driver.h"
#include "tests/support/meta_particles.h"

MERGANSER_BEGIN
namespace implicit_coupling_test {

using test::HandMadeGroups;
using test::SpringBody;

constexpr int side = 6, count = side * side;
constexpr double dt = 0.01;
const Vec3 gravity{0.2f, -0.4f, -9.81f};

float uniform(int particle, int word) {
  return uniform_float(random_draw(23, RandomPurpose::test, static_cast<unsigned>(particle), 0).word[word]);
}

/// A crumpled cloth with unlike masses; its particles are `first` and on.
SpringBody cloth(int first, float height) {
  SpringBody body;
  for (int i = 0; i < count; ++i) {
    const int key = first + i;
    body.add({0.02f * float(i % side) + 0.01f * uniform(key, 0),
              0.02f * float(i / side) + 0.01f * uniform(key, 1), height + 0.01f * uniform(key, 2)},
             0.5e-3f + 2e-3f * uniform(key, 3), i == 0, {uniform(key + 500, 0), uniform(key + 500, 1), 0});
  }
  body.springs = grid_springs(side, side, 0.02f, 0.02f, 400, 200, 1e-3);
  body.parameters.of<MassSpringParameters>() = {
      .spring_damping = 1e-3, .air_damping = 0.5, .tolerance = 1e-6, .max_iterations = 1000};
  return body;
}

/// Two cloths as two systems, and the same as one.
struct TwoCloths {
  SpringBody lower = cloth(0, 0), upper = cloth(count, 0.01f), both = lower;
  ParticleStore apart, together;
  std::unique_ptr<System> first, second, whole;
  TwoCloths() {
    for (int i = 0; i < count; ++i) {
      const size_t k = size_t(i);
      both.add(upper.position[k], upper.mass[k], upper.immobile[k], upper.velocity[k]);
    }
    for (Spring spring : upper.springs) {
      spring.a += count;
      spring.b += count;
      both.springs.push_back(spring);
    }
    apart.add_system(initial_particles(lower));
    HostParticles above = initial_particles(upper);
    std::fill(above.system.begin(), above.system.end(), 1);
    apart.add_system(above);
    together.add_system(initial_particles(both));
    first = std::make_unique<MassSpring>(lower, 0, apart);
    second = std::make_unique<MassSpring>(upper, 1, apart);
    whole = std::make_unique<MassSpring>(both, 0, together);
  }
};

void expect_near(const std::vector<Vec3>& a, const std::vector<Vec3>& b, float tolerance) {
  ASSERT_EQ(a.size(), b.size());
  float greatest = 0;
  for (const Vec3& v : b) greatest = std::max(greatest, norm(v));
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_LT(norm(a[i] - b[i]), tolerance * greatest) << "particle " << i;
}

/// Groups within a cloth, across both and with an immobile member; a second stage in which they have grown.
TEST(ImplicitCoupling, AreOneSystem) {
  TwoCloths scene;
  ImplicitCoupling solids({scene.first->implicit_system(), scene.second->implicit_system()});
  const std::vector<std::vector<int>> before{{3, count + 3}, {7, 30}, {12, count + 20, count + 29}},
      after{{3, 22, count + 3}, {7, 30}, {12, count + 20, count + 29}, {0, count + 14}};
  KernelReport report;
  Array<Vec3> end_apart(2 * count), end_together(2 * count);
  StepContext apart{scene.apart, report, gravity, 0, dt, 0},
      together{scene.together, report, gravity, 0, dt, 0};
  scene.first->prepare(apart);
  scene.second->prepare(apart);
  scene.whole->prepare(together);
  for (int stage = 0; stage < 2; ++stage) {
    const auto& members = stage == 0 ? before : after;
    const HandMadeGroups groups_apart(scene.apart, members, {true, true}),
        groups_together(scene.together, members, {true});
    solids.integrate(apart, groups_apart.view(), stage, end_apart.view());
    scene.whole->integrate(together, groups_together.view(), stage, end_together.view());
    expect_near(end_apart.to_host(), end_together.to_host(), 2e-4f);
    const auto end = end_apart.to_host();
    for (const auto& group : members)
      for (int i : group) EXPECT_EQ(end[size_t(i)].z, end[size_t(group[0])].z) << "stage " << stage;
    EXPECT_TRUE(scene.first->statistics(scene.apart).tolerance_met);
  }
}

/// Without fixed particles the momentum of both changes by gravity and air drag alone, whatever the
/// tolerance.
TEST(ImplicitCoupling, KeepMomentumAtAnyTolerance) {
  TwoCloths scene;
  for (SpringBody* body : {&scene.lower, &scene.upper}) {
    std::fill(body->immobile.begin(), body->immobile.end(), 0);
    body->parameters.of<MassSpringParameters>() = {
        .spring_damping = 1e-3, .air_damping = 0, .tolerance = 0.3, .max_iterations = 3};
  }
  ParticleStore store;
  store.add_system(initial_particles(scene.lower));
  HostParticles above = initial_particles(scene.upper);
  std::fill(above.system.begin(), above.system.end(), 1);
  store.add_system(above);
  const auto first = std::make_unique<MassSpring>(scene.lower, 0, store),
             second = std::make_unique<MassSpring>(scene.upper, 1, store);
  ImplicitCoupling solids({first->implicit_system(), second->implicit_system()});
  const HandMadeGroups groups(store, {{3, count + 3}, {12, count + 20, count + 29}}, {true, true});
  KernelReport report;
  StepContext step{store, report, gravity, 0, dt, 0};
  first->prepare(step);
  second->prepare(step);
  Array<Vec3> end(2 * count);
  solids.integrate(step, groups.view(), 0, end.view());
  const auto mass = store.mass.to_host();
  const auto before = store.velocity.to_host(), after = end.to_host();
  Vec3d gained{0, 0, 0};
  double total = 0;
  for (size_t i = 0; i < mass.size(); ++i) {
    gained += double(mass[i]) * to_double(after[i] - before[i]);
    total += mass[i];
  }
  const Vec3d wanted = total * dt * to_double(gravity);
  EXPECT_LT(std::sqrt(norm_squared(gained - wanted)), 2e-5 * std::sqrt(norm_squared(wanted)));
}

/// A stiff cloth under a stiff peridynamic block, both implicit: solved one by one and averaged, they gained
/// energy at this step without bound; as one they only lose it.
TEST(ImplicitCoupling, StiffPartnersGainNoEnergy) {
  InitialState state;
  state.gravity = {0, 0, -9.81};
  state.time_step = 1e-3;
  state.bodies = {{"sheet", 0}, {"block", 1}};
  SystemState sheet = new_system("massSpring"), block = new_system("peridynamics");
  sheet.name = "sheet", block.name = "block";
  sheet.self_contact = block.self_contact = true;
  constexpr float spacing = 0.02f;
  constexpr int n = 15;
  auto add = [&](SystemState& s, Float3 x, Float3 v, bool fixed, int body) {
    s.position.push_back(x);
    s.velocity.push_back(v);
    s.mass.push_back(8e-3f);
    s.radius.push_back(0.5f * spacing);
    s.immobile.push_back(fixed);
    s.body.push_back(body);
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      add(sheet, {spacing * float(i), spacing * float(j), 0}, {0, 0, 0},
          i * j == 0 || i == n - 1 || j == n - 1, 0);
  sheet.springs = grid_springs(n, n, spacing, spacing, 8000, 4000, 1e-3);
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i)
        add(block, {spacing * (float(i) + 5.2f), spacing * (float(j) + 5.1f), spacing * (float(k) + 1.2f)},
            {0, 0, -3}, false, 1);
  block.parameters.of<PeridynamicsParameters>().materials = {
      {.body = 1, .density = 1000, .spacing = spacing, .bulk_modulus = 2e6}};
  state.systems = {sheet, block};
  const auto simulation = make_simulation(state);
  StepStatistics row = simulation->step(1);
  auto total = [&] { return row["kinetic_energy"] + row["potential_energy"] + row["elastic_energy"]; };
  double before = total();
  long long merged = 0;
  for (int k = 0; k < 150; ++k) {
    row = simulation->step(1);
    merged += row["groups"] > 0;
    ASSERT_LT(total() - before, 2e-3 * row["kinetic_energy"]) << "step " << k;
    before = total();
  }
  EXPECT_GT(merged, 30) << "they never met";
}

}  // namespace implicit_coupling_test
MERGANSER_END
