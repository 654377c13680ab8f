/// Relaxed sampling ([ES] sec. 7): the sums of a step against double precision, where particles settle, and
/// what a whole relaxation promises of count, surface, density and thin limbs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/errors.h"
#include "device/sum_of.h"
#include "solvers/geometry/relaxation/relaxation.h"
#include "solvers/geometry/relaxation/relaxed_sampling.h"
#include "solvers/geometry/sampling/mesh_size.h"
#include "tests/support/dense_algebra.h"
#include "tests/support/made_meshes.h"
#include "tests/support/note.h"
#include "tests/support/random_values.h"
#include "tests/support/relaxation_reference.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace relaxation_test {

constexpr float d = 0.1f;  // [m] spacing

/// Steps over particles anywhere in a solid.
struct Steps {
  FilledSolid solid;
  Array<Vec3> position;
  UniformGrid grid;
  Array<float> density, stiffness, moved;
  Array<Vec3> outside, displacement;
  Reduction<float> longest;

  Steps(const TriangleMesh& mesh, const std::vector<Vec3>& points) : solid(mesh, d), position(points) {
    const int count = position.size();
    for (Array<float>* a : {&density, &stiffness, &moved}) a->resize(count);
    for (Array<Vec3>* a : {&outside, &displacement}) a->resize(count);
  }
  RelaxationPairs pairs() {
    grid.build(position.const_view(), 2 * d, 2);
    return {grid.view(), solid.view(), CubicSpline<float>(d), d};
  }
  void displace(const RelaxationPairs& with, float cohesion, float adhesion) {
    launch(position.size(),
           RelaxationDisplacement{with, cohesion, adhesion, density.const_view(), stiffness.const_view(),
                                  outside.const_view(), displacement.view()});
  }
  void move(const RelaxationPairs& with) {
    longest.run(position.size(), maximum_of(DisplacementLength{displacement.const_view()}));
    launch(position.size(),
           RelaxationMove{with.solid, 0.5f, 0.1f * d, longest.result(), displacement.const_view(),
                          with.grid.position, position.view(), moved.view()});
  }
};

TEST(Relaxation, SumsEqualThoseInDouble) {
  // Beside the middle of one face of a large box, where the outside is a half space.
  std::vector<Vec3> points = random_points(150, 0.4f);
  for (Vec3& x : points) x += Vec3{2, 2, 0.25f};
  Steps steps(test::box_mesh({0, 0, 0}, {4, 4, 4}), points);
  const RelaxationPairs with = steps.pairs();
  launch(150, RelaxationDensity{with, steps.density.view(), steps.stiffness.view(), steps.outside.view()});
  steps.displace(with, 4, 0.2f);
  const auto density = steps.density.to_host(), stiffness = steps.stiffness.to_host();
  const auto displacement = steps.displacement.to_host();
  relaxation_test::Reference reference{.position = {}, .spacing = d, .cohesion = 4, .adhesion = 0.2};
  for (int k = 0; k < 150; ++k)
    reference.position.push_back(to_double(points[size_t(read_back(steps.grid.order(), k))]));
  double longest = 0;
  for (size_t i = 0; i < points.size(); ++i) longest = std::max(longest, norm(reference.displacement(i)));
  for (size_t i = 0; i < points.size(); ++i) {
    // Lambda is tabulated at 256 places and interpolated; the rest is rounding.
    EXPECT_NEAR(density[i], reference.density(i), 1e-4 * reference.density(i));
    EXPECT_NEAR(stiffness[i], reference.stiffness(i), 1e-3 * std::abs(reference.stiffness(i)) + 1e-6 * d * d);
    EXPECT_LT(norm(to_double(displacement[i]) - reference.displacement(i)), 1e-3 * longest) << i;
  }
}

TEST(Relaxation, TwoParticlesSettleOneSpacingApart) {
  for (const float start : {0.0f, 0.6f, 1.5f}) {
    Steps steps(test::box_mesh({0, 0, 0}, {2, 2, 2}),
                {{1, 1, 1}, {1 + 0.6f * start * d, 1 + 0.8f * start * d, 1}});
    steps.density.assign(std::vector<float>{1, 1});
    steps.stiffness.assign(std::vector<float>{0, 0});  // a pair alone has no pressure to speak of
    steps.outside.assign(std::vector<Vec3>{{0, 0, 0}, {0, 0, 0}});
    for (int step = 0; step < 200; ++step) {
      const RelaxationPairs with = steps.pairs();
      steps.displace(with, 4, 0.2f);
      steps.move(with);
    }
    const std::vector<Vec3> x = steps.position.to_host();
    EXPECT_NEAR(norm(x[0] - x[1]), d, 1e-4 * d) << start;
  }
}

struct Touch {
  static constexpr const char* name = "test touch";
  FilledSolidView solid;
  View<const Vec3> from;
  View<Vec3> to;
  View<float> depth;
  MERGANSER_METHOD void operator()(int i) const {
    to[i] = solid.touching(from[i]);
    depth[i] = float(-solid.tree.at(to_double(to[i])).distance);
  }
};
struct Touched {
  std::vector<Vec3> position;
  std::vector<float> depth;
};
Touched touched(const TriangleMesh& mesh, const std::vector<Vec3>& points) {
  const FilledSolid solid(mesh, d);
  const Array<Vec3> from(points);
  Array<Vec3> to(from.size());
  Array<float> depth(from.size());
  launch(from.size(), Touch{solid.view(), from.const_view(), to.view(), depth.view()});
  return {to.to_host(), depth.to_host()};
}

TEST(Relaxation, ProjectionTouchesTheSurfaceExactly) {
  const TriangleMesh cube = test::box_mesh({0, 0, 0}, {1, 1, 1});
  const Touched in_cube = touched(cube, {{0.5f, 0.5f, -0.02f},    // before a face
                                         {0.5f, 0.5f, 0.03f},     // shallow
                                         {0.01f, 0.02f, 0.4f},    // along an edge
                                         {-0.1f, -0.2f, -0.05f},  // beyond a corner
                                         {0.5f, 0.4f, 0.3f}});    // deep
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(in_cube.depth[i], 0.5f * d, 1e-5f * d) << i;
  EXPECT_EQ(in_cube.position[0].x, 0.5f);
  EXPECT_NEAR(in_cube.position[2].x, 0.5f * d, 1e-5f * d);
  EXPECT_NEAR(in_cube.position[2].y, 0.5f * d, 1e-5f * d);
  EXPECT_EQ(in_cube.position[4], (Vec3{0.5f, 0.4f, 0.3f})) << "what is deep stays";

  // A slab thinner than a particle: its middle.
  const Touched in_slab =
      touched(test::box_mesh({0, 0, 0}, {1, 1, 0.08}), {{0.5f, 0.5f, 0.002f}, {0.4f, 0.5f, 0.1f}});
  for (float depth : in_slab.depth) EXPECT_NEAR(depth, 0.04f, 2e-3f);
}

/// Smallest eigenvalue of a particle's sum of V |F| x x^T over neighbors; 1 in a lattice's inside. The kernel
/// correction of elastic bodies ([ES] eq. 8) inverts it.
std::vector<double> least_moments(const std::vector<Float3>& points) {
  const CubicSpline<double> kernel(d);
  std::vector<double> least;
  for (const Float3& a : points) {
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    for (const Float3& b : points) {
      const Eigen::Vector3d x(double(a[0]) - b[0], double(a[1]) - b[1], double(a[2]) - b[2]);
      if (x.norm() > 0 && x.norm() < 2 * d)
        sum -= double(d) * d * d * kernel.gradient_factor(x.norm()) * x * x.transpose();
    }
    least.push_back(test::least_eigenvalue(sum));
  }
  return least;
}

TEST(Relaxation, FillsABallEvenlyUpToItsSurface) {
  const TriangleMesh ball = test::ball_mesh({5, -3, 2}, 0.5, 4);
  const RelaxationParameters parameters{.spacing = d};
  const RelaxedSample sample = relaxed_sample(ball, parameters);
  const double volume = mesh_volume(ball), held = double(sample.position.size()) * std::pow(double(d), 3);
  EXPECT_NEAR(held, volume, 0.01 * volume);
  EXPECT_LT(sample.iterations, parameters.most_iterations) << "it settles";
  EXPECT_LT(sample.moved, parameters.settled);
  EXPECT_GT(sample.deep, 50);
  EXPECT_LT(sample.density_spread, 0.02);
  EXPECT_GT(sample.nearest, 0.8 * d);
  int at_surface = 0;
  for (const Float3& x : sample.position) {
    const double depth = 0.5 - std::hypot(x[0] - 5.0, x[1] + 3.0, x[2] - 2.0);
    EXPECT_GT(depth, 0.5 * d - 1e-3 * d);
    at_surface += depth < 0.51 * d + 2e-3;  // its faces lie below the sphere by 1e-3 m
  }
  // A shell of thickness d about the touching spheres holds that many.
  const double shell = 4 * sph_pi * 0.45 * 0.45 / (d * d);
  EXPECT_NEAR(at_surface, shell, 0.25 * shell);
}

TEST(Relaxation, LeavesALatticeThatFitsAsItIs) {
  const RelaxedSample sample = relaxed_sample(test::box_mesh({1, 0, 0}, {1.8, 0.6, 0.5}), {.spacing = d});
  EXPECT_EQ(sample.position.size(), 8u * 6u * 5u);
  for (const Float3& x : sample.position)
    for (const float u : {x[0], x[1], x[2]}) {
      const double cells = u / double(d) - 0.5;
      EXPECT_NEAR(cells, std::round(cells), 0.1);
    }
}

struct ThinBar {
  double of_lattice, relaxed;  ///< least moment of a neighborhood
};
/// A bar of 12 spacings, so many spacings thick.
ThinBar thin_bar(double thickness) {
  const Point3 high{1.2, thickness * d, thickness * d};
  const RelaxedSample sample = relaxed_sample(test::box_mesh({0, 0, 0}, high), {.spacing = d});
  EXPECT_NEAR(double(sample.position.size()), 12 * thickness * thickness, 0.51) << thickness;
  const std::vector<double> of_lattice = least_moments(sample_box({0, 0, 0}, high, {.spacing = d})),
                            relaxed = least_moments(sample.position);
  return {*std::ranges::min_element(of_lattice), *std::ranges::min_element(relaxed)};
}
/// Of a lattice one line of particles is left; relaxed ones stand in two rows each way from 1.4 spacings on,
/// and the elastic solver counts a neighborhood below 0.02 as degenerate.
TEST(Relaxation, ThinLimbsHaveNoDegenerateNeighborhoods) {
  for (double thickness = 1.4; thickness < 1.95; thickness += 0.02) {
    const ThinBar bar = thin_bar(thickness);
    note("%.2f spacings: least moment %.3f\n", thickness, bar.relaxed);
    EXPECT_LT(bar.of_lattice, 1e-6) << "one line of particles";
    EXPECT_GT(bar.relaxed, 2e-2) << thickness;
  }
}

/// Columns along x of the width d, those of a layer one after the other; within a column x grows but for 1/32
/// d.
TEST(Relaxation, NumbersParticlesAlongLines) {
  const TriangleMesh mesh = test::torus_mesh(0.5, 0.2, 40, 20);
  const Point3 low = size_of(mesh).low;
  const auto points = relaxed_sample(mesh, {.spacing = d, .most_iterations = 30}).position;
  const auto column = [&](const Float3& x) {
    return std::pair(std::floor((x[2] - low[2]) / d), std::floor((x[1] - low[1]) / d));
  };
  for (size_t i = 1; i < points.size(); ++i) {
    const auto before = column(points[i - 1]), now = column(points[i]);
    EXPECT_LE(before, now) << i;
    if (before == now) {
      EXPECT_GT(points[i][0], points[i - 1][0] - d / 32) << i;
    }
  }
}

TEST(Relaxation, GivesTheSameBitsWithAnyNumberOfThreads) {
  const TriangleMesh mesh = test::torus_mesh(0.5, 0.2, 40, 20);
  const auto made = [&] { return relaxed_sample(mesh, {.spacing = d, .most_iterations = 30}).position; };
  const std::vector<Float3> one = with_threads(1, made);
  EXPECT_EQ(one, with_threads(3, made));
  EXPECT_EQ(one.size(), size_t(std::round(mesh_volume(mesh) / std::pow(double(d), 3))));
}

/// Asked before the first step, between its parts and later on; the last that it tells is that it has ended.
TEST(Relaxation, StopsWhenItIsAsked) {
  const TriangleMesh ball = test::ball_mesh({0, 0, 0}, 0.4, 3);
  RelaxationProgress last{};
  const auto tell = [&](const RelaxationProgress& now) { last = now; };
  const auto expect_stopped = [&](const StopAsked& stop) {
    EXPECT_THROW(relaxed_sample(ball, {.spacing = d, .settled = 0}, tell, stop), RelaxationStopped);
    EXPECT_TRUE(last.ended);
  };
  for (const int allowed : {0, 1, 2, 3, 7}) {
    int asked = 0;
    expect_stopped([&] { return asked++ == allowed; });
    EXPECT_EQ(asked, allowed + 1);
    EXPECT_EQ(last.iterations, 0);
  }
  expect_stopped([&] { return last.iterations == 20; });
  EXPECT_EQ(last.iterations, 20);
  EXPECT_TRUE(last.prepared);
}

/// Most of the time before the first step goes into these, seconds at hundreds of thousands of particles.
TEST(Relaxation, StopsAmidTheTablesOfItsSolid) {
  const TriangleMesh ball = test::ball_mesh({0, 0, 0}, 0.4, 3);
  for (const std::string kernel : {"distance at nodes", "tabulate share of solid"}) {
    RelaxationProgress last{};
    const auto tell = [&](const RelaxationProgress& now) { last = now; };
    const auto amid = [&] { return last.preparing == kernel && last.share < 1; };
    EXPECT_THROW(relaxed_sample(ball, {.spacing = d}, tell, amid), RelaxationStopped) << kernel;
    EXPECT_EQ(last.preparing, kernel);
    EXPECT_FALSE(last.prepared);
    EXPECT_GT(last.share, 0) << kernel;
    EXPECT_LT(last.share, 1) << kernel;
    EXPECT_NEAR(last.particles, mesh_volume(ball) / (d * d * d), 1) << kernel;
  }
}

/// Who asks changes nothing of the result.
TEST(Relaxation, GivesTheSameBitsInParts) {
  const TriangleMesh mesh = test::torus_mesh(0.5, 0.2, 40, 20);
  const RelaxationParameters some{.spacing = d, .most_iterations = 10};
  EXPECT_EQ(relaxed_sample(mesh, some).position,
            relaxed_sample(mesh, some, {}, [] { return false; }).position);
}

/// Down to the least particle radius of scenes, 1e-9 m, and up: lengths scaled by a power of two keep their
/// bits, but for rounding of powers of the spacing.
TEST(Relaxation, SmallMeshesAreFilledAsLargeOnes) {
  const TriangleMesh torus = test::torus_mesh(0.5, 0.2, 40, 20);
  for (const RelaxationForces forces : {RelaxationForces::implicitPressure, RelaxationForces::blueNoise}) {
    const auto made = [&](float factor) {
      return relaxed_sample(test::scaled(torus, factor),
                            {.spacing = double(d) * factor, .most_iterations = 30, .forces = forces});
    };
    const RelaxedSample large = made(1);
    for (const float factor : {0x1p-13f, 0x1p-25f, 0x1p20f}) {
      const RelaxedSample scaled = made(factor);
      EXPECT_EQ(scaled.iterations, large.iterations) << factor;
      EXPECT_NEAR(scaled.nearest / factor, large.nearest, 1e-3 * d) << factor;
      ASSERT_EQ(scaled.position.size(), large.position.size()) << factor;
      for (size_t i = 0; i < large.position.size(); ++i)
        for (size_t axis = 0; axis < 3; ++axis)
          EXPECT_NEAR(scaled.position[i][axis] / factor, large.position[i][axis], 1e-3 * d) << factor;
    }
  }
}

TEST(Relaxation, RefusesPositionsThatAreNotFinite) {
  int told = 0;
  const auto tell = [&](const RelaxationProgress& now) { told = now.iterations; };
  EXPECT_THROW(relaxed_sample(test::ball_mesh({0, 0, 0}, 0.4, 3),
                              {.spacing = d, .cohesion = std::numeric_limits<double>::infinity()}, tell),
               DivergenceError);
  EXPECT_EQ(told, 0) << "at the first look";
}

TEST(Relaxation, RefusesWhatHoldsNoParticle) {
  const auto message = [](const TriangleMesh& mesh, float spacing = d) -> std::string {
    try {
      relaxed_sample(mesh, {.spacing = spacing});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(test::box_mesh({0, 0, 0}, {1, 1, 0.05})).find("nowhere thicker than"), std::string::npos);
  EXPECT_NE(message(test::box_mesh({0, 0, 0}, {0.05, 0.05, 0.05})).find("less than half a particle"),
            std::string::npos);
  const std::string long_one = message(test::box_mesh({0, 0, 0}, {2e-3, 2e-3, 2e-7}), 1e-7f);
  EXPECT_NE(long_one.find("0.002 x 0.002 x 2e-07 m, is too large for the relaxed sampling with a spacing of "
                          "1e-07 m"),
            std::string::npos)
      << long_one;
  TriangleMesh open = test::box_mesh({0, 0, 0}, {1, 1, 1});
  open.triangles.pop_back();
  EXPECT_NE(message(open).find("not closed"), std::string::npos);
}

}  // namespace relaxation_test
MERGANSER_END
