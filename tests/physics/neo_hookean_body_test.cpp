/// Bodies of "material": "neoHookean": forces, steps, and strains that corotated bodies do not stand.
#include <gtest/gtest.h>

#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/elastic_beam.h"
#include "tests/support/elastic_block.h"
#include "tests/support/neo_hookean_reference.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace neo_hookean_body_test {

using namespace elastic_step_test;
using test::ElasticDriver;
using test::ElasticReference;
using test::neo_hookean_energy;
using test::precise;
using test::SoftBody;

SoftBody neo_hookean(SoftBody body) {
  body.parameters.of<ElasticSphParameters>().law = ElasticLaw::neo_hookean;
  return body;
}
ElasticReference::Positions gradient(const ElasticReference& reference, ElasticReference::Positions x,
                                     double step) {
  ElasticReference::Positions made(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      const double at = x[i][c];
      x[i][c] = at + step;
      const double plus = neo_hookean_energy(reference, x);
      x[i][c] = at - step;
      made[i][c] = (plus - neo_hookean_energy(reference, x)) / (2 * step);
      x[i][c] = at;
    }
  return made;
}

struct Forces {
  ElasticOperator elastic;
  ExactPositions at;
  Array<Vec3> force;
  Forces(const SoftBody& body, const ElasticDriver& driver, const std::vector<Vec3>& x)
      : elastic(driver.rest_shape, ZeroEnergyControl::implicit_energy, ElasticLaw::neo_hookean),
        at(0, int(body.position.size())),
        force(int(body.position.size())) {
    const Array<Vec3> given(x);
    at.set(given.const_view());
    elastic.find_forces(at.view(), ElasticEnergies::all, RotationsOf::new_step, 1, force.view());
    elastic.find_derivative();
  }
};

/// Anywhere in the block's box.
Vec3 body_point(int i) {
  const RandomBits bits = test_bits(i, 11);
  return {1 + 0.2f * uniform_float(bits.word[0]), -0.5f + 0.15f * uniform_float(bits.word[1]),
          0.3f + 0.1f * uniform_float(bits.word[2])};
}

/// Bent, flat and inside out.
std::vector<std::vector<Vec3>> shapes(const SoftBody& body) {
  const auto rest = test::vectors(body.position);
  return {test::mapped(rest, test::deformed),
          test::mapped(rest,
                       [](const Vec3& p) {
                         return Vec3{p.x, p.y, 0.3f};
                       }),
          test::mapped(rest, [](const Vec3& p) {
            return Vec3{1.1f * p.x, p.y, -0.8f * p.z};
          })};
}

TEST(NeoHookeanBody, EnergyAndForcesAreTheReferences) {
  const SoftBody body = neo_hookean(block(ElasticSolve::preconditioned));
  const ElasticDriver driver(body);
  const ElasticReference reference(body);
  for (const auto& x : shapes(body)) {
    Forces forces(body, driver, x);
    Reduction<double> sum;
    forces.elastic.sum_energy(forces.at.view(), sum);
    const double energy = neo_hookean_energy(reference, precise(x));
    EXPECT_NEAR(sum.read(), energy, 1e-5 * energy);
    const auto found = forces.force.to_host();
    const auto wanted = gradient(reference, precise(x), 1e-6);
    double error = 0, size = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      error = std::max(error, (Eigen::Vector3d(found[i].x, found[i].y, found[i].z) + wanted[i]).norm());
      size = std::max(size, wanted[i].norm());
    }
    EXPECT_LT(error, 1e-5 * size);  // float stresses
  }
}

/// u.K u is the second derivative of the energy along u where that is convex, and positive where it is not.
TEST(NeoHookeanBody, ProductIsTheSecondDerivativeMadePositive) {
  const SoftBody body = neo_hookean(block(ElasticSolve::preconditioned));
  const ElasticDriver driver(body);
  const ElasticReference reference(body);
  const auto curvature = [&](const std::vector<Vec3>& x, const std::vector<Vec3>& u) {
    Forces forces(body, driver, x);
    const Array<Vec3> direction(u);
    Array<Vec3> product(direction.size());
    forces.elastic.find_product(ElasticEnergies::all, {}, {}, direction.const_view(), -1.0f, product.view());
    const auto k = product.to_host();
    double sum = 0;
    for (size_t i = 0; i < u.size(); ++i) sum += dot(to_double(u[i]), to_double(k[i]));
    return sum;
  };
  const auto rest = test::vectors(body.position);
  // Stretched along all axes by a little, where no eigenvalue is negative.
  const auto stretched = test::mapped(rest, [](const Vec3& p) {
    return test::moved_rigidly({1.1f * p.x, 1.08f * p.y, 1.12f * p.z}, 0.9, {});
  });
  std::vector<Vec3> u;
  for (const Vec3& p : rest) u.push_back({std::sin(5 * p.y), std::cos(7 * p.z), std::sin(6 * p.x + p.y)});
  const auto energy = [&](double share) {
    auto x = precise(stretched);
    for (size_t i = 0; i < x.size(); ++i) x[i] += share * Eigen::Vector3d(u[i].x, u[i].y, u[i].z);
    return neo_hookean_energy(reference, x);
  };
  const double s = 1e-4, wanted = (energy(s) - 2 * energy(0) + energy(-s)) / (s * s);
  EXPECT_NEAR(curvature(stretched, u), wanted, 1e-4 * wanted);
  for (const auto& x : shapes(body)) EXPECT_GT(curvature(x, u), 0);
}

/// What a step leaves undone, by differences of the energy: no more than the tolerance allows. Bent by a lot
/// and moving; and inside out.
TEST(NeoHookeanBody, StepsSolveTheNonlinearEquations) {
  for (const ElasticSolve solve : {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient})
    for (const bool inverted : {false, true}) {
      const SoftBody body = neo_hookean(block(solve, 1e-4));
      const ElasticReference reference(body);
      ElasticDriver driver(body, gravity);
      disturb(driver);
      if (inverted) driver.store.position.assign(shapes(body)[2]);
      const auto x = driver.positions(), v = driver.velocities();
      const auto residual = [&](const std::vector<Vec3>& end) {
        auto at = precise(x);
        for (size_t i = 0; i < at.size(); ++i) at[i] += dt * Eigen::Vector3d(end[i].x, end[i].y, end[i].z);
        const auto slope = gradient(reference, at, 1e-6);
        double sum = 0;
        for (size_t i = 0; i < at.size(); ++i) {
          const Vec3 u = end[i] - v[i] - float(dt) * gravity;
          sum += (-dt * slope[i] - body.mass[i] * Eigen::Vector3d(u.x, u.y, u.z)).squaredNorm();
        }
        return std::sqrt(sum);
      };
      const StepContext step = driver.context(dt);
      driver.system->prepare(step);
      driver.system->integrate(step, MetaParticleView{}, 0, driver.end_velocity.view());
      EXPECT_TRUE(driver.system->tolerance_met());
      EXPECT_LT(residual(driver.end_velocity.to_host()), 1.2e-4 * residual(v));
    }
}

/// sum m |u|^2/2 - dt m g.u + E(x + dt (v + u)), which a step makes least, is not higher after it than at u =
/// 0: particles anywhere within the body, where full Newton steps go too far.
TEST(NeoHookeanBody, TheStepsPotentialNeverRises) {
  for (const double stiffness : {1e4, 1e6, 1e8}) {
    SoftBody body = neo_hookean(block(ElasticSolve::preconditioned, 1e-4));
    body.parameters.of<ElasticSphParameters>().materials[0].youngs_modulus = stiffness;
    const ElasticReference reference(body);
    ElasticDriver driver(body, gravity);
    auto heap = driver.positions();
    for (size_t i = 0; i < heap.size(); ++i) heap[i] = body_point(int(i));
    driver.store.position.assign(heap);
    for (int k = 0; k < 10; ++k) {
      const auto x = driver.positions(), v = driver.velocities();
      driver.step(dt);
      const auto end = driver.velocities();
      const auto potential = [&](bool moved) {
        auto at = precise(x);
        double sum = 0;
        for (size_t i = 0; i < at.size(); ++i) {
          const Vec3d to = to_double(moved ? end[i] : v[i]), u = to - to_double(v[i]);
          at[i] += dt * Eigen::Vector3d(to.x, to.y, to.z);
          sum += body.mass[i] * (0.5 * norm_squared(u) - dt * dot(to_double(gravity), u));
        }
        return sum + neo_hookean_energy(reference, at);
      };
      const double before = potential(false);
      EXPECT_LE(potential(true), before * (1 + 1e-6)) << "E " << stiffness << ", step " << k;
    }
  }
}

/// At small strains both materials are Hooke's: a beam under its weight sags alike.
TEST(NeoHookeanBody, SagsLikeACorotatedBeam) {
  double sag[2];
  for (const bool neo : {false, true}) {
    test::Beam beam(3, 9, 0.2, 3e7, 1000, ElasticSolve::automatic, dt);
    if (neo) beam.parameters.of<ElasticSphParameters>().law = ElasticLaw::neo_hookean;
    ElasticDriver driver(beam, {0, 0, -9.81f});
    test::settle(driver, dt, 150);
    sag[neo] = beam.sag(driver);
  }
  note("sag %g m, corotated %g m\n", sag[1], sag[0]);
  EXPECT_NEAR(sag[1], sag[0], 0.01 * sag[0]);
}

/// A cube pressed flat, turned inside out, and stretched to three times its length returns to its shape: all
/// distances to neighbors are those at rest.
TEST(NeoHookeanBody, ReturnsFromFlatInsideOutAndThreeTimesItsLength) {
  const auto map = [](int which) {
    return [which](const Vec3& p) {
      if (which == 0) return Vec3{p.x, p.y, 0.1f};
      if (which == 1) return Vec3{p.x, p.y, -p.z};
      return Vec3{3 * p.x, p.y, p.z};
    };
  };
  for (int which = 0; which < 3; ++which) {
    SoftBody body;
    auto& of_method = body.parameters.of<ElasticSphParameters>();
    of_method.law = ElasticLaw::neo_hookean;
    of_method.materials[0].youngs_modulus = 1e5;
    of_method.elastic_time_step = 5e-3;
    body.add_lattice(5, 5, 5);
    ElasticDriver driver(body);
    const auto rest = driver.positions();
    driver.store.position.assign(test::mapped(rest, map(which)));
    const double before = driver.present_energy();
    int iterations = 0;
    for (int k = 0; k < 300; ++k) {
      driver.step(5e-3);
      // Energies of positions in pairs of floats end some line searches early.
      EXPECT_LT(driver.system->statistics(driver.store).residual, MERGANSER_GPU_HALF ? 1e-3 : 1e-4 + 1e-12);
      iterations += driver.system->statistics(driver.store).iterations[0];
    }
    const auto x = driver.positions();
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const double length = norm(rest[i] - rest[j]);
        if (length < 0.08) worst = std::max(worst, std::abs(norm(x[i] - x[j]) / length - 1));
      }
    note("case %d: off by %g at the end, energy %g J of %g J, %g iterations a step\n", which, worst,
         driver.present_energy(), before, iterations / 300.0);
    EXPECT_LT(worst, 0.02);
    EXPECT_LT(driver.present_energy(), 1e-3 * before);
  }
}

TEST(NeoHookeanBody, SplitSolvesAreRefused) {
  const SoftBody body = neo_hookean(block(ElasticSolve::split));
  EXPECT_THROW(ElasticDriver refused(body), InputError);
}

}  // namespace neo_hookean_body_test
MERGANSER_END
