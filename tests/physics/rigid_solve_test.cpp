/// The solve of rigid bodies with groups against a dense one in double: the same ties, with the bodies' six
/// unknowns each among the unknowns.
#include <gtest/gtest.h>

#include "tests/support/dense_algebra.h"
#include "tests/support/meta_particles.h"
#include "tests/support/note.h"
#include "tests/support/rigid_driver.h"

MERGANSER_BEGIN
namespace rigid_solve_test {

using namespace test;

constexpr double spacing = 0.05, dt = 1e-3;
constexpr double strength = 1e7;  ///< of the reference's ties: they hardly yield

/// Minimizes sum_b 1/2 (q_b - q*_b)^T (M - M_c) (q_b - q*_b) + sum_i 1/2 m_i (v_i - V_i - dt g)^2 +
/// sum_i k_b/2 (v_i - J_i q_b)^2 over the bodies' q and the groups' v. The gradient is linear.
struct DenseTies {
  const RigidBlocks& state;
  const std::vector<std::vector<int>>& groups;
  Vec3d gravity;
  std::vector<Vec3d> place;       ///< of bodies
  std::vector<double> body_mass;  ///< likewise
  Eigen::VectorXd solution;

  DenseTies(const RigidBlocks& from, const std::vector<std::vector<int>>& lists, const Vec3d& g)
      : state(from), groups(lists), gravity(g) {
    const auto& bodies = state.parameters.of<RigidParameters>().bodies;
    const auto body_count = static_cast<Eigen::Index>(bodies.size());
    const Eigen::Index unknowns = 6 * body_count + 3 * static_cast<Eigen::Index>(groups.size());
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(unknowns, unknowns);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(unknowns);
    std::vector<int> ties(bodies.size(), 0), group_of(state.position.size(), -1);
    for (size_t k = 0; k < groups.size(); ++k)
      for (int i : groups[k]) group_of[size_t(i)] = int(k), ++ties[size_t(state.body[size_t(i)])];
    for (const RigidBodyState& body : bodies) {
      Vec3d centre{0, 0, 0};
      double mass = 0;
      for (int i = body.first; i < body.first + body.count; ++i)
        mass += double(state.mass[size_t(i)]), centre += double(state.mass[size_t(i)]) * at(i);
      place.push_back(centre / mass);
      body_mass.push_back(mass);
    }
    for (size_t i = 0; i < state.position.size(); ++i) {
      const auto body = size_t(state.body[i]);
      const Eigen::Index q = 6 * Eigen::Index(body);
      const Eigen::Matrix<double, 3, 6> j = motion(at(int(i)), place[body]);
      const double m = double(state.mass[i]);
      const Eigen::Vector3d start(state.velocity[i][0], state.velocity[i][1], state.velocity[i][2]),
          fall(dt * g.x, dt * g.y, dt * g.z);
      if (group_of[i] < 0) {
        a.block<6, 6>(q, q) += m * j.transpose() * j;
        b.segment<6>(q) += m * j.transpose() * (start + fall);
        continue;
      }
      const double k = strength * body_mass[body] / ties[body];
      const Eigen::Index v = 6 * body_count + 3 * group_of[i];
      const Eigen::Matrix<double, 3, 6> at_group =
          motion(centre_of(groups[size_t(group_of[i])]), place[body]);
      a.block<3, 3>(v, v) += (m + k) * Eigen::Matrix3d::Identity();
      a.block<3, 6>(v, q) -= k * at_group;
      a.block<6, 3>(q, v) -= k * at_group.transpose();
      a.block<6, 6>(q, q) += k * at_group.transpose() * at_group;
      b.segment<3>(v) += m * (start + fall);
    }
    solution = test::solution(a, b);
  }
  Vec3d at(int i) const {
    const Float3& x = state.position[size_t(i)];
    return {x[0], x[1], x[2]};
  }
  Vec3d centre_of(const std::vector<int>& group) const {
    Vec3d sum{0, 0, 0};
    double mass = 0;
    for (int i : group) mass += double(state.mass[size_t(i)]), sum += double(state.mass[size_t(i)]) * at(i);
    return sum / mass;
  }
  static Eigen::Matrix<double, 3, 6> motion(const Vec3d& x, const Vec3d& from) {
    const Vec3d r = x - from;
    Eigen::Matrix<double, 3, 6> j;
    j << 1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0;
    return j;
  }
  Vec3d velocity(int i) const {
    const auto body = size_t(state.body[size_t(i)]);
    for (size_t k = 0; k < groups.size(); ++k)
      for (int member : groups[k])
        if (member == i) {
          const Eigen::Vector3d v = solution.segment<3>(6 * Eigen::Index(place.size()) + 3 * Eigen::Index(k));
          return {v.x(), v.y(), v.z()};
        }
    const Eigen::Vector3d v = motion(at(i), place[body]) * solution.segment<6>(6 * Eigen::Index(body));
    return {v.x(), v.y(), v.z()};
  }
};

/// [m/s] three bodies in a row, of different densities, spinning, held together by six groups, one of which
/// has particles of all three, and single blocks that fall by themselves.
double worst_difference(int others) {
  RigidBlocks state;
  state.add(block(4, 4, 4, {0, 0, 0}, spacing), spacing, {1, 0, 0}, {0, 2, 1});
  state.add(block(4, 4, 4, {4 * spacing, 0.01, 0}, spacing), spacing, {-1, 0.5, 0}, {1, 0, 3}, 300);
  state.add(block(4, 4, 4, {2 * spacing, 4 * spacing, 0}, spacing), spacing, {0, -2, 0.3}, {0, 0, 1}, 4000);
  for (int k = 0; k < others; ++k)
    state.add(block(2, 2, 2, {0, 0, 10 * spacing * (k + 1)}, spacing), spacing, {0, 1, 0}, {1, 0, 0});
  state.parameters.of<RigidParameters>().tolerance = 1e-6;
  const std::vector<std::vector<int>> lists = {{3, 64},   {15, 64 + 12}, {63, 124},
                                               {14, 129}, {70, 131},     {47, 111, 141}};
  RigidDriver driver(state, {0, 0, -10});
  HandMadeGroups groups(driver.store, lists, {true});
  const StepContext step = driver.context(dt);
  driver.end_velocity.resize(driver.store.count());
  driver.system->prepare(step);
  driver.system->integrate(step, groups.view(), 0, driver.end_velocity.view());
  const DenseTies dense(state, lists, {0, 0, -10});
  const auto end = driver.end_velocity.to_host();
  double worst = 0;
  for (size_t i = 0; i < end.size(); ++i)
    worst = std::max(worst, norm(to_double(end[i]) - dense.velocity(int(i))));
  const SystemStatistics statistics = driver.system->statistics(driver.store);
  note("largest difference %g m/s after %d solves or iterations", worst, statistics.iterations[0]);
  EXPECT_TRUE(statistics.tolerance_met);
  return worst;
}

/// Tolerance: velocities of 3 m/s in floats.
TEST(RigidSolve, BodiesInGroupsMoveAsADenseSolveSays) { EXPECT_LT(worst_difference(0), 2e-6); }

/// More bodies than are factored. Tolerance: three passes leave (3/50)^3 of some 5 m/s, for a body's 50
/// masses are shared by its three ties.
TEST(RigidSolve, ConjugateGradientsSayTheSame) {
  EXPECT_LT(worst_difference(BodyFactor::most_bodies), 1.5e-3);
}

}  // namespace rigid_solve_test
MERGANSER_END
