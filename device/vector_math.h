#pragma once
/// Small fixed-size vectors and matrices for kernels.
#include <cmath>

#include "device/backend.h"

MERGANSER_BEGIN

/// The less and the greater of two numbers; b where a is not a number. On the CPU compilers call the library
/// for fminf and fmaxf.
MERGANSER_FN float least_of(float a, float b) {
#ifdef __CUDA_ARCH__
  return fminf(a, b);
#else
  return a < b ? a : b;
#endif
}
MERGANSER_FN float most_of(float a, float b) {
#ifdef __CUDA_ARCH__
  return fmaxf(a, b);
#else
  return a > b ? a : b;
#endif
}

template <class Real>
struct Vector3 {
  Real x, y, z;

  MERGANSER_METHOD Vector3& operator+=(const Vector3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  MERGANSER_METHOD Vector3& operator-=(const Vector3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  MERGANSER_METHOD Vector3& operator*=(Real s) { return x *= s, y *= s, z *= s, *this; }
  MERGANSER_METHOD friend Vector3 operator+(Vector3 a, const Vector3& b) { return a += b; }
  MERGANSER_METHOD friend Vector3 operator-(Vector3 a, const Vector3& b) { return a -= b; }
  MERGANSER_METHOD friend Vector3 operator-(const Vector3& a) { return {-a.x, -a.y, -a.z}; }
  MERGANSER_METHOD friend Vector3 operator*(Vector3 a, Real s) { return a *= s; }
  MERGANSER_METHOD friend Vector3 operator*(Real s, Vector3 a) { return a *= s; }
  MERGANSER_METHOD friend Vector3 operator/(const Vector3& a, Real s) { return a * (Real(1) / s); }
  MERGANSER_METHOD friend bool operator==(const Vector3& a, const Vector3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

using Vec3 = Vector3<float>;
using Vec3d = Vector3<double>;

template <class Real>
MERGANSER_FN Real dot(const Vector3<Real>& a, const Vector3<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
MERGANSER_FN Vector3<Real> cross(const Vector3<Real>& a, const Vector3<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Real>
MERGANSER_FN Real norm_squared(const Vector3<Real>& a) {
  return dot(a, a);
}
template <class Real>
MERGANSER_FN Real norm(const Vector3<Real>& a) {
  return std::sqrt(dot(a, a));
}
/// a/|a|, and zero where a is zero.
template <class Real>
MERGANSER_FN Vector3<Real> normalized_or_zero(const Vector3<Real>& a) {
  const Real length = norm(a);
  return length > Real(0) ? a / length : Vector3<Real>{0, 0, 0};
}
template <class To, class From>
MERGANSER_FN Vector3<To> vector_cast(const Vector3<From>& a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}
MERGANSER_FN Vec3d to_double(const Vec3& a) { return vector_cast<double>(a); }
MERGANSER_FN Vec3 to_float(const Vec3d& a) { return vector_cast<float>(a); }
MERGANSER_FN bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// Three integers, such as the coordinates of a grid cell.
struct Int3 {
  int x, y, z;
  MERGANSER_METHOD friend bool operator==(const Int3& a, const Int3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

/// Symmetric 3 x 3 matrix, upper triangle by rows.
struct SymmetricMatrix3 {
  float xx, xy, xz, yy, yz, zz;

  MERGANSER_METHOD SymmetricMatrix3& operator+=(const SymmetricMatrix3& b) {
    return xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz, *this;
  }
  MERGANSER_METHOD friend Vec3 operator*(const SymmetricMatrix3& a, const Vec3& b) {
    return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
            a.xz * b.x + a.yz * b.y + a.zz * b.z};
  }
};
/// s * identity.
MERGANSER_FN SymmetricMatrix3 scaled_identity(float s) { return {s, 0, 0, s, 0, s}; }
/// s * a a^T.
MERGANSER_FN SymmetricMatrix3 outer_product(const Vec3& a, float s) {
  return {s * a.x * a.x, s * a.x * a.y, s * a.x * a.z, s * a.y * a.y, s * a.y * a.z, s * a.z * a.z};
}
/// Inverse by cofactors; a must be non-singular.
MERGANSER_FN SymmetricMatrix3 inverse(const SymmetricMatrix3& a) {
  const float cxx = a.yy * a.zz - a.yz * a.yz, cxy = a.xz * a.yz - a.xy * a.zz,
              cxz = a.xy * a.yz - a.xz * a.yy;
  const float d = 1.0f / (a.xx * cxx + a.xy * cxy + a.xz * cxz);
  return {d * cxx,
          d * cxy,
          d * cxz,
          d * (a.xx * a.zz - a.xz * a.xz),
          d * (a.xy * a.xz - a.xx * a.yz),
          d * (a.xx * a.yy - a.xy * a.xy)};
}

MERGANSER_END
