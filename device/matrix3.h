#pragma once
/// 3 x 3 matrices for kernels, by columns; of float, double or eight floats at a time (lanes.h).
#include "device/vector_math.h"

MERGANSER_BEGIN

template <class Real>
struct Matrix3 {
  Vector3<Real> x, y, z;  ///< columns

  MERGANSER_METHOD Matrix3& operator+=(const Matrix3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  MERGANSER_METHOD Matrix3& operator-=(const Matrix3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  MERGANSER_METHOD friend Matrix3 operator+(Matrix3 a, const Matrix3& b) { return a += b; }
  MERGANSER_METHOD friend Matrix3 operator-(Matrix3 a, const Matrix3& b) { return a -= b; }
  MERGANSER_METHOD friend Matrix3 operator*(Real s, const Matrix3& a) { return {s * a.x, s * a.y, s * a.z}; }
  MERGANSER_METHOD friend Vector3<Real> operator*(const Matrix3& a, const Vector3<Real>& b) {
    return b.x * a.x + b.y * a.y + b.z * a.z;
  }
  MERGANSER_METHOD friend Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
    return {a * b.x, a * b.y, a * b.z};
  }
};

template <class To, class From>
MERGANSER_FN Matrix3<To> matrix_cast(const Matrix3<From>& a) {
  return {vector_cast<To>(a.x), vector_cast<To>(a.y), vector_cast<To>(a.z)};
}
/// a^T b.
template <class Real>
MERGANSER_FN Vector3<Real> transposed_times(const Matrix3<Real>& a, const Vector3<Real>& b) {
  return {dot(a.x, b), dot(a.y, b), dot(a.z, b)};
}
template <class Real>
MERGANSER_FN Matrix3<Real> transposed(const Matrix3<Real>& a) {
  return {{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}};
}
/// a : b = tr(a^T b).
template <class Real>
MERGANSER_FN Real contract(const Matrix3<Real>& a, const Matrix3<Real>& b) {
  return dot(a.x, b.x) + dot(a.y, b.y) + dot(a.z, b.z);
}
template <class Real>
MERGANSER_FN Real determinant(const Matrix3<Real>& a) {
  return dot(a.x, cross(a.y, a.z));
}
template <class Real>
MERGANSER_FN Matrix3<Real> symmetric_matrix(Real xx, Real xy, Real xz, Real yy, Real yz, Real zz) {
  return {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
}

MERGANSER_END
