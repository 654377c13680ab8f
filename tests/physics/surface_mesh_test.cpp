/// Surfaces of particles: topology, volume, normals, velocities.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "solvers/geometry/surface/surface_builder.h"
#include "tests/support/mesh_checks.h"
#include "tests/support/surface_reference.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace surface_mesh_test {

constexpr double h = 1.2, pi = 3.14159265358979;  // spacing 1

SurfaceParameters parameters(SurfaceMethod method) {
  return {.method = method, .h = h, .spacing = 1, .cell_factor = 0.25};
}
SurfaceMesh surface(const SurfaceReference& cloud, const SurfaceParameters& wanted) {
  const TopologyLinks links = cloud.links.empty() ? TopologyLinks{} : cloud.topology_links();
  return make_surface_builder()->build(cloud.points(), cloud.links.empty() ? nullptr : &links, wanted);
}
void expect_closed(const MeshFacts& facts) {
  EXPECT_EQ(facts.faulty_edges, 0);
  EXPECT_EQ(facts.faulty_vertices, 0);
}
double distance(const Float3& a, const Vec3d& b) { return norm(Vec3d{a[0] - b.x, a[1] - b.y, a[2] - b.z}); }

template <class Inside>
SurfaceReference lattice(const Vec3d& size, const Inside& inside) {
  SurfaceReference cloud;
  cloud.h = h;
  cloud.add_lattice(-1.0 * size, size, 1, inside);
  return cloud;
}

TEST(SurfaceMesh, LoneParticleIsABallOfRadiusHalfH) {
  SurfaceReference cloud;
  cloud.h = h;
  cloud.position = {{0.37, -5.2, 11.1}};
  cloud.mass = {3};
  for (const auto method : {SurfaceMethod::sum, SurfaceMethod::topological}) {
    cloud.link([](int, int) { return 1.0; });
    SurfaceParameters wanted = parameters(method);
    // Across the radius W'' = W'/d = -1.93/h^2, so on an edge of 0.25 h it bends by 1.93 0.25^2/8 = 0.0151;
    // W' at h/2 is -0.97/h.
    for (const Float3& x : surface(cloud, wanted).position)
      ASSERT_NEAR(distance(x, cloud.position[0]), h / 2, 0.016 * h);
    wanted.refinements = 5;
    const SurfaceMesh mesh = surface(cloud, wanted);
    for (size_t v = 0; v < mesh.position.size(); ++v) {
      // Coordinates of about 11 in float.
      ASSERT_NEAR(distance(mesh.position[v], cloud.position[0]), h / 2, 1e-4 * h);
      for (size_t k = 0; k < 3; ++k)
        ASSERT_NEAR(mesh.normal[v][k], (mesh.position[v][k] - (&cloud.position[0].x)[k]) / (h / 2), 1e-4);
    }
    const MeshFacts facts = mesh_facts(mesh);
    expect_closed(facts);
    EXPECT_EQ(facts.euler, 2);
  }
}

TEST(SurfaceMesh, BallOfParticlesIsClosedAndKeepsItsVolume) {
  const double radius = 8.3;
  SurfaceReference cloud = lattice({9, 9, 9}, [&](const Vec3d& x) { return norm(x) < radius; });
  cloud.link([](int, int) { return 1.0; });
  for (const auto method : {SurfaceMethod::sum, SurfaceMethod::topological}) {
    const SurfaceMesh mesh = surface(cloud, parameters(method));
    const MeshFacts facts = mesh_facts(mesh);
    expect_closed(facts);
    EXPECT_EQ(facts.euler, 2);
    EXPECT_EQ(facts.components, 1);
    // The particles stand for a unit of volume each.
    EXPECT_NEAR(facts.volume, double(cloud.position.size()), 0.05 * facts.volume);
    for (size_t v = 0; v < mesh.position.size(); ++v) {
      const Float3 &n = mesh.normal[v], &x = mesh.position[v];
      ASSERT_NEAR(std::hypot(n[0], n[1], n[2]), 1, 1e-6);
      // The lattice's steps tilt the surface, by less than 60 degrees.
      ASSERT_GT((n[0] * x[0] + n[1] * x[1] + n[2] * x[2]) / std::hypot(x[0], x[1], x[2]), 0.5);
    }
  }
}

TEST(SurfaceMesh, TorusHasAHole) {
  const SurfaceReference cloud =
      lattice({12, 12, 4}, [&](const Vec3d& x) { return std::hypot(std::hypot(x.x, x.y) - 8, x.z) < 3; });
  const MeshFacts facts = mesh_facts(surface(cloud, parameters(SurfaceMethod::sum)));
  expect_closed(facts);
  EXPECT_EQ(facts.euler, 0);
  EXPECT_EQ(facts.components, 1);
}

/// A ball with a cavity has an inner surface that looks inwards.
TEST(SurfaceMesh, CavityIsFound) {
  const SurfaceReference cloud =
      lattice({9, 9, 9}, [&](const Vec3d& x) { return norm(x) < 8.3 && norm(x) > 3.2; });
  const MeshFacts facts = mesh_facts(surface(cloud, parameters(SurfaceMethod::sum)));
  expect_closed(facts);
  EXPECT_EQ(facts.components, 2);
  EXPECT_EQ(facts.euler, 4);
  EXPECT_NEAR(facts.volume, double(cloud.position.size()), 0.05 * facts.volume);
}

/// A sheet one particle thick has few neighbors but none of its particles leans to a side.
TEST(SurfaceMesh, ThinSheetIsFound) {
  const SurfaceReference cloud = lattice({8, 8, 0}, [](const Vec3d&) { return true; });
  const MeshFacts facts = mesh_facts(surface(cloud, parameters(SurfaceMethod::sum)));
  expect_closed(facts);
  EXPECT_EQ(facts.components, 1);
  EXPECT_EQ(facts.euler, 2);
}

/// Random clouds on fine cells: bricks are smaller than the balls that the search begins with, and blended
/// surfaces run outside those.
TEST(SurfaceMesh, RandomCloudsAreClosed) {
  std::mt19937 engine(11);
  for (const double size : {3.0, 5.0, 8.0}) {
    std::uniform_real_distribution<double> at(0, size);
    SurfaceReference cloud;
    cloud.h = h;
    for (int i = 0; i < 130; ++i) {
      cloud.position.push_back({at(engine), at(engine), at(engine)});
      cloud.mass.push_back(1);
    }
    SurfaceParameters wanted = parameters(SurfaceMethod::sum);
    wanted.cell_factor = 0.07;
    const MeshFacts facts = mesh_facts(surface(cloud, wanted));
    expect_closed(facts);
    EXPECT_GT(facts.volume, 0);
  }
}

/// Two drops, their nearest particles 1.1 h apart: nearer than 2h, but their surfaces do not touch.
SurfaceReference two_drops(double gap) {
  SurfaceReference cloud;
  cloud.h = h;
  for (double side : {-1.0, 1.0})
    cloud.add_lattice({side * (3 + gap / 2) - 3, -3, -3}, {side * (3 + gap / 2) + 3, 3, 3}, 1,
                      [&](const Vec3d& x) {
                        return norm(x - Vec3d{side * (3 + gap / 2), 0, 0}) < 3.3;
                      });
  return cloud;
}

TEST(SurfaceMesh, DropsThatAreNotLinkedStayApart) {
  SurfaceReference cloud = two_drops(1.1 * h);
  const MeshFacts sum = mesh_facts(surface(cloud, parameters(SurfaceMethod::sum)));
  expect_closed(sum);
  EXPECT_EQ(sum.components, 1);
  const auto apart = [&](int i, int j) {
    return cloud.position[size_t(i)].x * cloud.position[size_t(j)].x > 0 ? 1.0 : -1.0;
  };
  cloud.link(apart);
  const SurfaceMesh mesh = surface(cloud, parameters(SurfaceMethod::topological));
  const MeshFacts topological = mesh_facts(mesh);
  expect_closed(topological);
  EXPECT_EQ(topological.components, 2);
  EXPECT_EQ(topological.euler, 4);
  // Linked, they are one again; young links hardly count yet.
  cloud.link([](int, int) { return 1.0; });
  EXPECT_EQ(mesh_facts(surface(cloud, parameters(SurfaceMethod::topological))).components, 1);
  cloud.link([&](int i, int j) { return apart(i, j) > 0 ? 1.0 : 0.02; });
  EXPECT_EQ(mesh_facts(surface(cloud, parameters(SurfaceMethod::topological))).components, 2);
}

/// Height of a pool's surface over the grid points that its mesh shares with another one; `high` leaves out
/// what lies above it.
std::map<std::pair<float, float>, float> heights(const SurfaceMesh& mesh, float high) {
  std::map<std::pair<float, float>, float> height;
  for (size_t v = 0; v < mesh.position.size(); ++v) {
    const Float3& x = mesh.position[v];
    if (mesh.normal[v][2] > 0.7f && x[2] < high) height[{x[0], x[1]}] = x[2];
  }
  return height;
}

/// [TN] fig. 10: the pool's surface does not rise towards a drop that has not touched it.
TEST(SurfaceMesh, PoolIsUnchangedUntilContact) {
  SurfaceReference pool = lattice({6, 6, 2}, [](const Vec3d&) { return true; }), both = pool;
  both.add_lattice({-3, -3, 3.6}, {3, 3, 9}, 1, [](const Vec3d& x) {
    return norm(x - Vec3d{0, 0, 5.6}) < 2.3;
  });
  pool.link([](int, int) { return 1.0; });
  both.link([&](int i, int j) {
    return (both.position[size_t(i)].z < 3) == (both.position[size_t(j)].z < 3) ? 1.0 : -1.0;
  });
  const float high = 2.8f;  // the drop's lowest particle is 1.33 h above the pool's highest ones, at z = 2
  const auto alone = heights(surface(pool, parameters(SurfaceMethod::sum)), high);
  double rise[2] = {0, 0};
  for (const auto method : {SurfaceMethod::sum, SurfaceMethod::topological}) {
    const auto with_drop = heights(surface(both, parameters(method)), high);
    int compared = 0;
    for (const auto& [at, z] : alone) {
      const auto found = with_drop.find(at);
      if (found == with_drop.end()) continue;
      ++compared;
      double& most = rise[method == SurfaceMethod::topological];
      most = std::max(most, std::abs(double(found->second) - z));
    }
    EXPECT_GT(compared, 500);
  }
  EXPECT_GT(rise[0], 0.1 * h);
  EXPECT_LT(rise[1], 0.03 * h);  // an eighth of a cell
}

/// Each drop's surface takes its own drop's velocity, also where the other one is nearer than 2h.
TEST(SurfaceMesh, VelocitiesAreOfTheLinkedFluid) {
  SurfaceReference cloud = two_drops(1.1 * h);
  cloud.link([&](int i, int j) {
    return cloud.position[size_t(i)].x * cloud.position[size_t(j)].x > 0 ? 1.0 : -1.0;
  });
  FluidPoints points = cloud.points();
  for (size_t i = 0; i < points.position.size(); ++i)
    points.velocity[i] = {points.position[i][0] > 0 ? -2.0f : 1.0f, 0.5f, 0};
  const TopologyLinks links = cloud.topology_links();
  const SurfaceMesh mesh =
      make_surface_builder()->build(points, &links, parameters(SurfaceMethod::topological));
  for (size_t v = 0; v < mesh.position.size(); ++v) {
    // Weights (g_i/C)^19 of the other drop's particles: a few percent where the two surfaces nearly touch.
    ASSERT_NEAR(mesh.velocity[v][0], mesh.position[v][0] > 0 ? -2 : 1, 0.1);
    ASSERT_NEAR(mesh.velocity[v][1], 0.5, 1e-5);
    ASSERT_NEAR(mesh.velocity[v][2], 0, 1e-6);
  }
}

/// The topological normals leave out far particles i; they stay within three degrees of the whole gradient.
TEST(SurfaceMesh, NormalsFollowTheFieldsGradient) {
  SurfaceReference cloud = two_drops(1.1 * h);
  cloud.link([&](int i, int j) {
    return cloud.position[size_t(i)].x * cloud.position[size_t(j)].x > 0 ? 1.0 - 0.1 * ((i + j) % 3) : -1.0;
  });  // young links everywhere
  const auto volume = cloud.volumes(true);
  const SurfaceMesh mesh = surface(cloud, parameters(SurfaceMethod::topological));
  for (size_t v = 0; v < mesh.position.size(); v += 11) {
    const Vec3d x{mesh.position[v][0], mesh.position[v][1], mesh.position[v][2]};
    const double e = 1e-4;
    const Vec3d gradient{
        cloud.topological(x + Vec3d{e, 0, 0}, volume) - cloud.topological(x - Vec3d{e, 0, 0}, volume),
        cloud.topological(x + Vec3d{0, e, 0}, volume) - cloud.topological(x - Vec3d{0, e, 0}, volume),
        cloud.topological(x + Vec3d{0, 0, e}, volume) - cloud.topological(x - Vec3d{0, 0, e}, volume)};
    const Vec3d normal{mesh.normal[v][0], mesh.normal[v][1], mesh.normal[v][2]};
    ASSERT_GT(-dot(gradient, normal) / norm(gradient), std::cos(3 * pi / 180)) << v;
  }
}

/// Refined vertices lie where the field, mixture included, is C.
TEST(SurfaceMesh, RefinedVerticesLieOnTheIsoSurface) {
  SurfaceReference cloud = two_drops(1.1 * h);
  const auto volume = cloud.volumes(false);
  SurfaceParameters wanted = parameters(SurfaceMethod::sum);
  const double iso = std::pow(15.0 / 16, 5);
  double before = 0, after = 0;
  for (const int refinements : {0, 5}) {
    wanted.refinements = refinements;
    const SurfaceMesh mesh = surface(cloud, wanted);
    expect_closed(mesh_facts(mesh));
    for (const Float3& x : mesh.position) {
      double& worst = refinements == 0 ? before : after;
      worst = std::max(worst, std::abs(cloud.sum({x[0], x[1], x[2]}, volume) - iso));
    }
  }
  EXPECT_GT(before, 1e-3);
  EXPECT_LT(after, 1e-4);
}

TEST(SurfaceMesh, SmoothingKeepsTopologyAndVolume) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> jitter(-0.3, 0.3);
  SurfaceReference cloud = lattice({6, 6, 6}, [&](const Vec3d& x) { return norm(x) < 5.3; });
  for (Vec3d& x : cloud.position) x += Vec3d{jitter(engine), jitter(engine), jitter(engine)};
  SurfaceParameters wanted = parameters(SurfaceMethod::sum);
  const auto roughness = [](const SurfaceMesh& mesh) {  // mean of 1 - cos between normals along an edge
    double sum = 0;
    for (const Triangle& t : mesh.triangles) {
      const Float3 &a = mesh.normal[size_t(t[0])], &b = mesh.normal[size_t(t[1])];
      sum += 1 - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    return sum / double(mesh.triangles.size());
  };
  const SurfaceMesh rough = surface(cloud, wanted);
  wanted.smoothing = 20;
  const SurfaceMesh smooth = surface(cloud, wanted);
  const MeshFacts before = mesh_facts(rough), after = mesh_facts(smooth);
  expect_closed(after);
  EXPECT_EQ(after.euler, before.euler);
  EXPECT_NEAR(after.volume, before.volume, 0.02 * before.volume);
  // Bumps as wide as a particle are three cells long; such waves mostly stay, as the volume does.
  EXPECT_LT(roughness(smooth), 0.9 * roughness(rough));
}

TEST(SurfaceMesh, IsTheSameForAnyNumberOfThreads) {
  SurfaceReference cloud = two_drops(1.1 * h);
  cloud.link([&](int i, int j) {
    return cloud.position[size_t(i)].x * cloud.position[size_t(j)].x > 0 ? 1.0 : -1.0;
  });
  SurfaceParameters wanted = parameters(SurfaceMethod::topological);
  wanted.smoothing = 2;
  wanted.refinements = 1;
  const auto made = [&](int threads) {
    return with_threads(threads, [&] { return surface(cloud, wanted); });
  };
  const SurfaceMesh one = made(1), two = made(2);
  EXPECT_EQ(one.position, two.position);
  EXPECT_EQ(one.normal, two.normal);
  EXPECT_EQ(one.velocity, two.velocity);
  EXPECT_EQ(one.triangles, two.triangles);
}

TEST(SurfaceMesh, NoParticlesNoSurface) {
  EXPECT_TRUE(make_surface_builder()->build({}, nullptr, parameters(SurfaceMethod::sum)).triangles.empty());
}

}  // namespace surface_mesh_test
MERGANSER_END
