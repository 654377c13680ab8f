#pragma once
/// Skins in double precision, straight from the formulas of [ES] sec. 3.2 and 8, with equal volumes.
#include <Eigen/Core>
#include <vector>

#include "solvers/geometry/sampling/skin_body.h"

namespace merganser::test {

struct SkinReference {
  using Vector = Eigen::Vector3d;
  const SkinBody& body;
  const SkinParticles& now;
  double spacing;

  static Vector vector(const Float3& x) { return {x[0], x[1], x[2]}; }
  Vector rest(size_t j) const { return vector(body.rest[j]); }
  int fragment(size_t j) const { return now.fragment.empty() ? 0 : now.fragment[j]; }
  bool tied(size_t i, size_t j) const;
  /// sum_i (a_i - a_j) (L_j grad W_ji)^T, eq. 7 and 8, over neighbors that are tied to j.
  Eigen::Matrix3d gradient(size_t j, const std::vector<Float3>& a) const;
  size_t nearest(const Vector& x) const;
  struct Place {
    Vector position, velocity;
    bool alone;
  };
  /// Eq. 38 and 39, and their rate, for a vertex that moves with its nearest particle.
  Place place(const Vector& x) const;
};

}  // namespace merganser::test
