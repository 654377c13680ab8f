#pragma once
/// Skins in double precision, straight from the formulas of [ES] sec. 3.2 and 8, with equal volumes.
#ifndef EIGEN_NO_CUDA
#define EIGEN_NO_CUDA  // Eigen serves the host alone here
#endif
#include <Eigen/Dense>

#include <vector>

#include "solvers/core/smoothing_kernels.h"
#include "solvers/geometry/sampling/skin_body.h"

MERGANSER_BEGIN

struct SkinReference {
  using Vector = Eigen::Vector3d;
  const SkinBody& body;
  const SkinParticles& now;
  double spacing;
  CubicSpline<double> kernel{spacing};

  static Vector vector(const Float3& x) { return {x[0], x[1], x[2]}; }
  Vector rest(size_t j) const { return vector(body.rest[j]); }
  int fragment(size_t j) const { return now.fragment.empty() ? 0 : now.fragment[j]; }
  bool tied(size_t i, size_t j) const {
    const double ratio = (1 + double(body.binding.most_stretch)) * 1.001;
    const double now_apart = (vector(now.position[i]) - vector(now.position[j])).norm();
    return fragment(i) == fragment(j) && (i == j || now_apart <= ratio * (rest(i) - rest(j)).norm());
  }

  /// sum_i (a_i - a_j) (L_j grad W_ji)^T, eq. 7 and 8, over neighbors that are tied to j.
  Eigen::Matrix3d gradient(size_t j, const std::vector<Float3>& a) const {
    Eigen::Matrix3d moment = Eigen::Matrix3d::Zero(), sum = moment;
    for (size_t i = 0; i < body.rest.size(); ++i) {
      const Vector x = rest(i) - rest(j);
      if (i == j || !tied(i, j) || x.norm() >= 2 * spacing) continue;
      const Vector slope = -kernel.gradient_factor(x.norm()) * x;
      moment += slope * x.transpose();
      sum += (vector(a[i]) - vector(a[j])) * slope.transpose();
    }
    return sum * moment.transpose().inverse();
  }
  size_t nearest(const Vector& x) const {
    size_t found = 0;
    for (size_t j = 1; j < body.rest.size(); ++j)
      if ((x - rest(j)).norm() < (x - rest(found)).norm()) found = j;
    return found;
  }
  struct Place {
    Vector position, velocity;
    bool alone;
  };
  /// Eq. 38 and 39, and their rate, for a vertex that moves with its nearest particle.
  Place place(const Vector& x) const {
    Place result{Vector::Zero(), Vector::Zero(), true};
    double sum = 0;
    const size_t own = nearest(x);
    const auto add = [&](size_t j, double w) {
      const Vector offset = x - rest(j);
      result.position += w * (gradient(j, now.position) * offset + vector(now.position[j]));
      result.velocity += w * (gradient(j, now.velocity) * offset + vector(now.velocity[j]));
      sum += w;
    };
    for (size_t j = 0; j < body.rest.size(); ++j) {
      const double w = kernel.value((x - rest(j)).norm());
      if (!(w > 0)) continue;
      result.alone = false;
      if (tied(own, j)) add(j, w);
    }
    if (sum == 0) add(own, 1);
    result.position /= sum;
    result.velocity /= sum;
    return result;
  }
};

MERGANSER_END
