/// Rotations of deformation gradients against Eigen's singular value decomposition in double.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>

#include "device/launch.h"
#include "device/polar_decomposition.h"
#include "device/polar_pairs.h"
#include "tests/support/elastic_reference.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace polar_decomposition_test {

struct RunPolar {
  static constexpr const char* name = "test polar";
  View<const Matrix3<double>> f;
  View<const UnitQuaternion> start;
  View<UnitQuaternion> found;
  MERGANSER_METHOD void operator()(int i) const { found[i] = polar_rotation(f[i], start[i]); }
};

/// 1: found in pairs of floats; else 0, and `found` is the start.
struct RunPolarPairs {
  static constexpr const char* name = "test polar pairs";
  View<const Matrix3<double>> f;
  View<const UnitQuaternion> start;
  View<UnitQuaternion> found;
  View<int> finds;
  MERGANSER_METHOD void operator()(int i) const {
    const auto pairs = [](const Vec3d& a) { return vector_cast<FloatPair>(a); };
    UnitQuaternionOf<FloatPair> q{FloatPair(start[i].x), FloatPair(start[i].y), FloatPair(start[i].z),
                                  FloatPair(start[i].w)};
    finds[i] = turn_to_polar_rotation({pairs(f[i].x), pairs(f[i].y), pairs(f[i].z)}, q);
    found[i] = {double(q.x), double(q.y), double(q.z), double(q.w)};
  }
};

Eigen::Matrix3d eigen(const Matrix3<double>& a) {
  Eigen::Matrix3d m;
  m << a.x.x, a.y.x, a.z.x, a.x.y, a.y.y, a.z.y, a.x.z, a.y.z, a.z.z;
  return m;
}
Matrix3<double> matrix(const Eigen::Matrix3d& m) {
  return {{m(0, 0), m(1, 0), m(2, 0)}, {m(0, 1), m(1, 1), m(2, 1)}, {m(0, 2), m(1, 2), m(2, 2)}};
}
Eigen::Matrix3d random_matrix(int i, int stream) {
  Eigen::Matrix3d m;
  for (int k = 0; k < 9; ++k) m(k / 3, k % 3) = 2 * uniform_float(test_bits(9 * i + k, stream).word[0]) - 1;
  return m;
}
Eigen::Matrix3d oracle_turn(int i) { return test::oracle_rotation(random_matrix(i, 7)); }
std::vector<Eigen::Matrix3d> rotations_of(const std::vector<Eigen::Matrix3d>& f,
                                          const std::vector<UnitQuaternion>& start) {
  std::vector<Matrix3<double>> given;
  for (const auto& m : f) given.push_back(matrix(m));
  Array<Matrix3<double>> on_device(given);
  Array<UnitQuaternion> from(start), found(int(f.size()));
  launch(int(f.size()), RunPolar{on_device.view(), from.view(), found.view()});
  std::vector<Eigen::Matrix3d> r;
  for (const UnitQuaternion& q : found.to_host()) r.push_back(eigen(rotation_matrix(q)));
  return r;
}
std::vector<Eigen::Matrix3d> rotations_of(const std::vector<Eigen::Matrix3d>& f) {
  return rotations_of(f, std::vector<UnitQuaternion>(f.size(), UnitQuaternion{0, 0, 0, 1}));
}

/// A proper rotation that gives tr(R^T F) its greatest value, s1 + s2 + s3 with the sign of det F on the
/// last: to 1e-9 of s1, which is what the stop of Newton's method leaves (1e-3 cubed).
void expect_greatest_trace(const Eigen::Matrix3d& f, const Eigen::Matrix3d& r, const char* what) {
  EXPECT_NEAR(r.determinant(), 1, 1e-12) << what;
  EXPECT_LT((r.transpose() * r - Eigen::Matrix3d::Identity()).norm(), 1e-12) << what;
  const Eigen::Vector3d s = test::signed_singular_values(f);
  EXPECT_NEAR((r.transpose() * f).trace(), s[0] + s[1] + s[2], 1e-6 * s[0]) << what << "\n" << f;
}

TEST(PolarDecomposition, RandomMatricesOfBothSigns) {
  std::vector<Eigen::Matrix3d> f;
  for (int i = 0; i < 2000; ++i) f.push_back(std::pow(10.0, i % 9 - 4) * random_matrix(i, 1));
  const auto r = rotations_of(f);
  int inverted = 0;
  for (size_t i = 0; i < f.size(); ++i) {
    expect_greatest_trace(f[i], r[i], "random");
    inverted += f[i].determinant() < 0;
  }
  EXPECT_GT(inverted, 800);
}

/// A body that turns: from the rotation of the step before, and the rotation itself to 1e-8.
TEST(PolarDecomposition, StretchedRotationsFromCloseBy) {
  std::vector<Eigen::Matrix3d> f, exact;
  std::vector<UnitQuaternion> start;
  for (int i = 0; i < 500; ++i) {
    Eigen::AngleAxisd turn(0.05 * (i % 7), Eigen::Vector3d(random_matrix(i, 2).col(0)).normalized());
    const Eigen::Quaterniond before(
        Eigen::AngleAxisd(3.0 * i / 500, Eigen::Vector3d(random_matrix(i, 3).col(0)).normalized()));
    const Eigen::Matrix3d a = 0.2 * random_matrix(i, 4),
                          stretch = Eigen::Matrix3d::Identity() + a + a.transpose();
    exact.push_back(before.toRotationMatrix() * turn.toRotationMatrix());
    f.push_back(exact.back() * stretch);
    start.push_back({before.x(), before.y(), before.z(), before.w()});
  }
  const auto r = rotations_of(f, start);
  for (size_t i = 0; i < f.size(); ++i) EXPECT_LT((r[i] - exact[i]).norm(), 1e-8);
}

/// In pairs of floats from a rotation close by: to 16 u |F - R| over the Hessian's least pivot, which is at
/// least 0.8 here (the sum of two stretches less half a difference), and 2e-9; rotations to 48 bits.
TEST(PolarDecomposition, PairsFindStretchedRotations) {
  std::vector<Matrix3<double>> f;
  std::vector<Eigen::Matrix3d> exact;
  std::vector<double> strain;
  std::vector<UnitQuaternion> start;
  for (int i = 0; i < 500; ++i) {
    Eigen::AngleAxisd turn(0.05 * (i % 7), Eigen::Vector3d(random_matrix(i, 2).col(0)).normalized());
    const Eigen::Quaterniond before(
        Eigen::AngleAxisd(3.0 * i / 500, Eigen::Vector3d(random_matrix(i, 3).col(0)).normalized()));
    const Eigen::Matrix3d a = (i % 2 ? 1e-3 : 0.1) * random_matrix(i, 4),
                          stretch = Eigen::Matrix3d::Identity() + a + a.transpose();
    exact.push_back(before.toRotationMatrix() * turn.toRotationMatrix());
    f.push_back(matrix(exact.back() * stretch));
    strain.push_back((stretch - Eigen::Matrix3d::Identity()).norm());
    start.push_back({before.x(), before.y(), before.z(), before.w()});
  }
  const int count = int(f.size());
  const Array<Matrix3<double>> given(f);
  const Array<UnitQuaternion> from(start);
  Array<UnitQuaternion> found(count);
  Array<int> finds(count);
  launch(count, RunPolarPairs{given.view(), from.view(), found.view(), finds.view()});
  const auto q = found.to_host();
  const auto all = finds.to_host();
  for (size_t i = 0; i < f.size(); ++i) {
    EXPECT_EQ(all[i], 1);
    const Eigen::Matrix3d r = eigen(rotation_matrix(q[i]));
    EXPECT_LT((r.transpose() * r - Eigen::Matrix3d::Identity()).norm(), 1e-12);
    EXPECT_LT((r - exact[i]).norm(), 1.5 * (16 * 0x1p-24 * strain[i] / 0.8 + 2e-9)) << strain[i];
  }
}

/// Where the search in pairs gives an answer at all, it is the right one.
TEST(PolarDecomposition, PairsSayWhereTheyFindNothing) {
  std::vector<Eigen::Matrix3d> f{Eigen::Matrix3d::Zero(), -Eigen::Matrix3d::Identity()};
  for (int i = 0; i < 2000; ++i) f.push_back(std::pow(10.0, i % 9 - 4) * random_matrix(i, 1));
  for (int i = 0; i < 100; ++i)
    f.push_back(std::pow(10.0, -i % 30) * oracle_turn(i) *
                Eigen::Vector3d(1, i % 3 ? 1 : 0, -1).asDiagonal());
  for (int i = 0; i < 300; ++i)  // nearly nothing is left of some
    f.push_back(std::pow(10.0, -i % 10) * (Eigen::Matrix3d::Identity() + 0.1 * random_matrix(i, 8)));
  std::vector<Matrix3<double>> given;
  for (const auto& m : f) given.push_back(matrix(m));
  const int count = int(f.size());
  const Array<Matrix3<double>> on_device(given);
  const Array<UnitQuaternion> start(std::vector<UnitQuaternion>(f.size(), UnitQuaternion{0, 0, 0, 1}));
  Array<UnitQuaternion> found(count);
  Array<int> finds(count);
  launch(count, RunPolarPairs{on_device.view(), start.view(), found.view(), finds.view()});
  const auto q = found.to_host();
  const auto all = finds.to_host();
  int answers = 0;
  for (size_t i = 0; i < f.size(); ++i) {
    if (all[i]) expect_greatest_trace(f[i], eigen(rotation_matrix(q[i])), "pairs");
    answers += all[i];
  }
  EXPECT_FALSE(all[0] || all[1]);
  EXPECT_GT(answers, 100);
  EXPECT_LT(answers, 1500);
}

TEST(PolarDecomposition, FlatThinAndNoMatrices) {
  std::vector<Eigen::Matrix3d> f{Eigen::Matrix3d::Zero(), -Eigen::Matrix3d::Identity(),
                                 -2.5 * Eigen::Matrix3d::Identity()};
  for (int i = 0; i < 100; ++i) {
    const Eigen::Matrix3d a = random_matrix(i, 5), b = random_matrix(i, 6);
    f.push_back(a.col(0) * b.col(0).transpose());                                    // a line
    f.push_back(a.col(0) * b.col(0).transpose() + a.col(1) * b.col(1).transpose());  // a plane
    f.push_back(f.back() * 1e-20);
    f.push_back(oracle_turn(i) * Eigen::Vector3d(1, 1, -1).asDiagonal());  // a mirror image
    f.push_back(oracle_turn(i) * Eigen::Vector3d(2, 1, -1).asDiagonal());  // equal least stretches
  }
  const auto r = rotations_of(f);
  for (size_t i = 0; i < f.size(); ++i) expect_greatest_trace(f[i], r[i], "special");
}

/// Nothing comes of what is not finite.
TEST(PolarDecomposition, KeepsTheStartWhereNothingIsKnown) {
  std::vector<Eigen::Matrix3d> f(3, Eigen::Matrix3d::Identity());
  f[0](1, 2) = std::nan("");
  f[1](0, 0) = INFINITY;
  f[2].setZero();
  const double s = std::sqrt(0.5);
  const auto r = rotations_of(f, std::vector<UnitQuaternion>(3, UnitQuaternion{s, 0, 0, s}));
  const Eigen::Matrix3d start = eigen(rotation_matrix(UnitQuaternion{s, 0, 0, s}));
  for (const auto& m : r) EXPECT_LT((m - start).norm(), 1e-12);
}

}  // namespace polar_decomposition_test
MERGANSER_END
