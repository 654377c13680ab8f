/// Stable Neo-Hookean solids: the density and its derivatives at a point against differences in double.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "device/polar_decomposition.h"
#include "solvers/methods/elastic_sph/neo_hookean_derivative.h"
#include "tests/support/dense_algebra.h"
#include "tests/support/neo_hookean_reference.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace neo_hookean_test {

using Eigen3 = Eigen::Matrix3d;
using test::NeoHookeanReference;

Matrix3<double> to_matrix(const Eigen3& a) {
  return {{a(0, 0), a(1, 0), a(2, 0)}, {a(0, 1), a(1, 1), a(2, 1)}, {a(0, 2), a(1, 2), a(2, 2)}};
}
Eigen3 from_matrix(const Matrix3<double>& a) {
  Eigen3 made;
  made << a.x.x, a.y.x, a.z.x, a.x.y, a.y.y, a.z.y, a.x.z, a.y.z, a.z.z;
  return made;
}

/// At rest, flat, inverted, stretched to three times, pressed to a point, and 20 at random.
std::vector<Eigen3> deformations() {
  std::vector<Eigen3> all;
  const auto turned = [&](double x, double y, double z) {
    const Eigen3 u = Eigen::AngleAxisd(0.8, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix(),
                 v = Eigen::AngleAxisd(2.1, Eigen::Vector3d(-2, 0.3, 1).normalized()).toRotationMatrix();
    all.push_back(u * Eigen::Vector3d(x, y, z).asDiagonal() * v.transpose());
  };
  turned(1, 1, 1), turned(1, 1, 0.01), turned(1.2, 0.9, -0.7), turned(3, 0.6, 0.5), turned(0.05, 0.03, 0.02);
  for (int k = 0; k < 20; ++k) {
    Eigen3 f;
    for (int e = 0; e < 9; ++e)
      f(e) = (e % 4 == 0 ? 1 : 0) + 2.4 * (uniform_float(test_bits(9 * k + e, 3).word[0]) - 0.5);
    all.push_back(f);
  }
  return all;
}

Matrix3<double> rotation_of(const Eigen3& f) {
  return rotation_matrix(polar_rotation(to_matrix(f), {0, 0, 0, 1}));
}
double energy_of(const NeoHookean& material, const Eigen3& f) {
  const Matrix3<double> r = rotation_of(f);
  return material.energy(to_matrix(f) - r, r);
}

constexpr double mu = 0.7, lambda = 1.9;

TEST(NeoHookean, EnergyAndStressAreThoseOfThePaper) {
  const NeoHookeanReference reference{mu, lambda};
  const NeoHookean material = NeoHookean::of(mu, lambda);
  for (const Eigen3& f : deformations()) {
    EXPECT_NEAR(energy_of(material, f), reference.energy(f), 1e-12 * (1 + reference.energy(f)));
    const Eigen3 wanted = reference.stress(f);
    EXPECT_LT((from_matrix(material.stress(to_matrix(f))) - wanted).norm(), 1e-8 * (1 + wanted.norm()));
  }
  EXPECT_LT(from_matrix(material.stress(to_matrix(Eigen3::Identity()))).norm(), 1e-14);
}

/// As a kernel makes it of one particle, in Real.
template <class Real>
NeoHookeanReference::Hessian positive_derivative(const Eigen3& f) {
  const Matrix3<double> r = rotation_of(f), strain = to_matrix(f) - r;
  Real entry[derivative_entries];
  const Real least = derivative_with_turnings(NeoHookeanOf<Real>::of(Real(mu), Real(lambda)),
                                              matrix_cast<Real>(strain), matrix_cast<Real>(r), entry);
  double missing[derivative_entries] = {};
  if (least < 0) missing_modes(NeoHookean::of(mu, lambda), strain, r, missing);
  NeoHookeanReference::Hessian a;
  for (int i = 0, e = 0; i < 9; ++i)
    for (int j = 0; j <= i; ++j, ++e) a(i, j) = a(j, i) = double(entry[e]) + missing[e];
  return a;
}

/// The closed-form eigenvalues make the matrix that clamping those of a numerical Hessian makes.
TEST(NeoHookean, DerivativeIsTheHessianProjected) {
  const NeoHookeanReference reference{mu, lambda};
  int indefinite = 0;
  for (const Eigen3& f : deformations()) {
    const NeoHookeanReference::Hessian a = positive_derivative<double>(f);
    const NeoHookeanReference::Hessian whole = reference.hessian(f), wanted = reference.projected(whole);
    indefinite += (whole - wanted).norm() > 0.01;
    EXPECT_LT((a - wanted).norm(), 3e-5 * (1 + wanted.norm()));
    // The modes are those of the polar rotation, which is exact to about 1e-11.
    EXPECT_GT(test::least_eigenvalue(a), -1e-10 * a.norm());
    EXPECT_LT((positive_derivative<float>(f) - a).norm(), 3e-6 * (mu + a.norm()));
  }
  EXPECT_GT(indefinite, 5);
}

/// Turnings of what is pressed a little are indefinite by a share of the strain.
TEST(NeoHookean, DerivativeIsPositiveNearRest) {
  Eigen3 strain;
  strain << -2, -1, 0.5, -1, 1.5, 3, 0.5, 3, -1;
  for (const double size : {1e-2, 1e-4, 1e-6}) {
    const NeoHookeanReference::Hessian a = positive_derivative<double>(Eigen3::Identity() + size * strain);
    EXPECT_GT(test::least_eigenvalue(a), -1e-12 * a.norm());
    const NeoHookeanReference::Hessian in_float =
        positive_derivative<float>(Eigen3::Identity() + size * strain);
    EXPECT_LT((in_float - a).norm(), 1e-6 * a.norm());
  }
}

/// Small strains: 2 mu e : e/2 + lambda tr(e)^2/2, as of corotated solids.
TEST(NeoHookean, SmallStrainsAreHookes) {
  const NeoHookean material = NeoHookean::of(mu, lambda);
  Eigen3 strain;
  strain << 2, -1, 0.5, -1, 1.5, 3, 0.5, 3, -1;
  for (const double size : {1e-4, 1e-7, 1e-10}) {
    const Eigen3 e = size * strain;
    const double hooke = mu * e.squaredNorm() + 0.5 * lambda * e.trace() * e.trace();
    const Matrix3<double> one = to_matrix(Eigen3::Identity());
    EXPECT_NEAR(material.energy(to_matrix(e), one), hooke, (20 * size + 1e-4) * hooke);
  }
}

}  // namespace neo_hookean_test
MERGANSER_END
