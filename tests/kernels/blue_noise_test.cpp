/// The blue-noise sampling of Jiang et al. 2015, the baseline of [ES] Fig. 5: the sums of a step against
/// double precision, two particles, and what a whole sampling promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/geometry/relaxation/blue_noise_steps.h"
#include "solvers/geometry/sampling/mesh_size.h"
#include "tests/support/blue_noise_reference.h"
#include "tests/support/made_meshes.h"
#include "tests/support/random_values.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace blue_noise_test {

constexpr float d = 0.1f;  // [m] spacing

struct Step {
  FilledSolid solid;
  UniformGrid grid;
  BlueNoiseForces<float> forces{d, 0.04f, 0.1f};
  explicit Step(const TriangleMesh& mesh) : solid(mesh, d) {}
  RelaxationPairs pairs(const Array<Vec3>& position) {
    grid.build(position.const_view(), 2 * d, 2);
    return {grid.view(), solid.view(), CubicSpline<float>(d), d};
  }
};

TEST(BlueNoise, SumsEqualThoseInDouble) {
  constexpr int count = 150;
  // Beside a face of a large box, every tenth at its surface: less than 0.55 d deep.
  std::vector<Vec3> points = random_points(count, 0.5f), velocities = random_points(count, 0.01f, 1);
  for (int k = 0; k < count; ++k) points[size_t(k)] += Vec3{2, 2, 0.31f};
  for (size_t k = 0; k < points.size(); k += 10) points[k].z = 0.052f;
  Step step(test::box_mesh({0, 0, 0}, {4, 4, 4}));
  const Array<Vec3> given(points), before(velocities);
  const RelaxationPairs with = step.pairs(given);
  Array<float> density(count);
  Array<Vec3> after(count);
  launch(count, BlueNoiseDensity{with, step.forces, density.view()});
  launch(count, BlueNoiseVelocity{.pairs = with,
                                  .forces = step.forces,
                                  .damping = 0.9f,
                                  .density = density.const_view(),
                                  .from = step.grid.order(),
                                  .velocity = before.const_view(),
                                  .faster = after.view()});
  blue_noise_test::Reference reference{
      .position = {}, .velocity = {}, .spacing = d, .stiffness = 0.04, .cohesion = 0.1, .damping = 0.9};
  for (int k = 0; k < count; ++k) {
    const auto from = size_t(read_back(step.grid.order(), k));
    reference.position.push_back(to_double(points[from]));
    reference.velocity.push_back(to_double(velocities[from]));
  }
  int pressed = 0, touching = 0;
  for (size_t i = 0; i < size_t(count); ++i) {
    const Vec3d x = reference.position[i];
    const bool at_surface = x.z < 0.055;
    const Vec3d v = reference.velocity_after(i, at_surface);
    const int k = int(i);
    // Rounding of sums of some 100 terms.
    EXPECT_NEAR(read_back(density.const_view(), k), reference.density(i), 1e-5 * reference.density(i));
    EXPECT_LT(norm(to_double(read_back(after.const_view(), k)) - v), 1e-4 * d) << i;
    pressed += reference.density(i) > 1;
    touching += at_surface;
  }
  EXPECT_GT(pressed, 20) << "pressure is tested";
  EXPECT_LT(pressed, count - 20) << "and its bound";
  EXPECT_GT(touching, 2) << "and the correction at the surface";
}

TEST(BlueNoise, TwoParticlesSettleWhereCohesionVanishes) {
  // 2 q^3 (1 - q)^3 = 1/64 with q = r/2d; two alone are too thin for a pressure.
  const double q = 0.5 - std::sqrt(0.25 - std::cbrt(1.0 / 128));
  for (const float start : {0.0f, 0.8f, 1.5f}) {
    Step step(test::box_mesh({0, 0, 0}, {2, 2, 2}));
    BlueNoiseSteps steps({.crowding = 1}, d);
    Array<Vec3> position(std::vector<Vec3>{{1, 1, 1}, {1 + 0.6f * start * d, 1 + 0.8f * start * d, 1}});
    Array<float> moved(2);
    for (int k = 0; k < 1000; ++k) {
      const RelaxationPairs with = step.pairs(position);
      steps.step(with, step.grid.order(), position.view(), moved.view());
    }
    const std::vector<Vec3> x = position.to_host();
    EXPECT_NEAR(norm(x[0] - x[1]), 2 * q * d, 1e-3 * d) << start;
  }
}

RelaxationParameters blue_noise(int most_iterations = 300) {
  return {.spacing = d, .most_iterations = most_iterations, .forces = RelaxationForces::blueNoise};
}

TEST(BlueNoise, FillsABallAndStaysInside) {
  const TriangleMesh ball = test::ball_mesh({5, -3, 2}, 0.5, 4);
  const RelaxedSample sample = relaxed_sample(ball, blue_noise());
  EXPECT_EQ(sample.position.size(), size_t(std::round(mesh_volume(ball) / std::pow(double(d), 3))));
  EXPECT_LT(sample.moved, 5e-3) << "it has come to rest, nearly";
  EXPECT_GT(sample.deep, 30);
  EXPECT_LT(sample.density_spread, 0.05);
  double deepest = 0;
  for (const Float3& x : sample.position) {
    const double depth = 0.5 - std::hypot(x[0] - 5.0, x[1] + 3.0, x[2] - 2.0);
    EXPECT_GT(depth, 0.5 * d - 1e-3 * d);
    deepest = std::max(deepest, depth);
  }
  EXPECT_GT(deepest, 4 * d) << "and nothing is left empty";
  EXPECT_NE(sample.position, relaxed_sample(ball, {.spacing = d}).position);
}

/// Also where what it remembers is in another order than the particles: the order changes in each step.
TEST(BlueNoise, GivesTheSameBitsWithAnyNumberOfThreadsAndInParts) {
  const TriangleMesh mesh = test::torus_mesh(0.5, 0.2, 40, 20);
  const auto made = [&] { return relaxed_sample(mesh, blue_noise(30)).position; };
  const std::vector<Float3> one = with_threads(1, made);
  EXPECT_EQ(one, with_threads(2, made));
  EXPECT_EQ(one, with_threads(3, made));
  EXPECT_EQ(one, relaxed_sample(mesh, blue_noise(30), {}, [] { return false; }).position);
}

TEST(BlueNoise, StopsWhenItIsAsked) {
  int steps = 0;
  const auto tell = [&](const RelaxationProgress& now) { steps = now.iterations; };
  EXPECT_THROW(
      relaxed_sample(test::ball_mesh({0, 0, 0}, 0.4, 3), blue_noise(), tell, [&] { return steps == 10; }),
      RelaxationStopped);
  EXPECT_EQ(steps, 10);
}

}  // namespace blue_noise_test
MERGANSER_END
