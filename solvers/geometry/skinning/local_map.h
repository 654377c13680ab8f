#pragma once
/// The linear map from offsets at rest to offsets now, and its rate, from sums over some particles.
#include "device/matrix3.h"
#include "device/symmetric_eigen.h"

MERGANSER_BEGIN

/// Sums over particles with weights w, X = offset at rest, x = offset now, v = its rate; in double, for they
/// are divided by each other.
struct OffsetMoments {
  Matrix3<double> rest{}, now{}, rate{};  ///< sum w X X^T, sum w x X^T, sum w v X^T

  MERGANSER_METHOD void add(double weight, const Vec3d& at_rest, const Vec3d& at, const Vec3d& velocity) {
    const Vec3d weighted = weight * at_rest;
    rest += {weighted.x * at_rest, weighted.y * at_rest, weighted.z * at_rest};
    now += {weighted.x * at, weighted.y * at, weighted.z * at};
    rate += {weighted.x * velocity, weighted.y * velocity, weighted.z * velocity};
  }
};

/// F with x = F X, and dF/dt.
struct LocalMap {
  Matrix3<double> value{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, rate{};
};

/// Images of the directions e of an orthonormal basis under a LocalMap, and their rates.
struct MappedBasis {
  Vec3d e[3], image[3], rate[3];

  /// The third direction follows the normal of the images of the first two.
  MERGANSER_METHOD void complete_normal() {
    e[2] = cross(e[0], e[1]);
    const Vec3d normal = cross(image[0], image[1]);
    const double length = norm(normal);
    image[2] = length > 0 ? normal / length : e[2];
    rate[2] = {};
    if (!(length > 0)) return;
    const Vec3d turned = (cross(rate[0], image[1]) + cross(image[0], rate[1])) / length;
    rate[2] = turned - dot(image[2], turned) * image[2];
  }
  /// The second and third direction turn with the first one by the smallest rotation: nobody sees a spin
  /// about a line.
  MERGANSER_METHOD void complete_line() {
    e[1] = perpendicular(e[0]);
    e[2] = cross(e[0], e[1]);
    const double length = norm(image[0]);
    const Vec3d along = length > 0 ? image[0] / length : e[0];
    const Vec3d axis = cross(e[0], along);
    const double cosine = dot(e[0], along);
    for (int k = 1; k < 3; ++k)
      image[k] = cosine > -1 + 1e-9
                     ? e[k] + cross(axis, e[k]) + (1 / (1 + cosine)) * cross(axis, cross(axis, e[k]))
                     : (k == 1 ? e[k] : -e[k]);
    const Vec3d spin = length > 0 ? cross(along, rate[0]) / length : Vec3d{};
    for (int k = 1; k < 3; ++k) rate[k] = cross(spin, image[k]);
  }
  MERGANSER_METHOD LocalMap map() const {
    LocalMap made;
    made.value = made.rate = {};
    for (int k = 0; k < 3; ++k) {
      made.value += {e[k].x * image[k], e[k].y * image[k], e[k].z * image[k]};
      made.rate += {e[k].x * rate[k], e[k].y * rate[k], e[k].z * rate[k]};
    }
    return made;
  }

 private:
  MERGANSER_METHOD static Vec3d perpendicular(const Vec3d& a) {
    const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    const Vec3d other = x <= y && x <= z ? Vec3d{1, 0, 0} : y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
    return normalized_or_zero(cross(a, other));
  }
};

/// F = (sum w x X^T) (sum w X X^T)^-1, which is [ES] eq. 7 and 8 with equal volumes for w = -W'(r)/r: exact
/// for linear maps. Directions that the particles do not span (their second moment is below least_share of
/// the greatest) keep their length and turn with the others; a lone particle does not turn.
MERGANSER_FN LocalMap local_map(const OffsetMoments& moments) {
  constexpr double least_share = 1e-4;
  double rest[3][3] = {{moments.rest.x.x, moments.rest.y.x, moments.rest.z.x},
                       {moments.rest.x.y, moments.rest.y.y, moments.rest.z.y},
                       {moments.rest.x.z, moments.rest.y.z, moments.rest.z.z}};
  const SymmetricEigen<3> eigen = symmetric_eigen(rest);
  double greatest = 0;
  for (const double value : eigen.value) greatest = value > greatest ? value : greatest;
  MappedBasis basis{};
  int spanned = 0;
  for (int k = 0; k < 3; ++k) {
    if (!(greatest > 0 && eigen.value[k] > least_share * greatest)) continue;
    const Vec3d e{eigen.vector[0][k], eigen.vector[1][k], eigen.vector[2][k]};
    basis.e[spanned] = e;
    basis.image[spanned] = (moments.now * e) / eigen.value[k];
    basis.rate[spanned] = (moments.rate * e) / eigen.value[k];
    ++spanned;
  }
  if (spanned == 0) return {};
  if (spanned == 1) basis.complete_line();
  if (spanned == 2) basis.complete_normal();
  return basis.map();
}

MERGANSER_END
