/// The matrix of implicit viscosity against a dense one in double precision, and what its solve keeps.
#include "solvers/methods/fluid/forces/implicit_viscosity.h"

#include <gtest/gtest.h>

#include "tests/support/dense_algebra.h"
#include "tests/support/note.h"
#include "tests/support/packed_cloud.h"
#include "tests/support/reference.h"

MERGANSER_BEGIN
namespace implicit_viscosity_test {

using namespace forces_test;

constexpr float spacing = 0.02f, h = 1.2f * spacing, dt = 2e-3f;
const std::vector<WallParameters> moving_floor = {{.shape = WallShape::plane,
                                                   .point = {0, 0, 0},
                                                   .direction = {0, 0, 1},
                                                   .velocity = {0.3, -0.1, 0},
                                                   .no_slip = true}};

FluidForcesParameters honey(double tolerance) {
  FluidForcesParameters parameters;
  parameters.implicit_viscosity = 800;
  parameters.wall_viscosity = 300;
  parameters.viscosity_tolerance = tolerance;
  return parameters;
}
/// For the particles of a cloud.
struct Solver : ImplicitViscosity {
  Solver(const PackedCloud& cloud, const FluidForcesParameters& parameters)
      : ImplicitViscosity(parameters, cloud.density0, float(cloud.mass()), cloud.h) {
    change().resize(cloud.count());
  }
};

/// 1 - dt (mu/rho) lap and what the moving floor adds to the right side, written as in the source.
struct Dense {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd wall_part;
  Dense(const PackedCloud& cloud, const FluidForcesParameters& parameters, bool floor) {
    const auto n = Eigen::Index(cloud.position.size());
    matrix = Eigen::MatrixXd::Identity(3 * n, 3 * n);
    wall_part = Eigen::VectorXd::Zero(3 * n);
    const CubicSpline<double> kernel(cloud.h);
    const CentralViscosity weights(spacing, cloud.h);
    for (size_t i = 0; i < cloud.position.size(); ++i) {
      const double rho = cloud.density(i);
      const auto at = [](size_t k) { return 3 * Eigen::Index(k); };
      cloud.for_each_neighbor(i, [&](size_t j, const Vec3d& d, double r) {
        const double factor = dt * parameters.implicit_viscosity / rho * cloud.density0 / cloud.density(j) *
                              double(weights.weight(float(r)));
        const Eigen::Vector3d x(d.x, d.y, d.z);
        matrix.block<3, 3>(at(i), at(i)) += factor * x * x.transpose();
        matrix.block<3, 3>(at(i), at(j)) -= factor * x * x.transpose();
      });
      const double d = cloud.position[i].z;
      if (!floor || d >= 2 * cloud.h) continue;
      const double share =
          -2 * dt * parameters.wall_viscosity / rho * slope_behind(kernel, d) / std::max(d, 0.25 * cloud.h);
      matrix(at(i), at(i)) += share;
      matrix(at(i) + 1, at(i) + 1) += share;
      wall_part[at(i)] += share * 0.3;
      wall_part[at(i) + 1] -= share * 0.1;
    }
  }
  /// lambda'(d) = -2 pi int_d^2h W r dr by the midpoint rule.
  static double slope_behind(const CubicSpline<double>& kernel, double d) {
    const double end = 2 / kernel.inverse_h, width = (end - d) / 4000;
    double sum = 0;
    for (int k = 0; k < 4000; ++k) {
      const double r = d + (k + 0.5) * width;
      sum -= 2 * sph_pi * kernel.value(r) * r * width;
    }
    return sum;
  }
};

Eigen::VectorXd to_eigen(const std::vector<Vec3>& a) {
  Eigen::VectorXd made(3 * Eigen::Index(a.size()));
  for (size_t i = 0; i < a.size(); ++i) made.segment<3>(3 * Eigen::Index(i)) << a[i].x, a[i].y, a[i].z;
  return made;
}

// Diagonal blocks are near 100 here. Float sums of some 60 pairs are good to 1e-6 of that, and the table of
// the wall's share to 2e-4 of the wall's part.
TEST(ImplicitViscosity, MatrixEqualsADenseOneAndIsSymmetric) {
  PackedCloud cloud(jittered_lattice(6, 5, 5, spacing, 0.3f), spacing, h, 0.1f, moving_floor);
  const auto parameters = honey(1e-3);
  const Dense dense(cloud, parameters, true);
  Solver viscosity(cloud, parameters);
  const auto x = random_points(cloud.count(), 2, 4), y = random_points(cloud.count(), 2, 5);
  Array<Vec3> device_x(x), device_y(y), product(cloud.count());
  const PackedFluid fluid = cloud.fluid();
  viscosity.prepare(fluid, dt, device_x.const_view());
  const auto times = [&](const Array<Vec3>& vector) {
    viscosity.matrix(fluid).multiply({}, vector.const_view(), product.view());
    return to_eigen(product.to_host());
  };
  const Eigen::VectorXd ax = times(device_x), ay = times(device_y);
  const Eigen::VectorXd expected = test::product(dense.matrix, to_eigen(x));
  EXPECT_GT(expected.lpNorm<Eigen::Infinity>(), 20);  // viscosity acts
  EXPECT_LT((ax - expected).lpNorm<Eigen::Infinity>(), 5e-5 * expected.lpNorm<Eigen::Infinity>());
  EXPECT_NEAR(to_eigen(y).dot(ax), to_eigen(x).dot(ay), 1e-5 * to_eigen(y).norm() * ax.norm());
  EXPECT_LT((dense.matrix - dense.matrix.transpose()).lpNorm<Eigen::Infinity>(), 1e-9);
}

// |v - v_exact| <= |residual| over the least eigenvalue, 1, plus what rounding adds.
TEST(ImplicitViscosity, SolveEqualsADenseOne) {
  PackedCloud cloud(jittered_lattice(6, 5, 5, spacing, 0.3f), spacing, h, 0.1f, moving_floor);
  const auto parameters = honey(1e-6);
  const Dense dense(cloud, parameters, true);
  const auto start = random_points(cloud.count(), 2, 4);
  Array<Vec3> velocity(start);
  Solver viscosity(cloud, parameters);
  viscosity.apply(cloud.fluid(), dt, velocity.view());
  const Eigen::VectorXd expected = test::solution(dense.matrix, to_eigen(start) + dense.wall_part);
  EXPECT_TRUE(viscosity.last_solve().tolerance_met);
  const int cold = viscosity.last_solve().iterations;
  const Eigen::VectorXd found = to_eigen(velocity.to_host());
  EXPECT_GT((found - to_eigen(start)).norm(), 0.5 * to_eigen(start).norm());
  EXPECT_LT((found - expected).lpNorm<Eigen::Infinity>(), 1e-4);
  // The next solve starts from what the last one changed.
  velocity.assign(start);
  viscosity.apply(cloud.fluid(), dt, velocity.view());
  EXPECT_LT(3 * viscosity.last_solve().iterations, cold);
  EXPECT_LT((to_eigen(velocity.to_host()) - expected).lpNorm<Eigen::Infinity>(), 1e-4);
}

// However loose the tolerance is: velocities are v* plus pair forces. 250 terms of size 1 rounded at 6e-8,
// multiplied by up to 100 in products.
TEST(ImplicitViscosity, MomentumAndAngularMomentumStay) {
  PackedCloud cloud(jittered_lattice(8, 8, 4, spacing, 0.3f), spacing, h, 0.1f);
  const auto start = random_points(cloud.count(), 2, 4);
  for (double tolerance : {0.1, 1e-4}) {
    Array<Vec3> velocity(start);
    Solver viscosity(cloud, honey(tolerance));
    viscosity.apply(cloud.fluid(), dt, velocity.view());
    const Momenta before = momenta(cloud, start), after = momenta(cloud, velocity.to_host());
    EXPECT_LT(norm(after.linear - before.linear), 2e-4) << tolerance;
    EXPECT_LT(norm(after.angular - before.angular), 3e-5) << tolerance;
  }
}

/// A periodic box of 9 spacings across and `across` along x and z, and what is left of a velocity field
/// there, its projection on the start.
struct DecayingField {
  PackedCloud cloud;
  Solver viscosity;
  std::vector<Vec3> start;
  Array<Vec3> velocity;

  template <class Field>
  DecayingField(double nu, int across, float h_over_spacing, float jitter, const Field& field)
      : cloud(jittered_lattice(across, 9, across, spacing, jitter), spacing, h_over_spacing * spacing, 0, {},
              Vec3{float(across), 9, float(across)} * spacing),
        viscosity(cloud, fluid(nu * cloud.density0)) {
    for (const Vec3d& x : cloud.position)
      start.push_back(to_float(field(x * (2 * sph_pi / (across * double(spacing))))));
    velocity.assign(start);
  }
  static FluidForcesParameters fluid(double mu) {
    FluidForcesParameters parameters;
    parameters.implicit_viscosity = mu;
    parameters.viscosity_tolerance = 1e-5;
    return parameters;
  }
  double after(int steps, double step) {
    for (int k = 0; k < steps; ++k) viscosity.apply(cloud.fluid(), float(step), velocity.view());
    const auto end = velocity.to_host();
    double left = 0, whole = 0;
    for (size_t i = 0; i < end.size(); ++i) {
      left += dot(to_double(end[i]), to_double(start[i]));
      whole += norm_squared(to_double(start[i]));
    }
    return left / whole;
  }
};
Vec3d shear_wave(const Vec3d& x) { return {std::sin(x.z), 0, 0}; }
Vec3d taylor_green(const Vec3d& x) {
  return {-std::cos(x.x) * std::sin(x.z), 0, std::sin(x.x) * std::cos(x.z)};
}

/// Rate at which the wave decays on the lattice of spacing 1, over nu k^2.
double lattice_rate(int across, double h_over_spacing) {
  const CentralViscosity central(1, h_over_spacing);
  const double k = 2 * sph_pi / across;
  const int reach = static_cast<int>(2 * h_over_spacing) + 1;
  double rate = 0;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z)
        rate += central.weight(std::sqrt(float(x * x + y * y + z * z))) * x * x * (1 - std::cos(k * z));
  return rate / (k * k);
}

// exp(-nu k^2 t) after one decay time in 200 steps. Backward Euler errs by nu k^2 dt/2 = 0.25 %. Particles
// off their lattice have the same viscosity. (Displaced at random by 0.3 spacings, more than in fluids, 0.90
// of it with h of one spacing, 0.97 with 1.5.)
TEST(ImplicitViscosity, ShearWaveDecaysAsItShould) {
  const double nu = 0.3, k = 2 * sph_pi / (20 * double(spacing)), time = 1 / (nu * k * k);
  for (const float factor : {1.0f, 1.2f, 1.5f})
    for (const float jitter : {0.0f, 0.1f}) {
      DecayingField wave(nu, 20, factor, jitter, shear_wave);
      const double rate = -std::log(wave.after(200, time / 200)), expected = lattice_rate(20, factor);
      note("h = %.1f spacings, jitter %.1f: decays at %.4f nu k^2, on the lattice %.4f\n", factor, jitter,
           rate, expected);
      if (jitter == 0) {
        EXPECT_NEAR(rate, expected, 0.005);
      }
      EXPECT_NEAR(rate, 1, 0.05);
    }
}
// Within 5 % of exp(-2 nu k^2 t) of the Taylor-Green vortex (shared/reference/taylor_green_2d_decay.csv: 10 %
// at this size).
TEST(ImplicitViscosity, TaylorGreenVortexDecaysAsItShould) {
  MERGANSER_REFERENCE_OR_SKIP(decay, "taylor_green_2d_decay.csv");
  const double length = 24 * double(spacing), nu = length / 10;  // U = 1, Re = 10
  DecayingField vortex(nu, 24, 1.5f, 0.3f, taylor_green);
  const double left = vortex.after(100, 0.1 * length / 100), expected = decay[1][1];  // t U/L = 0.1
  note("largest speed %.4f, exactly %.4f\n", left, expected);
  EXPECT_NEAR(std::log(left), std::log(expected), -0.05 * std::log(expected));
}
// One step of 50 decay times is stable: backward Euler leaves 1/51 of the wave.
TEST(ImplicitViscosity, AnyStepIsStable) {
  const double nu = 1, k = 2 * sph_pi / (20 * double(spacing)), time = 50 / (nu * k * k);
  const double expected = 1 / (1 + 50 * lattice_rate(20, 1.5));
  EXPECT_NEAR(DecayingField(nu, 20, 1.5f, 0, shear_wave).after(1, time), expected, 0.005 * expected);
}

}  // namespace implicit_viscosity_test
MERGANSER_END
