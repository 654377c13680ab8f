/// One step of a mass-spring system with meta-particles against a dense solve of P^T A P v = P^T b in double.
#include <gtest/gtest.h>
#if !defined(__CUDACC__)
#include <omp.h>
#endif

#include <algorithm>
#include <cmath>

#include "device/random.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/mass_spring/spring_network.h"
#include "tests/support/dense_algebra.h"
#include "tests/support/mass_spring_driver.h"

MERGANSER_BEGIN
namespace mass_spring_groups_test {

using test::SpringBody;

float uniform(int particle, int word) {
  return uniform_float(random_draw(11, RandomPurpose::test, static_cast<unsigned>(particle), 0).word[word]);
}

/// Groups as merging-and-splitting would make them, on the host.
struct HostGroups {
  std::vector<std::vector<int>> members;  ///< global indices, ascending
  std::vector<Vec3> velocity;
  std::vector<float> inverse_mass, mass_scale;
  Array<int> d_group_of, d_first, d_member;
  Array<Vec3> d_velocity;
  Array<float> d_inverse_mass, d_mass_scale;

  std::vector<int> group_of(int particles) const {
    std::vector<int> result(static_cast<size_t>(particles), -1);
    for (size_t g = 0; g < members.size(); ++g)
      for (int m : members[g]) result[size_t(m)] = static_cast<int>(g);
    return result;
  }
  MetaParticleView view(int particles) {
    std::vector<int> first{0}, member;
    for (const auto& group : members) {
      member.insert(member.end(), group.begin(), group.end());
      first.push_back(static_cast<int>(member.size()));
    }
    d_group_of.assign(group_of(particles));
    d_first.assign(first);
    d_member.assign(member);
    d_velocity.assign(velocity);
    d_inverse_mass.assign(inverse_mass);
    d_mass_scale.assign(mass_scale);
    return {d_group_of.view(),
            d_first.view(),
            d_member.view(),
            d_velocity.view(),
            d_inverse_mass.view(),
            d_mass_scale.view(),
            static_cast<int>(members.size())};
  }
};

constexpr int side = 9, own = side * side, foreign_before = 5, foreign_after = 7;
constexpr int total = foreign_before + own + foreign_after;
constexpr double dt = 0.01;
const Vec3 gravity{0.3f, -1, -9.81f};

/// A crumpled cloth between the particles of two other systems, some of its particles immobile.
struct Scene {
  SpringBody cloth;
  ParticleStore store;
  std::unique_ptr<System> system;
  HostParticles particles;  ///< of all systems

  explicit Scene(double tolerance) {
    SpringBody before, after;
    auto add = [](SpringBody& body, int key, Float3 x, bool fixed) {
      body.add(
          {x[0] + 0.01f * uniform(key, 0), x[1] + 0.01f * uniform(key, 1), x[2] + 0.02f * uniform(key, 2)},
          0.5e-3f + 1e-3f * uniform(key, 3), fixed,
          {2 * uniform(key + 1000, 0), uniform(key + 1000, 1), uniform(key + 1000, 2)});
    };
    for (int i = 0; i < foreign_before; ++i) add(before, i, {0, 0, 1}, false);
    for (int i = 0; i < own; ++i)
      add(cloth, foreign_before + i, {0.02f * float(i % side), 0.02f * float(i / side), 0},
          i == 0 || i == side - 1 || i == 40);
    for (int i = 0; i < foreign_after; ++i) add(after, foreign_before + own + i, {0, 0, -1}, false);
    cloth.springs = grid_springs(side, side, 0.02f, 0.02f, 100, 50, 1e-3);
    cloth.parameters.of<MassSpringParameters>() = {
        .spring_damping = 2e-3, .air_damping = 0.7, .tolerance = tolerance, .max_iterations = 1000};
    for (const SpringBody* body : {&before, &cloth, &after}) {
      const HostParticles p = initial_particles(*body);
      store.add_system(p);
      particles.position.insert(particles.position.end(), p.position.begin(), p.position.end());
      particles.velocity.insert(particles.velocity.end(), p.velocity.begin(), p.velocity.end());
      particles.mass.insert(particles.mass.end(), p.mass.begin(), p.mass.end());
      particles.inverse_mass.insert(particles.inverse_mass.end(), p.inverse_mass.begin(),
                                    p.inverse_mass.end());
    }
    system = std::make_unique<MassSpring>(cloth, 1, store);
  }
  /// Group number `group` of the given particles; mass and velocity as in [MS] eq. 3, or those of an immobile
  /// member.
  void add_group(HostGroups& groups, std::vector<int> members) const {
    std::sort(members.begin(), members.end());
    double mass = 0, own_mass = 0;
    Vec3d momentum{0, 0, 0};
    int immobile = -1;
    for (int m : members) {
      const auto i = size_t(m);
      mass += particles.mass[i];
      momentum += double(particles.mass[i]) * to_double(particles.velocity[i]);
      if (m >= foreign_before && m < foreign_before + own) own_mass += particles.mass[i];
      if (particles.inverse_mass[i] == 0) immobile = m;
    }
    groups.members.push_back(members);
    groups.velocity.push_back(immobile >= 0 ? particles.velocity[size_t(immobile)]
                                            : to_float(momentum / mass));
    groups.inverse_mass.push_back(immobile >= 0 ? 0 : float(1 / mass));
    groups.mass_scale.push_back(own_mass > 0 ? float(mass / own_mass) : 1.0f);
  }
  /// Groups of two to six random particles of all systems; group 2 holds no particle of the cloth.
  HostGroups random_groups() const {
    std::vector<std::pair<float, int>> order;
    for (int i = foreign_before; i < total - 3; ++i) order.push_back({uniform(i + 2000, 0), i});
    std::sort(order.begin(), order.end());
    HostGroups groups;
    size_t next = 0;
    for (int g = 0; g < 12; ++g) {
      std::vector<int> members;
      for (int k = 0; k < 2 + g % 4; ++k) members.push_back(order[next++].second);
      if (g == 0) members.insert(members.end(), {0, 1});
      if (g == 2) members = {2, 3, total - 2};
      if (g == 5) members.push_back(4);
      add_group(groups, members);
    }
    return groups;
  }
  std::vector<Vec3> integrate(HostGroups& groups, int stage = 0,
                              std::vector<Vec3> guess = std::vector<Vec3>(total)) {
    KernelReport report;
    StepContext step{store, report, gravity, 0.0, dt, 0};
    Array<Vec3> end_velocity(guess);
    if (stage == 0) system->prepare(step);
    system->integrate(step, groups.view(total), stage, end_velocity.view());
    return end_velocity.to_host();
  }
  std::vector<Vec3> dense(const HostGroups& groups) const;
};

/// The same step with a dense matrix in double, written from the equations alone.
std::vector<Vec3> Scene::dense(const HostGroups& groups) const {
  using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;
  auto eigen = [](const Vec3& v) { return Vector3d(v.x, v.y, v.z); };
  const auto group_of = groups.group_of(total);
  const MassSpringParameters& p = cloth.parameters.of<MassSpringParameters>();
  const Vector3d g = eigen(gravity);
  std::vector<int> unknown(own), unknown_of_group(groups.members.size(), -1);
  std::vector<Vector3d> known(own);
  int unknowns = 0;
  MatrixXd a = MatrixXd::Zero(3 * own, 3 * own);
  VectorXd b = VectorXd::Zero(3 * own);
  for (int i = 0; i < own; ++i) {
    const auto global = size_t(foreign_before + i);
    const int group = group_of[global];
    const bool fixed =
        group < 0 ? particles.inverse_mass[global] == 0 : groups.inverse_mass[size_t(group)] == 0;
    const Vector3d v0 = eigen(group < 0 ? particles.velocity[global] : groups.velocity[size_t(group)]);
    known[size_t(i)] = v0;
    if (fixed)
      unknown[size_t(i)] = -1;
    else if (group < 0)
      unknown[size_t(i)] = unknowns++;
    else {
      if (unknown_of_group[size_t(group)] < 0) unknown_of_group[size_t(group)] = unknowns++;
      unknown[size_t(i)] = unknown_of_group[size_t(group)];
    }
    const double own_mass = particles.mass[global];
    const double mass = own_mass * (group < 0 ? 1.0 : double(groups.mass_scale[size_t(group)]));
    a.block<3, 3>(3 * i, 3 * i) += (mass + dt * p.air_damping * own_mass) * Matrix3d::Identity();
    b.segment<3>(3 * i) += mass * (v0 + dt * g);
  }
  for (const Spring& s : cloth.springs) {
    const Vector3d d = eigen(particles.position[size_t(foreign_before + s.b)]) -
                       eigen(particles.position[size_t(foreign_before + s.a)]);
    const double length = d.norm(), k = s.stiffness;
    const Matrix3d axial = d * d.transpose() / (length * length);
    const Matrix3d block =
        (dt * dt * k + dt * p.spring_damping * k) * axial +
        dt * dt * k * std::max(0.0, 1 - s.rest_length / length) * (Matrix3d::Identity() - axial);
    a.block<3, 3>(3 * s.a, 3 * s.a) += block;
    a.block<3, 3>(3 * s.b, 3 * s.b) += block;
    a.block<3, 3>(3 * s.a, 3 * s.b) -= block;
    a.block<3, 3>(3 * s.b, 3 * s.a) -= block;
    const Vector3d impulse = dt * k * (length - s.rest_length) * d / length;
    b.segment<3>(3 * s.a) += impulse;
    b.segment<3>(3 * s.b) -= impulse;
  }
  MatrixXd select = MatrixXd::Zero(3 * own, 3 * unknowns);  // P
  VectorXd fixed_part = VectorXd::Zero(3 * own);
  for (int i = 0; i < own; ++i)
    if (unknown[size_t(i)] < 0)
      fixed_part.segment<3>(3 * i) = known[size_t(i)];
    else
      select.block<3, 3>(3 * i, 3 * unknown[size_t(i)]) = Matrix3d::Identity();
  const VectorXd solution = test::solution_within(select, a, b - test::product(a, fixed_part)) + fixed_part;
  std::vector<Vec3> result(total, Vec3{0, 0, 0});
  for (int i = 0; i < own; ++i) {
    Vector3d v = solution.segment<3>(3 * i);
    const int group = group_of[size_t(foreign_before + i)];
    if (group >= 0 && unknown[size_t(i)] >= 0) {
      const Vector3d free_velocity = eigen(groups.velocity[size_t(group)]) + dt * g;
      v = free_velocity + double(groups.mass_scale[size_t(group)]) * (v - free_velocity);
    }
    result[size_t(foreign_before + i)] = {float(v[0]), float(v[1]), float(v[2])};
  }
  return result;
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double error = 0;
  for (int i = foreign_before; i < foreign_before + own; ++i)
    error = std::max(error, norm(to_double(a[size_t(i)]) - to_double(b[size_t(i)])));
  return error;
}
double largest_speed(const std::vector<Vec3>& v) {
  double speed = 0;
  for (const Vec3& each : v) speed = std::max(speed, norm(to_double(each)));
  return speed;
}

// Condition number about 100: a tolerance of 1e-7 and float coefficients leave 1e-5 of the largest speed.
TEST(MassSpringGroups, EqualDenseSolveWithoutGroups) {
  Scene scene(1e-7);
  HostGroups none;
  const auto exact = scene.dense(none);
  EXPECT_LT(largest_difference(scene.integrate(none), exact), 1e-5 * largest_speed(exact));
}
TEST(MassSpringGroups, EqualDenseSolveOnReducedUnknowns) {
  Scene scene(1e-7);
  HostGroups groups = scene.random_groups();
  const auto exact = scene.dense(groups);
  const auto found = scene.integrate(groups);
  EXPECT_LT(largest_difference(found, exact), 1e-5 * largest_speed(exact));
  int immobile = 0, shared = 0;
  for (size_t g = 0; g < groups.members.size(); ++g) {
    immobile += groups.inverse_mass[g] == 0;
    shared += groups.mass_scale[g] > 1;
    const auto own_member = [](int m) { return m >= foreign_before && m < foreign_before + own; };
    Vec3 velocity{0, 0, 0};
    bool seen = false;
    for (int m : groups.members[g])
      if (own_member(m)) {
        if (seen) {
          EXPECT_EQ(found[size_t(m)], velocity) << "members of group " << g;
        }
        velocity = found[size_t(m)];
        seen = true;
      }
  }
  EXPECT_GT(immobile, 0);
  EXPECT_GT(shared, 1);
}
TEST(MassSpringGroups, SecondStageSolvesTheEnlargedGroups) {
  Scene scene(1e-7);
  HostGroups groups = scene.random_groups();
  const auto first = scene.integrate(groups);
  std::vector<int> taken = groups.group_of(total), more;
  for (int i = foreign_before; i < foreign_before + own && more.size() < 4; i += 3)
    if (taken[size_t(i)] < 0) more.push_back(i);
  scene.add_group(groups, more);
  const auto exact = scene.dense(groups);
  const auto second = scene.integrate(groups, 1, first);
  EXPECT_LT(largest_difference(second, exact), 1e-5 * largest_speed(exact));
  EXPECT_GT(largest_difference(second, first), 1e-2 * largest_speed(exact))
      << "the new group changes nothing";
}
// Velocities of group members times the members' own masses: what a group gains in v_hat is what the springs
// gave it.
TEST(MassSpringGroups, MomentumOfFreeClothWithGroupsIsKept) {
  Scene scene(1e-3);
  for (float& inverse : scene.particles.inverse_mass) inverse = 1;
  std::vector<float> inverse(total);
  for (size_t i = 0; i < inverse.size(); ++i) inverse[i] = 1 / scene.particles.mass[i];
  scene.store.inverse_mass.assign(inverse);
  scene.cloth.parameters.of<MassSpringParameters>().air_damping = 0;
  scene.system = std::make_unique<MassSpring>(scene.cloth, 1, scene.store);
  HostGroups groups = scene.random_groups();
  const auto found = scene.integrate(groups);
  const auto group_of = groups.group_of(total);
  Vec3d gained{0, 0, 0};
  double size = 0;
  for (int i = foreign_before; i < foreign_before + own; ++i) {
    const int g = group_of[size_t(i)];
    const Vec3 start = g < 0 ? scene.particles.velocity[size_t(i)] : groups.velocity[size_t(g)];
    const Vec3d change = to_double(found[size_t(i)]) - to_double(start) - dt * to_double(gravity);
    gained += double(scene.particles.mass[size_t(i)]) * change;
    size += double(scene.particles.mass[size_t(i)]) * norm(change);
  }
  EXPECT_LT(norm(gained), 1e-6 * size);
}
#if !defined(__CUDACC__)
TEST(MassSpringGroups, SameBitsForOneAndTwoThreads) {
  const int threads_before = omp_get_max_threads();
  std::vector<Vec3> result[2];
  for (int threads : {1, 2}) {
    omp_set_num_threads(threads);
    SpringBody cloth;
    for (int i = 0; i < 60 * 60; ++i)
      cloth.add({0.02f * float(i % 60), 0.02f * float(i / 60), 0.01f * uniform(i, 0)}, 1e-3f, i < 60);
    cloth.springs = grid_springs(60, 60, 0.02f, 0.02f, 100, 50, 1e-3);
    test::MassSpringDriver driver(cloth, gravity);
    driver.run(5, 5e-3);
    result[threads - 1] = driver.positions();
  }
  omp_set_num_threads(threads_before);
  for (size_t i = 0; i < result[0].size(); ++i) ASSERT_EQ(result[0][i], result[1][i]) << "particle " << i;
}
#endif

}  // namespace mass_spring_groups_test
MERGANSER_END
