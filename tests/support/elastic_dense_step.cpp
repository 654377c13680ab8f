#include "tests/support/elastic_dense_step.h"

#include <algorithm>

#include "tests/support/dense_algebra.h"

namespace merganser::test {

std::pair<ElasticReference::Positions, ElasticReference::Positions> predicted_positions(
    const DenseStart& from, const Groups& groups, double dt) {
  ElasticReference::Positions predicted, start = from.velocity;
  for (const auto& group : groups) {
    Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
    double total = 0;
    for (int i : group) {
      momentum += from.mass[size_t(i)] * start[size_t(i)];
      total += from.mass[size_t(i)];
    }
    for (int i : group) start[size_t(i)] = momentum / total;
  }
  for (size_t i = 0; i < start.size(); ++i) predicted.push_back(from.position[i] + dt * start[i]);
  return {predicted, start};
}

ElasticReference::Positions held_forces(const ElasticReference& reference,
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

DenseStep dense_equations(const SystemState& state, const DenseStart& from, double dt, const Groups& groups,
                          const Groups& first_groups) {
  const ElasticReference reference(state);
  const auto &mass = from.mass, &inverse = from.inverse_mass;
  const size_t n = mass.size();
  std::vector<int> unknown(n);
  for (size_t i = 0; i < n; ++i) unknown[i] = inverse[i] > 0 ? int(i) : -1;
  for (const auto& group : groups)
    for (int i : group) unknown[size_t(i)] = group[0];
  const auto [predicted, start] = predicted_positions(from, groups, dt);
  const auto r = reference.rotations(predicted_positions(from, first_groups, dt).first);
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
    b.segment<3>(3 * Eigen::Index(i)) = dt * (force[i] + mass[i] * from.gravity);
  }
  a = p.transpose() * whole * p;
  for (Eigen::Index i = 0; i < size; ++i)
    if (a(i, i) == 0) a(i, i) = 1;
  return {a, p, product(p.transpose(), b), start};
}
std::vector<Eigen::Vector3d> dense_step(const SystemState& state, const DenseStart& from, double dt,
                                        const Groups& groups, const Groups& first_groups) {
  const auto [a, p, b, start] = dense_equations(state, from, dt, groups, first_groups);
  const Eigen::VectorXd u = product(p, solution(a, b));
  std::vector<Eigen::Vector3d> end(start.size());
  for (size_t i = 0; i < end.size(); ++i) end[i] = start[i] + u.segment<3>(3 * Eigen::Index(i));
  return end;
}
double residual_of(const DenseStep& equations, const std::vector<Eigen::Vector3d>& end) {
  Eigen::VectorXd u(equations.b.size());
  for (size_t i = 0; i < end.size(); ++i) u.segment<3>(3 * Eigen::Index(i)) = end[i] - equations.start[i];
  return (equations.b - product(equations.a, u)).norm() / equations.b.norm();
}
double error_of(const std::vector<Eigen::Vector3d>& found, const std::vector<Eigen::Vector3d>& wanted,
                const std::vector<Eigen::Vector3d>& start) {
  double error = 0, change = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    error = std::max(error, (found[i] - wanted[i]).norm());
    change = std::max(change, (wanted[i] - start[i]).norm());
  }
  return error / change;
}

}  // namespace merganser::test
