#pragma once
/// The rotation of a deformation gradient in pairs of floats: Newton's method of polar_rotation() for GPUs
/// that are slow with doubles. Only rotations and F are pairs; the turn that is still missing is a float.
#include "device/float_pair.h"
#include "device/polar_decomposition.h"

MERGANSER_BEGIN

/// Turns q, a unit quaternion, to the rotation of F. The angle that is left is at most 16 u |F - R| over the
/// least pivot of the Hessian (2 where F is about a rotation), u = 2^-24, or 2e-9, whichever is greater:
/// floats keep their relative precision in R^T (F - R), which the turn is made of. False, with q as it was,
/// where polar_rotation() asks for polar_rotation_by_eigenvector() or F is nearly flat or nothing. Where F is
/// not finite q stays and the result is true.
MERGANSER_FN bool turn_to_polar_rotation(const Matrix3<FloatPair>& f, UnitQuaternionOf<FloatPair>& q) {
  const auto size = [](const Vector3<FloatPair>& a) {
    return fabsf(a.x.high) + fabsf(a.y.high) + fabsf(a.z.high);
  };
  if (!std::isfinite(size(f.x) + size(f.y) + size(f.z))) return true;
  constexpr int most_steps = 8;
  constexpr float close = 1e-3f, least_pivot = 0.02f;  // as in polar_rotation()
  constexpr float least_trace = 0.05f;  // R^T F is 1 and what is added: too coarse for the pivots of less
  UnitQuaternionOf<FloatPair> now = q;
  for (int step = 0; step < most_steps; ++step) {
    const Matrix3<FloatPair> rotation = rotation_matrix(now);
    const auto to_floats = [](const Matrix3<FloatPair>& a) {
      return Matrix3<float>{vector_cast<float>(a.x), vector_cast<float>(a.y), vector_cast<float>(a.z)};
    };
    const Matrix3<float> r = to_floats(rotation), e = to_floats(f - rotation);
    // B = R^T F = 1 + R^T (F - R); here b is what is added to 1.
    const Vec3 bx = transposed_times(r, e.x), by = transposed_times(r, e.y), bz = transposed_times(r, e.z);
    const Vec3 a{by.z - bz.y, bz.x - bx.z, bx.y - by.x};
    const float trace = 3 + (bx.x + by.y + bz.z);
    const float hxx = 2 + (by.y + bz.z), hyy = 2 + (bz.z + bx.x), hzz = 2 + (bx.x + by.y);
    const float hxy = -0.5f * (by.x + bx.y), hxz = -0.5f * (bz.x + bx.z), hyz = -0.5f * (bz.y + by.z);
    const float least = least_pivot * trace;
    const float lxy = hxy / hxx, lxz = hxz / hxx, dy = hyy - lxy * hxy, m = hyz - lxz * hxy, lyz = m / dy,
                dz = hzz - lxz * hxz - lyz * m;
    if (!(trace > least_trace && hxx > least && dy > least && dz > least)) return false;
    const float ay = a.y - lxy * a.x, az = a.z - lxz * a.x - lyz * ay;
    const float wz = az / dz, wy = ay / dy - lyz * wz, wx = a.x / hxx - lxy * wy - lxz * wz;
    const Vec3 w{0.5f * wx, 0.5f * wy, 0.5f * wz};
    UnitQuaternionOf<FloatPair> turned = now;
    const auto add = [](FloatPair& sum, const FloatPair& x, float y) { add_product(sum, x, FloatPair(y)); };
    add(turned.x, now.w, w.x), add(turned.x, now.y, w.z), add(turned.x, now.z, -w.y);
    add(turned.y, now.w, w.y), add(turned.y, now.z, w.x), add(turned.y, now.x, -w.z);
    add(turned.z, now.w, w.z), add(turned.z, now.x, w.y), add(turned.z, now.y, -w.x);
    add(turned.w, now.x, -w.x), add(turned.w, now.y, -w.y), add(turned.w, now.z, -w.z);
    FloatPair length_squared = turned.x * turned.x;
    for (const FloatPair& part : {turned.y, turned.z, turned.w}) add_product(length_squared, part, part);
    const FloatPair scale = inverse_root(length_squared);
    now = {scale * turned.x, scale * turned.y, scale * turned.z, scale * turned.w};
    if (norm_squared(w) < close * close) {
      q = now;
      return true;
    }
  }
  return false;
}

MERGANSER_END
