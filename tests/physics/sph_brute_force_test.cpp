/// Density and acceleration of a disordered fluid between walls against the written formulas, summed over all
/// pairs in double; and the two ways to walk the pairs against each other.
#include <gtest/gtest.h>

#include "device/random.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/fluid/masked_sum.h"
#include "solvers/methods/sph/acceleration.h"
#include "solvers/methods/sph/density.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace sph_brute_force_test {

using namespace sph_test;

double uniform(int particle, unsigned word) {
  return uniform_float(random_draw(11, RandomPurpose::test, static_cast<unsigned>(particle), 0, word / 4)
                           .word[word % 4]) -
         0.5;
}

/// 9 x 8 x 7 particles, jittered by a quarter spacing, random velocities of 1 m/s, one far outlier.
InitialState disordered_fluid() {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.name = "fluid";
  fluid.fluid.particle_radius = 0.05;
  fluid.parameters.of<SphParameters>().sound_speed = 20;
  add_block(fluid, {0, 0, 0}, 9, 8, 7);
  for (size_t i = 0; i < fluid.position.size(); ++i)
    for (unsigned c = 0; c < 3; ++c) {
      fluid.position[i][c] += static_cast<float>(0.05 * uniform(int(i), c));
      fluid.velocity[i][c] = static_cast<float>(2 * uniform(int(i), 4 + c));
    }
  add_particle(fluid, {7, 3, 1e4});
  return state;
}

/// All particles of the store, in double.
struct Cloud {
  std::vector<Vec3d> x, v;
  explicit Cloud(const ParticleStore& store) {
    for (const Vec3& p : store.position.to_host()) x.push_back(to_double(p));
    for (const Vec3& p : store.velocity.to_host()) v.push_back(to_double(p));
  }
};

/// A side wall z = 0 and a wall x = 0 that moves, with the shares of wall_fill.h in closed form of the
/// table.
struct NearWall {
  Vec3d normal, velocity;
  double distance, fraction, slope;
};
template <class Kernel>
std::vector<NearWall> near_walls(const InitialState& state, const Kernel& kernel, double h, const Vec3d& x) {
  std::vector<NearWall> near;
  for (const WallParameters& wall : state.walls) {
    const Vec3d n{wall.direction[0], wall.direction[1], wall.direction[2]};
    const double d = dot(x, n);
    if (d >= 2 * h) continue;
    double fraction = 0, slope = 0;  // lambda = int_d^2h A dz, lambda' = -A(d), A(z) = 2 pi int_z^2h W r dr
    const int cells = 400;
    const double width = (2 * h - d) / cells;
    for (int k = cells; k > 0; --k) {
      const double r = d + (k - 0.5) * width, add = 2 * sph_pi * kernel.value(std::abs(r)) * r * width;
      fraction += width * (slope + 0.5 * add);
      slope += add;
    }
    near.push_back({n, {wall.velocity[0], wall.velocity[1], wall.velocity[2]}, d, fraction, -slope});
  }
  return near;
}

/// By summation a wall adds Lambda = L (lambda/lambda_h)^n, with at half a spacing from a plane the density L
/// and twice the slope of a lattice behind it (wall_density.h).
template <class Kernel>
void steepen(std::vector<NearWall>& near, const Kernel& kernel, double h, double spacing) {
  InitialState plane;
  plane.walls.push_back({.shape = WallShape::plane, .direction = {0, 0, 1}});
  const NearWall half = near_walls(plane, kernel, h, Vec3d{0, 0, 0.5 * spacing})[0];
  const double V = std::pow(spacing, 3), shift = 1e-4 * spacing;
  double layers = 0, further = 0;
  for (int x = -5; x <= 5; ++x)
    for (int y = -5; y <= 5; ++y)
      for (int z = 1; z <= 5; ++z) {
        layers += V * kernel.value(spacing * std::sqrt(double(x * x + y * y + z * z)));
        further += V * kernel.value(norm(Vec3d{x * spacing, y * spacing, z * spacing + shift}));
      }
  const double n = 2 * (further - layers) / shift / layers * half.fraction / half.slope;
  for (NearWall& wall : near) {
    if (!(wall.fraction > 0)) continue;
    const double steep = layers * std::pow(wall.fraction / half.fraction, n);
    wall.slope *= n * steep / wall.fraction;
    wall.fraction = steep;
  }
}

class SphBruteForce : public testing::Test {
 protected:
  void SetUp() override {
    state.walls.push_back({.shape = WallShape::plane, .direction = {0, 0, 1}, .no_slip = true});
    state.walls.push_back({.shape = WallShape::plane, .direction = {1, 0, 0}, .velocity = {0.3, 0.2, -0.1}});
    state.gravity = {1, -2, -9};
  }
  /// Largest error of `found` against `expected`, over the largest value expected.
  static double relative_error(const std::vector<Vec3d>& found, const std::vector<Vec3d>& expected) {
    double error = 0, scale = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      error = std::max(error, norm(found[i] - expected[i]));
      scale = std::max(scale, norm(expected[i]));
    }
    return error / scale;
  }
  template <class Kernel>
  void check(const Kernel& kernel);

  InitialState state = disordered_fluid();
};

/// One prepare() with density_lag 0 starts from rho0; a second one after finish() with dt advances the
/// density. Between them particles keep their velocities, so the mean over T = 20 h/c of their acceleration g
/// has become g T/(T + dt). Accelerations come back through integrate() over 1 s as v_hat - v - g.
template <class Kernel>
void SphBruteForce::check(const Kernel& kernel) {
  const SphParameters& p = state.systems[0].parameters.of<SphParameters>();
  const FluidParameters& fluid = state.systems[0].fluid;
  const double spacing = 2 * fluid.particle_radius, h = spacing * p.smoothing_length_factor,
               V = std::pow(spacing, 3);
  const double m = fluid.density0 * V, c = p.sound_speed, dt = 1e-3;
  const Vec3d g{state.gravity[0], state.gravity[1], state.gravity[2]};
  const double drift = dt / (20 * h / c + dt);  // of g
  Driver driver(state);
  StepContext step = driver.context(dt);
  driver.end_velocity.resize(driver.store.count());
  driver.system->prepare(step);
  driver.system->finish(step, driver.end_velocity.const_view());
  driver.system->prepare(step);
  StepContext one_second =
      driver.context(1);  // the velocity change is then the acceleration, without loss of digits
  driver.system->integrate(one_second, MetaParticleView{}, 0, driver.end_velocity.view());

  const Cloud cloud(driver.store);
  const CentralViscosity weights(spacing, h);
  const size_t n = cloud.x.size();
  const auto density = driver.field("density");
  const auto end = driver.end_velocity.to_host();
  const bool summation = p.density == DensityMethod::summation;
  std::vector<Vec3d> rho_found, rho_expected, a_found, a_expected;
  std::vector<double> e(n), P(n);
  for (size_t i = 0; i < n; ++i) {
    double sum = 0, open = 1, wall_rate = 0, diffused = 0, among = 0;
    auto near = near_walls(state, kernel, h, cloud.x[i]);
    if (summation) steepen(near, kernel, h, spacing);
    for (const NearWall& wall : near) {
      open *= 1 - wall.fraction;
      const double speed = dot(cloud.v[i] - wall.velocity, wall.normal);
      double slope = 0;
      for (const NearWall& there : near_walls(state, kernel, h, cloud.x[i] - 0.5 * dt * speed * wall.normal))
        if (dot(there.normal, wall.normal) > 0.99) slope = there.slope;
      wall_rate += speed * slope / (1 - wall.fraction);
    }
    for (size_t j = 0; j < n; ++j) {
      const Vec3d d = cloud.x[i] - cloud.x[j], u = cloud.v[i] - cloud.v[j], half_way = d - 0.5 * dt * u;
      const double factor = kernel.gradient_factor(norm(half_way));
      sum += summation ? kernel.value(norm(d)) : factor * dot(u, half_way);
      diffused -= factor * 2 * p.density_diffusion * h * c * drift * dot(g, d) / (c * c);
      among -= V * factor * norm_squared(half_way) / 3;
    }
    const double rate = V * sum + open * wall_rate;
    e[i] = summation ? V * sum + (1 - open) - 1 : dt * (rate + V * diffused);
    rho_found.push_back({density[i] / fluid.density0 - 1, 0, 0});
    rho_expected.push_back({e[i], 0, 0});
    const double pressure = p.equation_of_state == EquationOfStateKind::tait
                                ? fluid.density0 * c * c / p.gamma * (std::pow(1 + e[i], p.gamma) - 1)
                                : fluid.density0 * c * c * e[i];
    P[i] = (p.allow_tension ? pressure : std::max(pressure, 0.0)) / std::pow(fluid.density0 * (1 + e[i]), 2);
    if (!summation) P[i] += p.acoustic_damping * h * c / fluid.density0 * std::min(1.0, among / open) * rate;
  }
  // Linear interpolation in the table of wall shares errs by up to 1e-5, the frame field's rho0 (1 + e) by
  // 6e-8 of 1.
  EXPECT_LT(relative_error(rho_found, rho_expected), 5e-5);

  for (size_t i = 0; i < n; ++i) {
    Vec3d a{0, 0, 0}, viscous{0, 0, 0};
    for (size_t j = 0; j < n; ++j) {
      const Vec3d d = cloud.x[i] - cloud.x[j], u = cloud.v[i] - cloud.v[j];
      const double r2 = norm_squared(d), F = kernel.gradient_factor(std::sqrt(r2));
      a -= m * (P[i] + P[j]) * F * d;
      if (p.viscosity_model == ViscosityModel::artificial)
        a += p.viscosity * h * c * V * std::min(0.0, dot(u, d)) / (r2 + 0.01 * h * h) * F * d;
      if (p.viscosity_model == ViscosityModel::laminar)
        viscous -= p.viscosity * double(weights.weight(float(std::sqrt(r2)))) * dot(u, d) * d;
    }
    const double nu = p.viscosity_model == ViscosityModel::laminar      ? p.viscosity
                      : p.viscosity_model == ViscosityModel::artificial ? p.viscosity * h * c / 10
                                                                        : 0;
    const auto plain = near_walls(state, kernel, h, cloud.x[i]);
    auto near = plain;
    if (summation) steepen(near, kernel, h, spacing);
    double open = 1;
    for (const NearWall& wall : near) open *= 1 - wall.fraction;
    for (size_t k = 0; k < near.size(); ++k) {
      const NearWall& wall = near[k];
      const double push = summation ? 1 : 2 * (1 + e[i]);
      a -= push * P[i] * fluid.density0 * wall.slope * open / (1 - wall.fraction) * wall.normal;
      const Vec3d u = cloud.v[i] - wall.velocity;
      if (wall.normal.z > 0)  // the one with no slip
        viscous += 2 * nu * plain[k].slope / std::max(wall.distance, 0.25 * h) *
                   (u - dot(u, wall.normal) * wall.normal);
    }
    for (const NearWall& wall : near) {
      if (summation) break;  // what walls add to densities says how they push
      const Vec3d across = dot(a, wall.normal) * wall.normal;
      a = across / (1 - wall.fraction + wall.distance * wall.slope) + (a - across) / (1 - wall.fraction);
    }
    a_expected.push_back(a + viscous);
    a_found.push_back(to_double(end[i]) - cloud.v[i] - g);
  }
  // The same errors, times the stiffness of the pressure.
  EXPECT_LT(relative_error(a_found, a_expected), 3e-4);
}

TEST_F(SphBruteForce, ContinuityWendlandArtificialViscosity) { check(WendlandC2<double>(0.12)); }
TEST_F(SphBruteForce, ContinuityCubicLaminar) {
  SphParameters& p = state.systems[0].parameters.of<SphParameters>();
  p.kernel = SphKernel::cubic_spline;
  p.viscosity_model = ViscosityModel::laminar;
  p.equation_of_state = EquationOfStateKind::linear;
  p.allow_tension = true;
  check(CubicSpline<double>(0.12));
}
TEST_F(SphBruteForce, SummationCubicNoViscosity) {
  SphParameters& p = state.systems[0].parameters.of<SphParameters>();
  p.kernel = SphKernel::cubic_spline;
  p.density = DensityMethod::summation;
  p.viscosity_model = ViscosityModel::none;
  p.allow_tension = true;
  check(CubicSpline<double>(0.12));
}
TEST_F(SphBruteForce, SummationWendlandLargerSupport) {
  SphParameters& p = state.systems[0].parameters.of<SphParameters>();
  p.smoothing_length_factor = 2;
  p.density = DensityMethod::summation;
  check(WendlandC2<double>(0.2));
}

/// Pairs walked by cells (CPU) and one particle at a time (GPU): the same terms, so the same sums but for
/// rounding.
TEST(SphNeighborSum, BothWalksAgree) {
  InitialState state = disordered_fluid();
  state.systems[0].position.pop_back();
  for (int copies = 0; copies < 3;
       ++copies)  // cells beyond one block of particles and one buffer of candidates
    for (int i = 0; i < 500; ++i) state.systems[0].position.push_back(state.systems[0].position[size_t(i)]);
  std::vector<Vec3> points;
  for (const Float3& x : state.systems[0].position) points.push_back({x[0], x[1], x[2]});
  Array<Vec3> position(points);
  UniformGrid grid;
  const float h = 0.2f;
  grid.build(position.const_view(), 2 * h);
  const auto order = to_host(grid.order());
  std::vector<Quad> packed(points.size()), velocity(points.size());
  for (size_t k = 0; k < order.size(); ++k) {
    const int i = order[k];
    packed[k] = {points[size_t(i)].x, points[size_t(i)].y, points[size_t(i)].z, float(0.01 * uniform(i, 9))};
    velocity[k] = {float(uniform(i, 4)), float(uniform(i, 5)), float(uniform(i, 6)), float(uniform(i, 7))};
  }
  Array<Quad> packed_position(packed), packed_velocity(velocity);
  Array<Vec3> sorted(int(points.size()));
  const SphParticles particles{packed_position.view(), packed_velocity.view()};
  Array<float> compression(sorted.size());
  const WallVolumeMap fill(WendlandC2<double>(1), h);
  using Term = SphAcceleration<WendlandC2<float>, ViscosityModel::laminar>;
  auto run = [&](auto sum_tag) {
    Array<Vec3> acceleration(sorted.size());
    const Term term{.kernel = WendlandC2<float>(h),
                    .mass = 1,
                    .pair_viscosity = 1,
                    .central = {h, h},
                    .softening = 0,
                    .wall_viscosity = 0,
                    .least_wall_distance = 1,
                    .density0 = 1,
                    .compression = compression.const_view(),
                    .walls = {},
                    .fill = fill.view(),
                    .of_walls = {},
                    .acceleration = acceleration.view()};
    using Sum = typename decltype(sum_tag)::type;
    launch(sorted.size(), Sum{term, grid.view(), particles, 2 * h});
    std::vector<Vec3d> result;
    for (const Vec3& a : acceleration.to_host()) result.push_back(to_double(a));
    return result;
  };
  const auto by_cells = run(std::type_identity<SphSum<Term>>{});
  const auto plain = run(std::type_identity<SphPlainSum<Term>>{});
  double scale = 0, error = 0;
  for (size_t i = 0; i < plain.size(); ++i) {
    scale = std::max(scale, norm(plain[i]));
    error = std::max(error, norm(plain[i] - by_cells[i]));
  }
  EXPECT_GT(scale, 1);
  EXPECT_LT(error, 3e-6 * scale);
}

}  // namespace sph_brute_force_test
MERGANSER_END
