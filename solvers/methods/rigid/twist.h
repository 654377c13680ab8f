#pragma once
/// Six numbers of a rigid body at a time: velocities, momenta and the matrices between them, all about a
/// reference point of the body. A particle at the arm r from there moves with v + omega x r = J (v, omega).
#include "device/vector_math.h"

MERGANSER_BEGIN

/// (v, omega) [m/s], [rad/s]; or as a momentum (P, L) [kg m/s], [kg m^2/s].
struct Twist {
  Vec3d linear{0, 0, 0}, angular{0, 0, 0};
  MERGANSER_METHOD Twist& operator+=(const Twist& b) {
    return linear += b.linear, angular += b.angular, *this;
  }
  MERGANSER_METHOD friend Twist operator+(Twist a, const Twist& b) { return a += b; }
  MERGANSER_METHOD friend Twist operator-(const Twist& a, const Twist& b) {
    return {a.linear - b.linear, a.angular - b.angular};
  }
  MERGANSER_METHOD friend Twist operator*(double s, const Twist& a) { return {s * a.linear, s * a.angular}; }
  /// J (v, omega) [m/s].
  MERGANSER_METHOD Vec3d at(const Vec3d& arm) const { return linear + cross(angular, arm); }
};
/// J^T p: the momentum that an impulse p [N s] gives that acts at the arm r.
MERGANSER_FN Twist impulse_at(const Vec3d& arm, const Vec3d& impulse) {
  return {impulse, cross(arm, impulse)};
}
MERGANSER_FN double dot(const Twist& a, const Twist& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

/// sum w J^T J of points with weights w: mass, first moment and moments of inertia about the reference point.
struct MassMoments {
  double mass = 0;                                        ///< sum w
  Vec3d first{0, 0, 0};                                   ///< sum w r
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;  ///< sum w (r.r 1 - r r^T)
  MERGANSER_METHOD void add(double w, const Vec3d& r) {
    const Vec3d s = w * r;
    mass += w;
    first += s;
    xx += s.y * r.y + s.z * r.z;
    yy += s.x * r.x + s.z * r.z;
    zz += s.x * r.x + s.y * r.y;
    xy -= s.x * r.y;
    xz -= s.x * r.z;
    yz -= s.y * r.z;
  }
  MERGANSER_METHOD friend MassMoments operator+(const MassMoments& a, const MassMoments& b) {
    return {a.mass + b.mass, a.first + b.first, a.xx + b.xx, a.xy + b.xy,
            a.xz + b.xz,     a.yy + b.yy,       a.yz + b.yz, a.zz + b.zz};
  }
  MERGANSER_METHOD friend MassMoments operator*(double s, const MassMoments& a) {
    return {s * a.mass, s * a.first, s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
  }
};

/// 6 x 6 matrix; of a symmetric one both triangles are kept.
struct TwistMatrix {
  double a[6][6] = {};
  MERGANSER_METHOD void add(const MassMoments& m) {
    const double upper[6][6] = {
        {m.mass, 0, 0, 0, m.first.z, -m.first.y},     {0, m.mass, 0, -m.first.z, 0, m.first.x},
        {0, 0, m.mass, m.first.y, -m.first.x, 0},     {0, -m.first.z, m.first.y, m.xx, m.xy, m.xz},
        {m.first.z, 0, -m.first.x, m.xy, m.yy, m.yz}, {-m.first.y, m.first.x, 0, m.xz, m.yz, m.zz}};
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) a[i][j] += upper[i][j];
  }
  /// += s t t^T.
  MERGANSER_METHOD void add_outer(double s, const Twist& t) {
    const double c[6] = {t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z};
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) a[i][j] += s * c[i] * c[j];
  }
  MERGANSER_METHOD friend Twist operator*(const TwistMatrix& m, const Twist& t) {
    const double c[6] = {t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z};
    double y[6] = {};
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) y[i] += m.a[i][j] * c[j];
    return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
  }
  MERGANSER_METHOD friend TwistMatrix operator*(const TwistMatrix& m, const TwistMatrix& n) {
    TwistMatrix product;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k)
        for (int j = 0; j < 6; ++j) product.a[i][j] += m.a[i][k] * n.a[k][j];
    return product;
  }
  MERGANSER_METHOD void subtract(const TwistMatrix& m) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) a[i][j] -= m.a[i][j];
  }
};
MERGANSER_FN TwistMatrix transposed(const TwistMatrix& m) {
  TwistMatrix result;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) result.a[i][j] = m.a[j][i];
  return result;
}

/// Inverse on the rows and columns from `begin` on, zero elsewhere, by Cholesky's factors; the matrix is
/// positive definite there.
MERGANSER_FN TwistMatrix inverse_from(const TwistMatrix& m, int begin) {
  double l[6][6];
  for (int j = begin; j < 6; ++j)
    for (int i = j; i < 6; ++i) {
      double sum = m.a[i][j];
      for (int k = begin; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  TwistMatrix result;
  for (int column = begin; column < 6; ++column) {
    double y[6];
    for (int i = begin; i < 6; ++i) {
      double sum = i == column ? 1 : 0;
      for (int k = begin; k < i; ++k) sum -= l[i][k] * y[k];
      y[i] = sum / l[i][i];
    }
    for (int i = 5; i >= begin; --i) {
      double sum = y[i];
      for (int k = i + 1; k < 6; ++k) sum -= l[k][i] * result.a[k][column];
      result.a[i][column] = sum / l[i][i];
    }
  }
  return result;
}

MERGANSER_END
