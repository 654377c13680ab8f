#pragma once
/// One step of elastic SPH as dense systems in double, with and without groups.
#include <utility>

#include "tests/support/elastic_driver.h"
#include "tests/support/elastic_reference.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

using Groups = std::vector<std::vector<int>>;

/// x + dt v with the velocities that a stage with these groups starts from, which are returned too.
inline std::pair<ElasticReference::Positions, ElasticReference::Positions> predicted_positions(
    const ElasticDriver& driver, const Groups& groups, double dt) {
  const auto x = driver.positions(), v = driver.velocities();
  const auto mass = driver.store.mass.to_host();
  ElasticReference::Positions predicted, start;
  for (const Vec3& a : v) start.emplace_back(a.x, a.y, a.z);
  for (const auto& group : groups) {
    Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
    double total = 0;
    for (int i : group) {
      momentum += mass[size_t(i)] * start[size_t(i)];
      total += mass[size_t(i)];
    }
    for (int i : group) start[size_t(i)] = momentum / total;
  }
  for (size_t i = 0; i < x.size(); ++i)
    predicted.push_back(Eigen::Vector3d(x[i].x, x[i].y, x[i].z) + dt * start[i]);
  return {predicted, start};
}

/// -dE/dx with rotations held, by differences of the energy, which is quadratic then: exact.
inline ElasticReference::Positions held_forces(const ElasticReference& reference,
                                               const ElasticReference::Positions& x,
                                               const std::vector<Eigen::Matrix3d>& r) {
  ElasticReference::Positions force(x.size(), Eigen::Vector3d::Zero());
  const double h = 1e-4;
  for (size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      auto plus = x, minus = x;
      plus[i][c] += h, minus[i][c] -= h;
      double change = 0;
      auto near = reference.neighbors[i];
      near.push_back(i);
      for (size_t j : near) change += reference.energy(j, plus, r[j]) - reference.energy(j, minus, r[j]);
      force[i][c] = -change / (2 * h);
    }
  return force;
}

/// P^T (M + dt^2 K) P and P^T dt (f(x + dt v) + M g), rotations at x + dt v of the step's first stage;
/// members of a group start with its velocity. Dense, in double; fixed particles and groups keep still.
struct DenseStep {
  Eigen::MatrixXd a, p;
  Eigen::VectorXd b;
  ElasticReference::Positions start;  ///< [m/s]
};
inline DenseStep dense_equations(const SystemState& state, const ElasticDriver& driver, double dt,
                                 const Groups& groups, const Groups& first_groups) {
  const ElasticReference reference(state);
  const auto mass = driver.store.mass.to_host(), inverse = driver.store.inverse_mass.to_host();
  const size_t n = mass.size();
  std::vector<int> unknown(n);
  for (size_t i = 0; i < n; ++i) unknown[i] = inverse[i] > 0 ? int(i) : -1;
  for (const auto& group : groups)
    for (int i : group) unknown[size_t(i)] = group[0];
  const auto [predicted, start] = predicted_positions(driver, groups, dt);
  const auto r = reference.rotations(predicted_positions(driver, first_groups, dt).first);
  const Eigen::MatrixXd k = reference.stiffness(r);
  const auto force = held_forces(reference, predicted, r);
  const Eigen::Index size = 3 * Eigen::Index(n);
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(size, size), p = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(size);
  for (size_t i = 0; i < n; ++i)
    if (unknown[i] >= 0) p.block<3, 3>(3 * Eigen::Index(i), 3 * unknown[i]).setIdentity();
  Eigen::MatrixXd whole = dt * dt * k;
  for (size_t i = 0; i < n; ++i) {
    whole.block<3, 3>(3 * Eigen::Index(i), 3 * Eigen::Index(i)) += mass[i] * Eigen::Matrix3d::Identity();
    b.segment<3>(3 * Eigen::Index(i)) =
        dt * (force[i] + mass[i] * Eigen::Vector3d(driver.gravity.x, driver.gravity.y, driver.gravity.z));
  }
  a = p.transpose() * whole * p;
  for (Eigen::Index i = 0; i < size; ++i)
    if (a(i, i) == 0) a(i, i) = 1;
  return {a, p, p.transpose() * b, start};
}
/// The end velocities.
inline std::vector<Eigen::Vector3d> dense_step(const SystemState& state, const ElasticDriver& driver,
                                               double dt, const Groups& groups, const Groups& first_groups) {
  const auto [a, p, b, start] = dense_equations(state, driver, dt, groups, first_groups);
  const Eigen::VectorXd u = p * a.llt().solve(b);
  std::vector<Eigen::Vector3d> end(start.size());
  for (size_t i = 0; i < end.size(); ++i) end[i] = start[i] + u.segment<3>(3 * Eigen::Index(i));
  return end;
}
/// Greatest error over the greatest change from `start`.
inline double error_of(const std::vector<Vec3>& found, const std::vector<Eigen::Vector3d>& wanted,
                       const std::vector<Vec3>& start) {
  double error = 0, change = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    error = std::max(error, (Eigen::Vector3d(found[i].x, found[i].y, found[i].z) - wanted[i]).norm());
    change = std::max(change, (wanted[i] - Eigen::Vector3d(start[i].x, start[i].y, start[i].z)).norm());
  }
  return error / change;
}

}  // namespace test
MERGANSER_END
