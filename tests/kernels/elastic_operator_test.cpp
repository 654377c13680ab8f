/// Rest shape, forces, matrices of elastic SPH against brute force in double
/// (tests/support/elastic_reference.h).
#include <gtest/gtest.h>

#include "solvers/methods/elastic_sph/constant_matrix.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/dense_algebra.h"
#include "tests/support/elastic_driver.h"
#include "tests/support/elastic_reference.h"

MERGANSER_BEGIN
namespace elastic_operator_test {

using test::deformed;
using test::ElasticDriver;
using test::ElasticReference;
using test::greatest;
using test::mapped;
using test::moved_rigidly;
using test::precise;
using test::SoftBody;
using test::vectors;

SoftBody block(double nu = 0.33, double alpha = 1, double jitter = 0.2) {
  SoftBody body;
  body.parameters.of<ElasticSphParameters>().materials[0].poisson_ratio = nu;
  body.parameters.of<ElasticSphParameters>().materials[0].alpha = alpha;
  body.add_lattice(5, 4, 3, {1, -0.5f, 0.3f}, jitter);
  return body;
}
RestShape rest_shape(const SystemState& state) {
  ParticleStore store;
  store.add_system(initial_particles(state));
  return RestShape(state, store, store.range(0));
}

/// Neighbors nearer to the rim of the support than a thousandth of it are left out: they weigh less than
/// 1e-8.
class ElasticRestShapes : public testing::TestWithParam<ElasticVolumes> {};
INSTANTIATE_TEST_SUITE_P(Volumes, ElasticRestShapes,
                         testing::Values(ElasticVolumes::mass, ElasticVolumes::summation));
TEST_P(ElasticRestShapes, AreThoseOfTheFormulas) {
  SoftBody body = block();
  body.parameters.of<ElasticSphParameters>().volumes = GetParam();
  const ElasticReference reference(body);
  const RestShape shape = rest_shape(body);
  const double d = body.parameters.of<ElasticSphParameters>().materials[0].spacing;
  for (int i = 0; i < shape.count(); ++i) {
    EXPECT_NEAR(shape.volume[size_t(i)] * d * d * d / reference.volume[size_t(i)], 1, 1e-6);
    for (int e = shape.first[size_t(i)]; e < shape.first[size_t(i) + 1]; ++e) {
      const int j = shape.neighbor[size_t(e)];
      for (size_t k = 0; k < reference.neighbors[size_t(i)].size(); ++k) {
        if (int(reference.neighbors[size_t(i)][k]) != j) continue;
        const Vec3d g = shape.gradient(i, j);
        EXPECT_LT((Eigen::Vector3d(g.x, g.y, g.z) - reference.gradient[size_t(i)][k]).norm(), 1e-4 / d);
      }
    }
  }
  EXPECT_EQ(shape.degenerate, 0);
}

/// The corrected gradient maps linear functions exactly ([ES] eq. 8): F = A at every particle, so a stretch
/// without rotation has the stress of A everywhere; energy mu |A - 1|^2 + lambda/2 tr(A - 1)^2 per volume. No
/// zero-energy error either.
TEST(ElasticForces, AffinePatch) {
  const SoftBody body = block(0.3, 5);
  const ElasticReference reference(body);
  ElasticDriver driver(body);
  const double a = 0.13, b = -0.06, c = 0.04;
  const auto x = mapped(vectors(body.position), [&](const Vec3& p) {
    return moved_rigidly({float(1 + a) * p.x, float(1 + b) * p.y, float(1 + c) * p.z}, 0.8, {0, 1, 0});
  });
  double wanted = 0;
  for (size_t i = 0; i < x.size(); ++i)
    wanted += reference.volume[i] * (reference.mu[i] * (a * a + b * b + c * c) +
                                     0.5 * reference.lambda[i] * std::pow(a + b + c, 2));
  EXPECT_NEAR(driver.energy(x) / wanted, 1, 2e-5);  // positions are floats: 1e-7 |x| over the spacing times a
}

/// Every term by itself and all together: f = -dE/dx, where E is the brute-force energy with its rotations
/// following x; float against central differences of step 1e-6 m in double.
TEST(ElasticForces, AreTheNegativeGradientOfTheEnergy) {
  struct Case {
    double nu, alpha;
  };
  for (const Case& c : {Case{0, 0}, Case{0.45, 0}, Case{0, 3}, Case{0.33, 1}}) {
    const SoftBody body = block(c.nu, c.alpha);
    const ElasticReference reference(body);
    ElasticDriver driver(body);
    const auto x = mapped(vectors(body.position), deformed);
    const auto f = driver.forces(x);
    const auto wanted = reference.forces(precise(x), 1e-6);
    double most = 0, error = 0;
    for (size_t i = 0; i < f.size(); ++i) {
      most = std::max(most, wanted[i].norm());
      error = std::max(error, (Eigen::Vector3d(f[i].x, f[i].y, f[i].z) - wanted[i]).norm());
    }
    EXPECT_LT(error, 1e-4 * most) << "nu " << c.nu << ", alpha " << c.alpha;
    EXPECT_NEAR(driver.energy(x) / reference.energy(precise(x)), 1, 1e-5);
  }
}

/// Rigid motion gives no force: 1e-5 of what a strain of one would give, E times the spacing squared. Here
/// the positions are floats at 1.5 m, whose rounding is 1e-7 / 0.05 of the spacing in strain.
TEST(ElasticForces, RigidMotionGivesNone) {
  const SoftBody body = block();
  ElasticDriver driver(body);
  for (double angle : {0.0, 0.5, 2.0, 3.14159}) {
    const auto f = driver.forces(mapped(vectors(body.position), [&](const Vec3& p) {
      return moved_rigidly(p, angle, {0.3f, 0.2f, -0.4f});
    }));
    EXPECT_LT(greatest(f), 2e-5 * 1e6 * 0.05 * 0.05) << "turned by " << angle;
  }
  EXPECT_LT(greatest(driver.forces(vectors(body.position))), 1e-6 * 1e6 * 0.05 * 0.05);
}

/// Internal forces have neither a sum nor a moment, however large the deformation.
TEST(ElasticForces, HaveNoSumAndNoMoment) {
  const SoftBody body = block(0.4, 2);
  ElasticDriver driver(body);
  const auto x = mapped(vectors(body.position), deformed);
  const auto f = driver.forces(x);
  Vec3d sum{0, 0, 0}, moment{0, 0, 0};
  double size = 0, arm = 0;
  for (size_t i = 0; i < f.size(); ++i) {
    sum += to_double(f[i]);
    moment += cross(to_double(x[i]), to_double(f[i]));
    size += norm(to_double(f[i]));
    arm = std::max(arm, norm(to_double(x[i])));
  }
  EXPECT_LT(norm(sum), 1e-6 * size);
  EXPECT_LT(norm(moment), 1e-5 * size * arm);
}

/// M + dt^2 (2 D^T K D + H^T K~ H) against the dense matrix, which is one of the three equal blocks of the
/// full stiffness without volume term.
TEST(ElasticMatrices, ConstantMatrixIsTheDenseOne) {
  SoftBody body = block(0.0, 2);  // lambda = 0: no volume term
  body.immobile[3] = body.immobile[17] = 1;
  const ElasticReference reference(body);
  const RestShape shape = rest_shape(body);
  const std::vector<Eigen::Matrix3d> unturned(body.position.size(), Eigen::Matrix3d::Identity());
  const Eigen::MatrixXd k = reference.stiffness(unturned);
  std::vector<int> free;
  for (size_t i = 0; i < body.position.size(); ++i)
    if (!body.immobile[i]) free.push_back(int(i));
  const double dt = 3e-3;
  const HostSparseMatrix matrix = constant_matrix({shape, free, body.mass, dt, true});
  ASSERT_EQ(matrix.rows(), int(free.size()));
  double greatest_error = 0, greatest_entry = 0;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(matrix.rows(), matrix.rows());
  for (int r = 0; r < matrix.rows(); ++r)
    for (auto e = matrix.first[size_t(r)]; e < matrix.first[size_t(r) + 1]; ++e)
      dense(r, matrix.column[size_t(e)]) = matrix.value[size_t(e)];
  for (int r = 0; r < matrix.rows(); ++r)
    for (int c = 0; c <= r; ++c) {
      const double wanted = dt * dt * k(3 * free[size_t(r)] + 1, 3 * free[size_t(c)] + 1) +
                            (r == c ? double(body.mass[size_t(free[size_t(r)])]) : 0.0);
      greatest_error = std::max(greatest_error, std::abs(dense(r, c) - wanted));
      greatest_entry = std::max(greatest_entry, std::abs(wanted));
    }
  EXPECT_LT(greatest_error, 1e-6 * greatest_entry);  // neighbors on the rim of the support are left out
}

/// Product and diagonal blocks of the step's matrix, with the rotations of a deformed body, against the dense
/// stiffness; so is the product of a vector that the factor gave, from what it was given, at a step other
/// than that of the factor and with inertias other than its masses.
TEST(ElasticMatrices, ProductAndBlocksAreThoseOfTheDenseStiffness) {
  SoftBody body = block(0.4, 1.5);
  body.parameters.of<ElasticSphParameters>().solve = ElasticSolve::preconditioned;
  const ElasticReference reference(body);
  ElasticDriver driver(body);
  const auto x = mapped(vectors(body.position), deformed);
  driver.store.position.assign(x);
  const double dt = 1.5e-3;
  StepContext step = driver.context(dt);
  driver.system->prepare(step);
  ImplicitSystem& equations = *driver.system->implicit_system();
  const int n = driver.store.count();
  const Array<float> effective_mass(std::vector<float>(size_t(n), 1.5f));
  const Array<Vec3> u(random_points(n, 1)), start(n);
  Array<Vec3> product(n), right_side(n), solution(n), known(n);
  Array<SymmetricMatrix3> blocks(n);
  const PartRows rows{{0, n}, effective_mass.const_view(), effective_mass.const_view(), start.const_view()};
  equations.right_side(step, rows, right_side.view());  // at rest: rotations at x
  equations.multiply({}, dt, rows, u.const_view(), product.view());
  equations.diagonal(dt, blocks.view());
  equations.precondition(rows, u.const_view(), solution.view());
  equations.multiply_known(dt, rows, solution.const_view(), u.const_view(), known.view());
  const Eigen::MatrixXd k = dt * dt * reference.stiffness(reference.rotations(precise(x)));
  const auto flat = [n](const Array<Vec3>& vectors) {
    Eigen::VectorXd all(3 * n);
    const auto host = vectors.to_host();
    for (int i = 0; i < n; ++i)
      all.segment<3>(3 * i) << host[size_t(i)].x, host[size_t(i)].y, host[size_t(i)].z;
    return all;
  };
  const Eigen::VectorXd wanted = test::product(k, flat(u)) + 1.5 * flat(u);
  const Eigen::VectorXd wanted_known = test::product(k, flat(solution)) + 1.5 * flat(solution);
  EXPECT_LT((flat(known) - wanted_known).lpNorm<Eigen::Infinity>(),
            1e-5 * wanted_known.lpNorm<Eigen::Infinity>());
  const auto y = product.to_host();
  const auto d = blocks.to_host();
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector3d found(y[size_t(i)].x, y[size_t(i)].y, y[size_t(i)].z);
    EXPECT_LT((found - wanted.segment<3>(3 * i)).norm(), 1e-5 * wanted.lpNorm<Eigen::Infinity>());
    Eigen::Matrix3d block;
    const SymmetricMatrix3& s = d[size_t(i)];
    block << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
    const Eigen::Matrix3d dense = k.block<3, 3>(3 * i, 3 * i);
    EXPECT_LT((block - dense).norm(), 1e-5 * dense.norm());
  }
}

/// A sheet one particle thick, a line, a pair, a single particle: reported, no force at rest, finite ones
/// when deformed, and stretching is resisted within what the neighbors span.
TEST(ElasticDegenerate, NeighborhoodsAreHandledAndReported) {
  struct Case {
    int nx, ny, nz, degenerate;
  };
  for (const Case& c :
       {Case{6, 5, 1, 30}, Case{7, 1, 1, 7}, Case{2, 1, 1, 2}, Case{1, 1, 1, 1}, Case{4, 4, 4, 0}}) {
    SoftBody body;
    body.add_lattice(c.nx, c.ny, c.nz);
    ElasticDriver driver(body);
    EXPECT_EQ(driver.rest_shape.degenerate, c.degenerate);
    EXPECT_EQ(driver.rest_shape.first_degenerate, c.degenerate > 0 ? 0 : -1);
    EXPECT_EQ(driver.system->warnings().size(), c.degenerate > 0 ? 1u : 0u);
    EXPECT_LT(greatest(driver.forces(vectors(body.position))), 1e-2);
    const auto stretched = mapped(vectors(body.position), [](const Vec3& p) { return 1.1f * p; });
    const auto crushed = mapped(vectors(body.position), [](const Vec3& p) { return -0.2f * p; });
    for (const auto& x : {stretched, crushed, std::vector<Vec3>(body.position.size(), Vec3{1, 2, 3})}) {
      const auto f = driver.forces(x);
      for (const Vec3& v : f) ASSERT_TRUE(is_finite(v));
    }
    if (c.nx > 1) {
      const Vec3 end = driver.forces(stretched).back();
      EXPECT_LT(end.x, -10) << "pulled back";
    }
    driver.run(5, 2e-3);
    for (const Vec3& x : driver.positions()) ASSERT_TRUE(is_finite(x));
  }
}

/// The closest neighbors of either end of a pair: symmetric lists, about ten of them, and still exact for
/// linear maps.
TEST(ElasticRestShape, ClosestNeighborsAreSymmetric) {
  SoftBody body = block();
  const int all = int(rest_shape(body).neighbor.size());
  body.parameters.of<ElasticSphParameters>().closest_neighbors = 10;
  const RestShape shape = rest_shape(body);
  EXPECT_LT(int(shape.neighbor.size()), all * 3 / 4);
  EXPECT_GE(int(shape.neighbor.size()), 10 * shape.count());
  for (int i = 0; i < shape.count(); ++i)
    for (int e = shape.first[size_t(i)]; e < shape.first[size_t(i) + 1]; ++e) {
      const int j = shape.neighbor[size_t(e)];
      const auto begin = shape.neighbor.begin() + shape.first[size_t(j)],
                 end = shape.neighbor.begin() + shape.first[size_t(j) + 1];
      EXPECT_TRUE(std::binary_search(begin, end, i));
    }
  ElasticDriver driver(body);
  const auto turned =
      mapped(vectors(body.position), [](const Vec3& p) { return moved_rigidly(p, 1, Vec3{}); });
  EXPECT_LT(greatest(driver.forces(turned)), 2e-5 * 1e6 * 0.05 * 0.05);
}

TEST(ElasticRestShape, RefusesWhatMakesNoSense) {
  auto refuses = [](const std::function<void(SoftBody&)>& spoil, const char* word) {
    SoftBody body = block();
    spoil(body);
    try {
      ElasticDriver driver(body);
      ADD_FAILURE() << word;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refuses([](SoftBody& b) { b.parameters.of<ElasticSphParameters>().materials[0].youngs_modulus = 0; },
          "youngsModulus");
  refuses([](SoftBody& b) { b.parameters.of<ElasticSphParameters>().materials[0].poisson_ratio = 0.5; },
          "poissonRatio");
  refuses([](SoftBody& b) { b.parameters.of<ElasticSphParameters>().materials[0].alpha = -1; }, "alpha");
  refuses([](SoftBody& b) { b.parameters.of<ElasticSphParameters>().smoothing_length_factor = 0.3; },
          "smoothingLengthFactor");
  refuses([](SoftBody& b) { b.parameters.of<ElasticSphParameters>().elastic_time_step = 0; },
          "elasticTimeStep");
  refuses([](SoftBody& b) { b.parameters.of<ElasticSphParameters>().materials.clear(); }, "no material");
  refuses([](SoftBody& b) { b.position[1] = b.position[0]; }, "position of another particle");
}

}  // namespace elastic_operator_test
MERGANSER_END
