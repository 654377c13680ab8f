#include "tests/support/skin_reference.h"

#include <Eigen/LU>

#include "solvers/core/smoothing_kernels.h"

namespace merganser::test {

bool SkinReference::tied(size_t i, size_t j) const {
  const double ratio = (1 + double(body.binding.most_stretch)) * 1.001;
  const double now_apart = (vector(now.position[i]) - vector(now.position[j])).norm();
  return fragment(i) == fragment(j) && (i == j || now_apart <= ratio * (rest(i) - rest(j)).norm());
}
Eigen::Matrix3d SkinReference::gradient(size_t j, const std::vector<Float3>& a) const {
  const MERGANSER_BACKEND::CubicSpline kernel(spacing);
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
size_t SkinReference::nearest(const Vector& x) const {
  size_t found = 0;
  for (size_t j = 1; j < body.rest.size(); ++j)
    if ((x - rest(j)).norm() < (x - rest(found)).norm()) found = j;
  return found;
}
SkinReference::Place SkinReference::place(const Vector& x) const {
  const MERGANSER_BACKEND::CubicSpline kernel(spacing);
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

}  // namespace merganser::test
