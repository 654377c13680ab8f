#pragma once
/// Corotated elastic SPH by brute force in double: every pair of particles, equations of [ES] sec. 3 to 5 as
/// they stand there, rotations from Eigen's singular value decomposition.
#include <Eigen/Core>
#include <vector>

#include "solvers/core/initial_state.h"

namespace merganser::test {

/// The rotation that maximises tr(R^T F).
Eigen::Matrix3d oracle_rotation(const Eigen::Matrix3d& f);
/// Of F, descending, the last one with the sign of det F.
Eigen::Vector3d signed_singular_values(const Eigen::Matrix3d& f);

/// Vectors of a backend in double.
template <class Vector>
std::vector<Eigen::Vector3d> precise(const std::vector<Vector>& vectors) {
  std::vector<Eigen::Vector3d> made;
  for (const Vector& v : vectors) made.emplace_back(v.x, v.y, v.z);
  return made;
}

struct ElasticReference {
  using Vector = Eigen::Vector3d;
  using Matrix = Eigen::Matrix3d;
  using Positions = std::vector<Vector>;

  explicit ElasticReference(const SystemState& state);
  Matrix deformation(size_t i, const Positions& x) const;
  std::vector<Matrix> rotations(const Positions& x) const;
  /// [J] of particle i with the given rotation.
  double energy(size_t i, const Positions& x, const Matrix& r) const;
  double energy(const Positions& x, const std::vector<Matrix>& r) const;
  double energy(const Positions& x) const { return energy(x, rotations(x)); }
  /// -dE/dx by central differences, rotations following; exact to about 1e-7 of E/step.
  Positions forces(const Positions& x, double step) const;
  /// d^2 E/dx^2 with these rotations held, 3n x 3n: E is quadratic, so its second differences are exact.
  Eigen::MatrixXd stiffness(const std::vector<Matrix>& r) const;

  Positions rest;
  std::vector<double> volume, mu, lambda, alpha;
  std::vector<std::vector<size_t>> neighbors;
  std::vector<std::vector<double>> weight;
  std::vector<std::vector<Vector>> gradient;  ///< V_j L_i grad W_ij
};

}  // namespace merganser::test
