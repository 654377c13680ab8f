#pragma once
/// The rotation R of a deformation gradient F = R S: the proper rotation that maximises tr(R^T F). It is the
/// polar factor where det F > 0; for an inverted F the least stretch is taken as negative, so that det R is
/// always 1; for a flat F the missing direction follows from the others.
///
/// Newton's method on the rotations from a rotation close by, the one of the step before (the idea of
/// Kugelstadt, Koschier & Bender 2018, Fast Corotated FEM using Operator Splitting, sec. 4.2): the only
/// maximum of tr(R^T F) that has a positive definite Hessian is the greatest one, so where it converges to
/// such a point it is right. Elsewhere the eigenvector of the greatest eigenvalue of Davenport's 4 x 4 matrix
/// (Horn 1987, Closed-form solution of absolute orientation using unit quaternions, sec. 4).
#include "device/matrix3.h"
#include "device/symmetric_eigen.h"

MERGANSER_BEGIN

/// A rotation as a unit quaternion x i + y j + z k + w. In double: F - R is small against both.
template <class Real>
struct UnitQuaternionOf {
  Real x, y, z, w;
};
using UnitQuaternion = UnitQuaternionOf<double>;

template <class Real>
MERGANSER_FN Matrix3<Real> rotation_matrix(const UnitQuaternionOf<Real>& q) {
  const Real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z,
             wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
          {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
          {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}

/// The same rotation for any finite F. Where several rotations are equally good (F of rank one or less, or
/// two equal least stretches of an inverted F) the one nearest to `start`.
MERGANSER_FN UnitQuaternion polar_rotation_by_eigenvector(const Matrix3<double>& f,
                                                          const UnitQuaternion& start) {
  const double f00 = f.x.x, f10 = f.x.y, f20 = f.x.z, f01 = f.y.x, f11 = f.y.y, f21 = f.y.z, f02 = f.z.x,
               f12 = f.z.y, f22 = f.z.z;
  double davenport[4][4] = {{f00 - f11 - f22, f01 + f10, f02 + f20, f21 - f12},
                            {f01 + f10, f11 - f00 - f22, f12 + f21, f02 - f20},
                            {f02 + f20, f12 + f21, f22 - f00 - f11, f10 - f01},
                            {f21 - f12, f02 - f20, f10 - f01, f00 + f11 + f22}};
  const SymmetricEigen<4> eigen = symmetric_eigen(davenport);
  int best = 0;
  double size = 0;
  for (int k = 0; k < 4; ++k) {
    if (eigen.value[k] > eigen.value[best]) best = k;
    size = fmax(size, fabs(eigen.value[k]));
  }
  const double from[4] = {start.x, start.y, start.z, start.w};
  double q[4] = {0, 0, 0, 0}, length = 0;
  for (int k = 0; k < 4; ++k) {
    if (eigen.value[best] - eigen.value[k] > 1e-6 * size) continue;  // F may stem from floats
    double share = 0;
    for (int i = 0; i < 4; ++i) share += eigen.vector[i][k] * from[i];
    for (int i = 0; i < 4; ++i) q[i] += share * eigen.vector[i][k];
    length += share * share;
  }
  if (!(length > 1e-6)) {  // start is orthogonal to all of them
    length = 1;
    for (int i = 0; i < 4; ++i) q[i] = eigen.vector[i][best];
  }
  const double scale = 1 / sqrt(length);
  return {scale * q[0], scale * q[1], scale * q[2], scale * q[3]};
}

/// R as a quaternion, found from `start`, a unit quaternion. Where F is not finite: `start`.
MERGANSER_FN UnitQuaternion polar_rotation(const Matrix3<double>& f, const UnitQuaternion& start) {
  if (!std::isfinite(norm_squared(f.x) + norm_squared(f.y) + norm_squared(f.z))) return start;
  constexpr int most_steps = 8;
  constexpr double close = 1e-3;        // half an angle [rad]; the error after such a step is its cube
  constexpr double least_pivot = 0.02;  // of the Hessian's, relative to its trace
  UnitQuaternion q = start;
  for (int step = 0; step < most_steps; ++step) {
    const Matrix3<double> r = rotation_matrix(q);
    // tr((R exp[w])^T F) = tr B + w.a - w.H w/2 + O(w^3) with B = R^T F.
    const Vec3d bx = transposed_times(r, f.x), by = transposed_times(r, f.y), bz = transposed_times(r, f.z);
    const Vec3d a{by.z - bz.y, bz.x - bx.z, bx.y - by.x};
    const double trace = bx.x + by.y + bz.z;
    const double hxx = trace - bx.x, hyy = trace - by.y, hzz = trace - bz.z;
    const double hxy = -0.5 * (by.x + bx.y), hxz = -0.5 * (bz.x + bx.z), hyz = -0.5 * (bz.y + by.z);
    // H = L D L^T; positive pivots make it positive definite.
    const double least = least_pivot * trace;
    const double lxy = hxy / hxx, lxz = hxz / hxx, dy = hyy - lxy * hxy, m = hyz - lxz * hxy, lyz = m / dy,
                 dz = hzz - lxz * hxz - lyz * m;
    if (!(trace > 0 && hxx > least && dy > least && dz > least)) break;
    const double ay = a.y - lxy * a.x, az = a.z - lxz * a.x - lyz * ay;
    const double wz = az / dz, wy = ay / dy - lyz * wz, wx = a.x / hxx - lxy * wy - lxz * wz;
    const Vec3d w{0.5 * wx, 0.5 * wy, 0.5 * wz};
    const UnitQuaternion turned{
        q.w * w.x + q.x + q.y * w.z - q.z * w.y, q.w * w.y + q.y + q.z * w.x - q.x * w.z,
        q.w * w.z + q.z + q.x * w.y - q.y * w.x, q.w - q.x * w.x - q.y * w.y - q.z * w.z};
    const double scale =
        1 / sqrt(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z + turned.w * turned.w);
    q = {scale * turned.x, scale * turned.y, scale * turned.z, scale * turned.w};
    if (norm_squared(w) < close * close) return q;
  }
  return polar_rotation_by_eigenvector(f, start);
}

MERGANSER_END
