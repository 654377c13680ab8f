#pragma once
/// One step of elastic SPH as dense systems in double, with and without groups.
#include <utility>
#include <vector>

#include "tests/support/elastic_reference.h"

namespace merganser::test {

using Groups = std::vector<std::vector<int>>;

/// What a driver's step begins with.
struct DenseStart {
  template <class Driver>
  DenseStart(const Driver& driver)
      : position(precise(driver.positions())),
        velocity(precise(driver.velocities())),
        mass(driver.store.mass.to_host()),
        inverse_mass(driver.store.inverse_mass.to_host()),
        gravity(driver.gravity.x, driver.gravity.y, driver.gravity.z) {}
  ElasticReference::Positions position, velocity;  ///< [m], [m/s]
  std::vector<float> mass, inverse_mass;           ///< [kg], [1/kg]
  Eigen::Vector3d gravity;                         ///< [m/s^2]
};

/// x + dt v with the velocities that a stage with these groups starts from, which are returned too.
std::pair<ElasticReference::Positions, ElasticReference::Positions> predicted_positions(
    const DenseStart& from, const Groups& groups, double dt);

/// -dE/dx with rotations held, by differences of the energy, which is quadratic then: exact.
ElasticReference::Positions held_forces(const ElasticReference& reference,
                                        const ElasticReference::Positions& x,
                                        const std::vector<Eigen::Matrix3d>& r);

/// P^T (M + dt^2 K) P and P^T dt (f(x + dt v) + M g), rotations at x + dt v of the step's first stage;
/// members of a group start with its velocity. Dense, in double; fixed particles and groups keep still.
struct DenseStep {
  Eigen::MatrixXd a, p;
  Eigen::VectorXd b;
  ElasticReference::Positions start;  ///< [m/s]
};
DenseStep dense_equations(const SystemState& state, const DenseStart& from, double dt, const Groups& groups,
                          const Groups& first_groups);
/// The end velocities.
std::vector<Eigen::Vector3d> dense_step(const SystemState& state, const DenseStart& from, double dt,
                                        const Groups& groups, const Groups& first_groups);

/// |b - a u| / |b| where the velocities become `end`.
double residual_of(const DenseStep& equations, const std::vector<Eigen::Vector3d>& end);

/// Greatest error over the greatest change from `start`.
double error_of(const std::vector<Eigen::Vector3d>& found, const std::vector<Eigen::Vector3d>& wanted,
                const std::vector<Eigen::Vector3d>& start);
template <class Vector>
double error_of(const std::vector<Vector>& found, const std::vector<Eigen::Vector3d>& wanted,
                const std::vector<Vector>& start) {
  return error_of(precise(found), wanted, precise(start));
}

}  // namespace merganser::test
