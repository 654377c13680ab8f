/// Steps of a peridynamic system with meta-particles: against a dense solve of P^T A P v = P^T b in double,
/// and the momentum rule of solvers/core/system.h.
#include <gtest/gtest.h>

#include <algorithm>

#include "device/random.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "solvers/methods/peridynamics/pre_cracks.h"
#include "tests/support/dense_algebra.h"
#include "tests/support/meta_particles.h"
#include "tests/support/peridynamics_driver.h"
#include "tests/support/peridynamics_reference.h"

MERGANSER_BEGIN
namespace peridynamics_groups_test {

using test::BrittleBody;
using test::HandMadeGroups;
using test::PeridynamicsReference;

constexpr int before = 4, own = 7 * 5 * 4, after = 6, total = before + own + after;
const Vec3 gravity{0.3f, -1, -9.81f};

float uniform(int particle, int word) {
  return 2 * uniform_float(random_draw(21, RandomPurpose::test, unsigned(particle), 0).word[word]) - 1;
}

/// A strained, moving block between the particles of two other systems.
struct Scene {
  BrittleBody solid;
  ParticleStore store;
  std::unique_ptr<Peridynamics> system;
  double dt;

  explicit Scene(PeridynamicIntegration integration, bool pinned, double tolerance = 1e-7) {
    solid.parameters.of<PeridynamicsParameters>().integration = integration;
    solid.parameters.of<PeridynamicsParameters>().damping = 2e-5;
    solid.parameters.of<PeridynamicsParameters>().tolerance = tolerance;
    solid.parameters.of<PeridynamicsParameters>().max_iterations = 1000;
    solid.parameters.of<PeridynamicsParameters>().pre_cracks = {
        {.corner = {0.025, -1, -1}, .edge_u = {0, 1.015, 0}, .edge_v = {0, 0, 3}}};
    solid.add_lattice(7, 5, 4);
    for (int i = 0; i < own; ++i) solid.velocity[size_t(i)] = {uniform(i, 0), uniform(i, 1), uniform(i, 2)};
    if (pinned) solid.immobile[0] = solid.immobile[50] = solid.immobile[51] = 1;
    BrittleBody foreign[2];
    for (int i = 0; i < before + after; ++i) {
      foreign[i >= before].add({0, 0, 1}, {uniform(i + 500, 0), uniform(i + 500, 1), uniform(i + 500, 2)});
      foreign[i >= before].mass.back() *= 1.5f;
    }
    store.add_system(test::brittle_particles(foreign[0], 0));
    store.add_system(test::brittle_particles(solid, 1));
    store.add_system(test::brittle_particles(foreign[1], 2));
    system = std::make_unique<Peridynamics>(solid, 1, store, 1);
    dt = (integration == PeridynamicIntegration::implicit_euler ? 4 : 0.4) *
         system->bonds().stable_time_step();
    auto x = store.position.to_host();
    for (int i = 0; i < own; ++i)
      x[size_t(before + i)] += 1e-4f * Vec3{uniform(i, 1), uniform(i, 2), uniform(i, 3)};
    store.position.assign(x);
  }
  /// Own particles with each other and with those of both other systems; the last group has none of its own.
  std::vector<std::vector<int>> members() const {
    return {{0, before + 7},
            {before + 20, before + 60, total - 1},
            {1, before + 33, total - 2},
            {before + 100, before + 101},
            {2, total - 3}};
  }
  HandMadeGroups groups(std::vector<std::vector<int>> which) const {
    return HandMadeGroups(store, std::move(which), {false, system->implicit(), false});
  }
  std::vector<Vec3> integrate(const HandMadeGroups& groups, int stage, Array<Vec3>& end_velocity) {
    KernelReport report;
    StepContext step{store, report, gravity, 0.0, dt, 0};
    end_velocity.resize(total);
    if (stage == 0) system->prepare(step);
    system->integrate(step, groups.view(), stage, end_velocity.view());
    return end_velocity.to_host();
  }
  std::vector<Vec3> dense(const HandMadeGroups& groups) const;
};

/// The same implicit step with a dense matrix in double, written from the equations alone.
std::vector<Vec3> Scene::dense(const HandMadeGroups& groups) const {
  using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;
  auto eigen = [](const Vec3& v) { return Vector3d(v.x, v.y, v.z); };
  const auto x = store.position.to_host(), v = store.velocity.to_host();
  const auto mass = store.mass.to_host(), inverse_mass = store.inverse_mass.to_host();
  const auto group_of = to_host(groups.view().group_of);
  const auto group_velocity = to_host(groups.view().velocity);
  const auto group_inverse_mass = to_host(groups.view().inverse_mass),
             scale = to_host(groups.view().mass_scale);
  PeridynamicsReference reference(solid);
  MatrixXd a = MatrixXd::Zero(3 * own, 3 * own), braking = a;
  VectorXd b = VectorXd::Zero(3 * own), start = b;
  std::vector<int> unknown(own), unknown_of_group(scale.size(), -1);
  int unknowns = 0;
  for (int i = 0; i < own; ++i) {
    const auto k = size_t(before + i);
    const int g = group_of[k];
    const bool moves = g < 0 ? inverse_mass[k] > 0 : group_inverse_mass[size_t(g)] > 0;
    unknown[size_t(i)] = -1;
    if (moves && g < 0) unknown[size_t(i)] = unknowns++;
    if (moves && g >= 0) {
      if (unknown_of_group[size_t(g)] < 0) unknown_of_group[size_t(g)] = unknowns++;
      unknown[size_t(i)] = unknown_of_group[size_t(g)];
    }
    const double m = mass[k] * (g < 0 ? 1.0 : double(scale[size_t(g)]));
    a.block<3, 3>(3 * i, 3 * i) = m * Matrix3d::Identity();
    b.segment<3>(3 * i) = m * dt * eigen(gravity);
    start.segment<3>(3 * i) = eigen(g < 0 ? v[k] : group_velocity[size_t(g)]);
  }
  const Parallelogram crack{0, {0.025, -1, -1}, {0, 1.015, 0}, {0, 0, 3}};
  const auto& x0 = reference.reference();
  for (const test::ReferenceBond& bond : reference.bonds) {
    if (crack.crosses(x0[size_t(bond.i)], x0[size_t(bond.j)])) continue;
    const Vector3d y = eigen(x[size_t(before + bond.j)]) - eigen(x[size_t(before + bond.i)]);
    const Vector3d n = y.normalized();
    const Matrix3d block = dt * (dt + solid.parameters.of<PeridynamicsParameters>().damping) *
                           bond.stiffness * n * n.transpose();
    for (auto [p, q, sign] : {std::tuple{bond.i, bond.i, 1.0},
                              {bond.j, bond.j, 1.0},
                              {bond.i, bond.j, -1.0},
                              {bond.j, bond.i, -1.0}})
      braking.block<3, 3>(3 * p, 3 * q) += sign * block;
    const Vector3d impulse = dt * bond.stiffness * (y.norm() - bond.length) * n;
    b.segment<3>(3 * bond.i) += impulse;
    b.segment<3>(3 * bond.j) -= impulse;
  }
  a += braking;
  b -= test::product(braking, start);
  MatrixXd select = MatrixXd::Zero(3 * own, 3 * unknowns);  // P
  for (int i = 0; i < own; ++i)
    if (unknown[size_t(i)] >= 0) select.block<3, 3>(3 * i, 3 * unknown[size_t(i)]) = Matrix3d::Identity();
  const VectorXd u = test::solution_within(select, a, b);
  std::vector<Vec3> result(total, Vec3{0, 0, 0});
  for (int i = 0; i < own; ++i) {
    const int g = group_of[size_t(before + i)];
    Vector3d end = start.segment<3>(3 * i) + u.segment<3>(3 * i);
    if (g >= 0 && unknown[size_t(i)] >= 0) {
      const Vector3d free_velocity = start.segment<3>(3 * i) + dt * eigen(gravity);
      end = free_velocity + double(scale[size_t(g)]) * (end - free_velocity);
    }
    result[size_t(before + i)] = {float(end[0]), float(end[1]), float(end[2])};
  }
  return result;
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double error = 0;
  for (int i = before; i < before + own; ++i)
    error = std::max(error, norm(to_double(a[size_t(i)]) - to_double(b[size_t(i)])));
  return error;
}

// Velocities of about 1 m/s; float coefficients and a tolerance of 1e-7 leave 1e-5 of it.
TEST(PeridynamicsGroups, EqualDenseSolve) {
  for (bool pinned : {false, true})
    for (bool grouped : {false, true}) {
      Scene scene(PeridynamicIntegration::implicit_euler, pinned);
      const auto groups =
          scene.groups(grouped ? scene.members() : std::vector<std::vector<int>>{{2, total - 3}});
      Array<Vec3> end;
      EXPECT_LT(largest_difference(scene.integrate(groups, 0, end), scene.dense(groups)), 2e-5)
          << "pinned " << pinned << ", grouped " << grouped;
    }
}
TEST(PeridynamicsGroups, SecondStageSolvesTheEnlargedGroups) {
  Scene scene(PeridynamicIntegration::implicit_euler, true);
  Array<Vec3> end;
  const auto first = scene.integrate(scene.groups(scene.members()), 0, end);
  auto members = scene.members();
  members[1].push_back(before + 80);
  members.push_back({3, before + 5, before + 110});
  members.push_back({before + 50, before + 90});  // with an immobile one
  const auto groups = scene.groups(members);
  const auto second = scene.integrate(groups, 1, end);
  EXPECT_LT(largest_difference(second, scene.dense(groups)), 2e-5);
  EXPECT_GT(largest_difference(second, first), 1e-2) << "the new groups change nothing";
}

// With v_hat of all systems, the average of [MS] eq. 17 gives a group every impulse once: the momentum of
// everything changes by m g dt alone, whatever the tolerance. Members of one group have one velocity.
TEST(PeridynamicsGroups, MomentumRuleOfMetaParticles) {
  for (auto integration : {PeridynamicIntegration::implicit_euler, PeridynamicIntegration::explicit_verlet})
    for (int stages : {1, 2}) {
      Scene scene(integration, false, 1e-2);
      auto members = scene.members();
      Array<Vec3> end;
      scene.integrate(scene.groups(members), 0, end);
      if (stages == 2) {
        members[1].push_back(before + 80);
        members.push_back({3, before + 5, before + 110});
        scene.integrate(scene.groups(members), 1, end);
      }
      const auto groups = scene.groups(members);
      auto v = end.to_host();
      const auto start = scene.store.velocity.to_host();
      const auto mass = scene.store.mass.to_host();
      const auto group_of = to_host(groups.view().group_of);
      const auto group_velocity = to_host(groups.view().velocity);
      for (int i = 0; i < total; ++i)  // the other systems' particles fall freely
        if (i < before || i >= before + own) {
          const int g = group_of[size_t(i)];
          v[size_t(i)] = (g < 0 ? start[size_t(i)] : group_velocity[size_t(g)]) + float(scene.dt) * gravity;
        }
      Vec3d change{0, 0, 0};
      double size = 0;
      for (const auto& group : groups.members())
        for (size_t k = 1; k < group.size(); ++k)
          if (group[k] < before + own && group[k - 1] >= before) {
            EXPECT_EQ(v[size_t(group[k])], v[size_t(group[k - 1])]);
          }
      end.assign(v);
      groups.synchronize(scene.store, end);
      v = end.to_host();
      for (int i = 0; i < total; ++i) {
        const double m = mass[size_t(i)];
        change += m * (to_double(v[size_t(i)]) - to_double(start[size_t(i)]) - scene.dt * to_double(gravity));
        size += m * norm(to_double(v[size_t(i)]) - to_double(start[size_t(i)]));
      }
      EXPECT_LT(norm(change), 2e-6 * size)
          << "implicit " << scene.system->implicit() << ", stages " << stages;
    }
}

}  // namespace peridynamics_groups_test
MERGANSER_END
