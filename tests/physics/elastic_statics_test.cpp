/// Elastic SPH at rest beside closed forms: a cantilever, the elastica, a bar that is gripped and stretched.
///
/// Bars are held at the centres of the last held layer, so lengths count from there. The held layers stand as
/// the theory's section does: its root is bent and contracts, which a flat clamp would not let it (a flat one
/// makes a cantilever of 8 thicknesses 0.3, 1.3 and 2.3 % stiffer at nu = 0.2, 0.33 and 0.4).
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/beam_theory.h"
#include "tests/support/elastic_beam.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace elastic_statics_test {

using test::Beam;
using test::BeamTheory;
using test::ElasticDriver;
using test::SoftBody;

constexpr double side = 1, young = 1e6, density = 1000;

/// Bends the held layers of a beam to a curvature kappa [1/m]: u_x = kappa x z, u_y = -nu kappa y z,
/// u_z = -kappa (x^2 + nu (z^2 - y^2))/2 about the centre of the last one.
void bend_root(const Beam& beam, double kappa, double nu, ElasticDriver& driver) {
  const double d = side / beam.across, middle = 0.5 * (beam.across - 1) * d;
  auto positions = driver.positions();
  for (size_t i = 0; i < positions.size(); ++i) {
    if (!beam.immobile[i]) continue;
    const Vec3d p = to_double(positions[i]) - Vec3d{2 * d, middle, middle};
    const Vec3d u{kappa * p.x * p.z, -nu * kappa * p.y * p.z,
                  -0.5 * kappa * (p.x * p.x + nu * (p.z * p.z - p.y * p.y))};
    positions[i] = to_float(to_double(positions[i]) + u);
  }
  driver.store.position.assign(positions);
}

/// Sag of the end at rest [m]. Steps are 1/80 of the first period, 6.19 L^2/(h sqrt(E/rho)); velocities are
/// taken off at each peak of the kinetic energy, which is where the first mode is at rest.
double static_sag(int n, int slenderness, double nu, double gravity, double root_curvature) {
  const double period = 6.19 * slenderness * slenderness * side / std::sqrt(young / density);
  const double dt = period / 80;
  Beam beam(n, slenderness * n, side, young, density, ElasticSolve::preconditioned, dt);
  beam.parameters.of<ElasticSphParameters>().materials[0].poisson_ratio = nu;
  ElasticDriver driver(beam, {0, 0, float(-gravity)});
  bend_root(beam, root_curvature, nu, driver);
  double before = 0, now = 1;
  for (int block = 0; block < 20 && std::abs(now - before) > 2e-4 * std::abs(now); ++block) {
    before = now;
    test::settle(driver, dt, 60);
    now = beam.sag(driver);
  }
  return now;
}

BeamTheory theory_of(int n, int slenderness, double nu) {
  const double length = (slenderness + 0.5 / n) * side;
  return {length, side, young, nu, 1};
}

/// Sag over Timoshenko's. The end sinks by half a percent of the length.
double cantilever(int n, double nu, int slenderness = 8) {
  BeamTheory theory = theory_of(n, slenderness, nu);
  theory.weight = 0.005 * theory.length / theory.small_sag();
  const double ratio = static_sag(n, slenderness, nu, theory.weight / (density * theory.area()),
                                  theory.small_root_curvature()) /
                       theory.small_sag();
  note("cantilever, nu %.2f, %d across: %.4f of Timoshenko's sag\n", nu, n, ratio);
  return ratio;
}

/// Sag over that of the exact beam with Gamma = q L^3/(E I) = 2.
double elastica(int n, double nu, int slenderness = 20) {
  BeamTheory theory = theory_of(n, slenderness, nu);
  theory.weight = 2 * theory.bending() / std::pow(theory.length, 3);
  const BeamTheory::Bent bent = theory.bend();
  const double ratio =
      static_sag(n, slenderness, nu, theory.weight / (density * theory.area()), bent.root_curvature) /
      bent.sag;
  note("elastica, nu %.2f, %d across: %.4f of the exact beam's sag, %.4f of the length\n", nu, n, ratio,
       bent.sag / theory.length);
  return ratio;
}

/// The reference's own: without shear and stretch it is Euler's elastica, drop/L = 0.2385 for Gamma = 2; with
/// a small load it is Timoshenko's beam.
TEST(ElasticStatics, ReferenceIsTheElastica) {
  BeamTheory slender{100, 0.1, young, 0.3, 0};
  slender.weight = 2 * slender.bending() / 1e6;
  EXPECT_NEAR(slender.bend().sag / 100, 0.2385, 1e-4);
  BeamTheory stout{8, 1, young, 0.3, 0};
  stout.weight = 1e-5 * stout.bending();
  EXPECT_NEAR(stout.bend().sag / stout.small_sag(), 1, 1e-4);
}

/// The section's stiffness is short or long by an order of 1/n^2: 1.7 % with four particles across, below
/// 1 % with six, whatever Poisson's ratio but nearly none of it.
TEST(ElasticStatics, CantileverSagsAsTimoshenkoSays) {
  for (const double nu : {0.2, 0.4}) {
    const double coarse = std::abs(cantilever(4, nu) - 1), fine = std::abs(cantilever(6, nu) - 1);
    EXPECT_LT(coarse, 0.025) << nu;
    EXPECT_LT(fine, 0.01) << nu;
    EXPECT_LT(fine, coarse) << nu;
  }
}

/// nu = 0 needs eight across: its sections do not contract, and the control stiffens them by 1.8 % with six.
TEST(ElasticStaticsSlow, CantileverConverges) {
  for (const double nu : {0.0, 0.2, 0.33, 0.4}) {
    double last = 1;
    for (const int n : {4, 6, 8, 10}) {
      const double error = std::abs(cantilever(n, nu) - 1);
      EXPECT_LT(error, n >= (nu > 0 ? 6 : 8) ? 0.01 : 0.05) << nu << ", " << n << " across";
      // Errors of a few parts in a thousand change their sign with n.
      EXPECT_LT(error, std::max(last, 0.005)) << nu << ", " << n << " across";
      last = error;
    }
  }
}

TEST(ElasticStatics, ElasticaUnderItsOwnWeight) { EXPECT_NEAR(elastica(4, 0.33), 1, 0.01); }

TEST(ElasticStaticsSlow, ElasticaConverges) {
  for (const double nu : {0.2, 0.33, 0.4})
    for (const int n : {4, 6, 8})
      EXPECT_NEAR(elastica(n, nu), 1, n == 4 ? 0.02 : 0.01) << nu << ", " << n << " across";
}

struct Stretched {
  double contraction, force;  ///< over nu, and over E A strain
};

/// A bar of 8 thicknesses whose three outer layers on either side are gripped and drawn apart by 1 %. Strains
/// are read within one thickness about the middle, as of a test piece.
Stretched stretched(int n, double nu) {
  const int layers = 8 * n + 6;
  const double d = side / n, middle = 0.5 * (layers - 1) * d, strain = 0.01;
  SoftBody bar;
  auto& parameters = bar.parameters.of<ElasticSphParameters>();
  parameters.materials[0] = {.body = 0, .spacing = d, .youngs_modulus = young, .poisson_ratio = nu};
  // A quarter of the slowest wave's period along the bar in ten steps.
  const double dt = 0.1 * middle / std::sqrt(young / density);
  parameters.elastic_time_step = dt;
  parameters.solve = ElasticSolve::preconditioned;
  const float corner = float(-0.5 * side + 0.5 * d);
  bar.add_lattice(layers, n, n, {float(-middle), corner, corner});
  const auto end_of = [&](size_t i) {
    return int(i) % layers < 3 ? -1 : int(i) % layers >= layers - 3 ? 1 : 0;
  };
  for (size_t i = 0; i < bar.position.size(); ++i) bar.immobile[i] = end_of(i) != 0;
  ElasticDriver driver(bar);
  const auto rest = driver.positions();
  auto start = rest;
  for (size_t i = 0; i < start.size(); ++i) start[i].x += float(strain * (middle - 2 * d) * end_of(i));
  driver.store.position.assign(start);
  test::settle(driver, dt, 200);
  const auto x = driver.positions(), force = driver.forces(x);
  double along = 0, along_rest = 0, across = 0, across_rest = 0, pull = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (end_of(i) > 0) pull -= force[i].x;
    if (std::abs(rest[i].x) > 0.5 * side) continue;
    const Vec3d from = to_double(rest[i]), u = to_double(x[i]) - from;
    along += u.x * from.x, along_rest += from.x * from.x;
    across -= u.y * from.y + u.z * from.z, across_rest += from.y * from.y + from.z * from.z;
  }
  const double measured = along / along_rest;
  return {across / across_rest / (nu * measured), pull / (young * side * side * measured)};
}

/// It contracts by nu times what it is stretched by, and pulls with E A strain, at any resolution.
TEST(ElasticStatics, GrippedBarContractsAndPulls) {
  for (const int n : {4, 6})
    for (const double nu : {0.2, 0.4}) {
      const Stretched found = stretched(n, nu);
      note("gripped bar, nu %.2f, %d across: contraction %.4f of nu, force %.4f of E A strain\n", nu, n,
           found.contraction, found.force);
      EXPECT_NEAR(found.contraction, 1, 0.002) << nu << ", " << n << " across";
      EXPECT_NEAR(found.force, 1, 0.002) << nu << ", " << n << " across";
    }
}

}  // namespace elastic_statics_test
MERGANSER_END
