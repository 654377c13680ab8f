/// Distances of meshes: the tree against all triangles in double precision, the sparse grid against closed
/// forms.
#include <gtest/gtest.h>

#include <random>

#include "device/launch.h"
#include "solvers/geometry/signed_distance/distance_field.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_distance_reference.h"
#include "tests/support/placed_mesh.h"

MERGANSER_BEGIN
namespace signed_distance_test {

using test::box_mesh;

struct SampleSolid {
  static constexpr const char* name = "test sample solid";
  SolidOfMesh solid;
  View<const Vec3> x;
  View<FieldSample> found;
  MERGANSER_METHOD void operator()(int i) const {
    const SurfacePlace at = solid.at(to_double(x[i]));
    found[i] = {to_float(at.normal), float(at.distance)};
  }
};
struct SampleField {
  static constexpr const char* name = "test sample field";
  DistanceFieldView field;
  View<const Vec3> x;
  View<FieldSample> found;
  MERGANSER_METHOD void operator()(int i) const { found[i] = field.at(x[i]); }
};

std::vector<Vec3> random_points(int count, double low, double high) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> draw{float(low), float(high)};
  std::vector<Vec3> points(static_cast<size_t>(count));
  for (Vec3& p : points) p = {draw(random), draw(random), draw(random)};
  return points;
}

std::vector<FieldSample> sample_solid(const TriangleMesh& mesh, const std::vector<Vec3>& points,
                                      double thickness = 0, bool inside = false) {
  const MeshTree tree = make_mesh_tree(mesh);
  const Array<TreeNode> nodes(tree.nodes);
  const Array<TreeTriangle> triangles(tree.triangles);
  const Array<Vec3> x(points);
  Array<FieldSample> found(x.size());
  launch(x.size(), SampleSolid{{{nodes.const_view(), triangles.const_view()}, thickness, inside},
                               x.const_view(),
                               found.view()});
  return found.to_host();
}

std::vector<FieldSample> sample_field(const TriangleMesh& mesh, const FieldParameters& parameters,
                                      const std::vector<Vec3>& points) {
  const DistanceField field(make_mesh_tree(mesh), parameters, "mesh");
  const Array<Vec3> x(points);
  Array<FieldSample> found(x.size());
  launch(x.size(), SampleField{field.view(), x.const_view(), found.view()});
  return found.to_host();
}

Vec3d double_of(const Vec3& x) { return {x.x, x.y, x.z}; }

/// Distances are of double precision, rounded once; the sign is that of the winding number.
void expect_reference(const TriangleMesh& mesh, double size) {
  const auto points = random_points(400, -size, size);
  const auto found = sample_solid(mesh, points);
  for (size_t k = 0; k < points.size(); ++k) {
    const double expected = signed_distance_of(mesh, double_of(points[k]));
    EXPECT_NEAR(found[k].value, expected, 1e-6 * size) << k;
    EXPECT_NEAR(norm(found[k].gradient), 1, 1e-5);
  }
}

TEST(SignedDistance, EqualsAllTrianglesAndWindingNumber) {
  expect_reference(box_mesh({-0.5, -0.4, -0.3}, {0.6, 0.4, 0.2}), 1);
  expect_reference(test::ball_mesh({0.1, 0, 0}, 0.7, 3), 1);
  expect_reference(test::torus_mesh(0.6, 0.2, 24, 12), 1);
  // A limb a hundredth as thick as it is long, with sharp edges.
  expect_reference(box_mesh({-0.9, -0.004, -0.005}, {0.9, 0.006, 0.004}), 1);
  // A box with a cavity: the inner surface looks inwards.
  expect_reference(test::both(box_mesh({-0.8, -0.8, -0.8}, {0.8, 0.8, 0.8}),
                              test::inverted(test::ball_mesh({0, 0, 0}, 0.5, 2))),
                   1);
}

/// Points whose nearest point is a corner with faces of very unlike sizes and angles: the normals of single
/// faces would tell the wrong side.
TEST(SignedDistance, SpikesHaveTheRightSide) {
  TriangleMesh spike;
  spike.vertices = {{0, 0, 1}, {0.5f, 0, 0}, {-0.02f, 0.03f, 0}, {-0.02f, -0.03f, 0}};
  spike.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  expect_reference(spike, 1.2);
}

TEST(SignedDistance, MovedAndTurnedMeshes) {
  TriangleMesh box = box_mesh({-0.3, -0.2, -0.1}, {0.3, 0.2, 0.1});
  test::transform(box, {.rotation_axis = {1, 2, 3}, .rotation_angle = 0.7, .translation = {0.2, -0.1, 0.3}});
  expect_reference(box, 1);
}

TEST(SignedDistance, TanksAndShells) {
  const TriangleMesh ball = test::ball_mesh({0, 0, 0}, 0.6, 2);
  const auto points = random_points(100, -1, 1);
  const auto plain = sample_solid(ball, points), tank = sample_solid(ball, points, 0, true),
             shell = sample_solid(ball, points, 0.1);
  for (size_t k = 0; k < points.size(); ++k) {
    EXPECT_EQ(tank[k].value, -plain[k].value);
    EXPECT_EQ(tank[k].gradient, -plain[k].gradient);
    EXPECT_NEAR(shell[k].value, std::abs(plain[k].value) - 0.05, 1e-7);
    EXPECT_GT(dot(shell[k].gradient, plain[k].gradient) * plain[k].value, 0);
  }
  // Half a ball is open: it has a distance only with a thickness.
  TriangleMesh bowl = ball;
  std::erase_if(bowl.triangles, [&](const Triangle& t) {
    return bowl.vertices[size_t(t[0])][2] + bowl.vertices[size_t(t[1])][2] > 0;
  });
  const auto open = sample_solid(bowl, points, 0.1);
  for (size_t k = 0; k < points.size(); ++k)
    EXPECT_NEAR(open[k].value, unsigned_distance(bowl, double_of(points[k])) - 0.05, 1e-6);
}

/// In front of a face interpolation is exact; everywhere else the bound is that of distance_field.h.
TEST(DistanceField, BoxToTheStatedError) {
  const double cell = 0.03;
  const TriangleMesh box = box_mesh({-0.5, -0.4, -0.3}, {0.6, 0.4, 0.2});
  const auto points = random_points(20000, -1.2, 1.2);
  const auto found = sample_field(box, {.cell = cell, .reach = 0.15}, points);
  int before_faces = 0;
  for (size_t k = 0; k < points.size(); ++k) {
    const Vec3 x = points[k];
    const double expected = signed_distance_of(box, double_of(x));
    if (std::abs(expected) > 0.15) {  // far: a coarser grid, the right side and about the distance
      EXPECT_GT(found[k].value * expected, 0) << k;
      EXPECT_NEAR(found[k].value, expected, 0.43 * 8 * cell) << k;
      continue;
    }
    EXPECT_NEAR(found[k].value, expected, 0.43 * cell) << k;
    const bool above = x.z > 0.2f && std::abs(x.y) < 0.36f && x.x > -0.46f && x.x < 0.56f;
    if (!above) continue;
    ++before_faces;
    EXPECT_NEAR(found[k].value, x.z - 0.2, 2e-6);
    EXPECT_NEAR(found[k].gradient.z, 1, 1e-6);
  }
  EXPECT_GT(before_faces, 100);
}

/// cell^3/R^2 from interpolation, and the ball's own facets.
/// Nodes that lie on faces, to rounding, have the normals of the faces: a tank whose edges are whole cells
/// long, 0.06 m in cells of 5 mm, and whose grid begins eight cells before them. (x - nearest has no
/// direction there. Taken for the normal it turned what is between such nodes by 30 degrees, and water sank
/// into the tank's sides.)
TEST(DistanceField, NodesOnFacesHaveTheFacesNormals) {
  const double cell = 0.005, side = 0.06, far_from_edges = 0.0125;
  for (const bool inside : {false, true}) {
    std::vector<Vec3> points = random_points(3000, far_from_edges, side - far_from_edges);
    std::vector<Vec3> normals;
    for (size_t k = 0; k < points.size(); ++k) {
      const int face = int(k % 6), axis = face / 2;
      const float in = 0.004f * (float(k) / float(points.size()) - 0.5f), out = face % 2 ? 1.0f : -1.0f;
      float* const x[3] = {&points[k].x, &points[k].y, &points[k].z};
      *x[axis] = face % 2 ? float(side) - in : in;
      normals.push_back({axis == 0 ? out : 0, axis == 1 ? out : 0, axis == 2 ? out : 0});
    }
    const auto found = sample_field(box_mesh({0, 0, 0}, {side, side, side}),
                                    {.inside = inside, .cell = cell, .reach = 7 * cell}, points);
    for (size_t k = 0; k < points.size(); ++k) {
      const double in = 0.004 * (double(k) / double(points.size()) - 0.5), sign = inside ? 1 : -1;
      EXPECT_NEAR(found[k].value, sign * in, 1e-7) << k;
      EXPECT_GT(dot(found[k].gradient, normals[k]) * -sign, 1 - 1e-5) << k;
    }
  }
}

TEST(DistanceField, BallToTheStatedError) {
  const double radius = 0.7, cell = 0.05;
  const TriangleMesh ball = test::ball_mesh({0.1, 0, 0}, radius, 5);
  const auto points = random_points(20000, -1, 1);
  for (const bool inside : {false, true}) {
    const auto found = sample_field(ball, {.inside = inside, .cell = cell, .reach = 0.2}, points);
    for (size_t k = 0; k < points.size(); ++k) {
      const Vec3d d = double_of(points[k]) - Vec3d{0.1, 0, 0};
      const double expected = norm(d) - radius, sign = inside ? -1 : 1;
      if (std::abs(expected) > 0.2) continue;
      const double bound = 0.1 * std::pow(cell, 3) / norm_squared(d) + 0.0012 * radius;
      EXPECT_NEAR(found[k].value, sign * expected, bound) << k;
      EXPECT_NEAR(dot(found[k].gradient, to_float(Vec3d{d.x, d.y, d.z})) / norm(d), sign, 2e-3) << k;
    }
  }
}

/// Beyond the grid the distance goes on to grow.
TEST(DistanceField, FarPoints) {
  const std::vector<Vec3> points{{5, 0, 0}, {0, -7, 0}, {3, 3, 3}};
  const TriangleMesh ball = test::ball_mesh({0, 0, 0}, 0.5, 4);
  const auto outside = sample_field(ball, {.cell = 0.05, .reach = 0.1}, points);
  const auto tank = sample_field(ball, {.inside = true, .cell = 0.05, .reach = 0.1}, points);
  for (size_t k = 0; k < points.size(); ++k) {
    EXPECT_NEAR(outside[k].value, norm(points[k]) - 0.5f, 0.02 * norm(points[k]));
    EXPECT_NEAR(tank[k].value, -outside[k].value, 1e-6);
    EXPECT_GT(dot(outside[k].gradient, points[k]) / norm(points[k]), 0.99);
    EXPECT_LT(dot(tank[k].gradient, points[k]) / norm(points[k]), -0.99);
  }
}

TEST(DistanceField, TooFineAGridIsAnError) {
  try {
    const DistanceField never(make_mesh_tree(box_mesh({0, 0, 0}, {1, 1, 1})), {.cell = 1e-4, .reach = 1e-3},
                              "walls.0");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("walls.0: the mesh is"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("raise cellSize"), std::string::npos);
  }
}

TEST(MeshTree, TrianglesWithoutAnAreaAreLeftOut) {
  TriangleMesh box = box_mesh({0, 0, 0}, {1, 1, 1});
  box.triangles.push_back({0, 0, 1});
  EXPECT_EQ(make_mesh_tree(box).triangles.size(), 12u);
  EXPECT_THROW(make_mesh_tree({box.vertices, {{0, 1, 1}}}), InputError);
}

}  // namespace signed_distance_test
MERGANSER_END
