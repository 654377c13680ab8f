/// Skins of cloth: texture coordinates, normals, areas, thickness, tears.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "solvers/geometry/sampling/sheet.h"
#include "solvers/geometry/skinning/body_skin.h"
#include "tests/support/made_meshes.h"
#include "tests/support/unit_cube.h"

MERGANSER_BEGIN
namespace sheet_skin_test {

constexpr double spacing = 0.05, width = 0.6, height = 0.4, area = width * height;

/// 13 x 9 particles in a plane that is tilted against all axes.
SkinBody tilted_sheet() {
  const Sheet sheet = make_sheet({1, 2, 3}, {width * 0.6, width * 0.8, 0}, {0, 0, height}, spacing);
  SkinBody body{0, 0, {SkinMotion::sheet}, 0, sheet.vertices, {sheet.vertices, sheet.triangles}};
  return body;
}

SurfaceMesh skin(const SkinBody& body, const SkinParticles& now) {
  return make_body_skin(body, spacing)->follow(now);
}
SkinParticles at_rest(const SkinBody& body) {
  return {body.rest, std::vector<Float3>(body.rest.size(), Float3{0, 0, 2}), {}};
}
/// Bent about z into a part of a tube of 0.5 m radius: lengths and areas stay, but for chords.
SkinParticles bent(const SkinBody& body) {
  SkinParticles now = at_rest(body);
  for (Float3& x : now.position) {
    const double along = std::hypot(x[0] - 1, x[1] - 2) / 0.5;
    x = {float(0.5 * std::sin(along)), float(0.5 * std::cos(along)), x[2]};
  }
  return now;
}

double area_of(const SurfaceMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    double e[2][3];
    for (size_t k = 0; k < 3; ++k)
      for (size_t s = 0; s < 2; ++s)
        e[s][k] = double(mesh.position[size_t(t[s + 1])][k]) - mesh.position[size_t(t[0])][k];
    sum += 0.5 * std::hypot(e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                            e[0][0] * e[1][1] - e[0][1] * e[1][0]);
  }
  return sum;
}

void expect_unit_normals(const SurfaceMesh& mesh) {
  ASSERT_EQ(mesh.normal.size(), mesh.position.size());
  for (const Float3& n : mesh.normal) EXPECT_NEAR(std::hypot(double(n[0]), n[1], n[2]), 1, 1e-6);
}
void expect_coordinates(const SurfaceMesh& mesh) {
  ASSERT_EQ(mesh.uv.size(), mesh.position.size());
  Float2 least{1, 1}, most{0, 0};
  for (const Float2& uv : mesh.uv)
    for (size_t k = 0; k < 2; ++k) {
      least[k] = std::min(least[k], uv[k]);
      most[k] = std::max(most[k], uv[k]);
    }
  EXPECT_EQ(least, (Float2{0, 0}));
  EXPECT_EQ(most, (Float2{1, 1}));
}

TEST(SheetSkin, IsTheSheet) {
  const SkinBody body = tilted_sheet();
  for (const SkinParticles& now : {at_rest(body), bent(body)}) {
    const SurfaceMesh mesh = skin(body, now);
    EXPECT_EQ(mesh.position, now.position);
    EXPECT_EQ(mesh.velocity, now.velocity);
    EXPECT_EQ(mesh.triangles, body.surface.triangles);
    // Chords of 0.05 m on 0.5 m: (s/r)^2 / 24 = 4e-4 shorter.
    EXPECT_NEAR(area_of(mesh) / area, 1, 5e-4);
    expect_unit_normals(mesh);
    expect_coordinates(mesh);
    for (int j = 0; j < 9; ++j)
      for (int i = 0; i < 13; ++i) {
        EXPECT_NEAR(mesh.uv[size_t(i + 13 * j)][0], i / 12.0, 1e-6);
        EXPECT_NEAR(mesh.uv[size_t(i + 13 * j)][1], j / 8.0, 1e-6);
      }
  }
  for (const Float3& n : skin(body, at_rest(body)).normal)  // edge_u x edge_v
    EXPECT_NEAR(n[0] * 0.8 - n[1] * 0.6, 1, 1e-6);
}

TEST(SheetSkin, WithThicknessItEnclosesAreaTimesThickness) {
  SkinBody body = tilted_sheet();
  for (const float thickness : {0.002f, 0.03f}) {
    body.binding.thickness = thickness;
    for (const SkinParticles& now : {at_rest(body), bent(body)}) {
      const SurfaceMesh mesh = skin(body, now);
      const TriangleMesh closed{mesh.position, mesh.triangles};
      EXPECT_NO_THROW(require_closed(closed, "the sheet"));
      // Bent: chords, and the outer layer is longer by as much as the inner one is shorter.
      EXPECT_NEAR(mesh_volume(closed) / (area * double(thickness)), 1, 3e-3);
      EXPECT_NEAR(area_of(mesh), 2 * area + 2 * (width + height) * double(thickness), 2e-3 * area);
      expect_unit_normals(mesh);
      expect_coordinates(mesh);
      EXPECT_EQ(mesh.velocity, std::vector<Float3>(2 * body.rest.size(), Float3{0, 0, 2}));
    }
  }
}

TEST(SheetSkin, TornTrianglesAreLeftOut) {
  SkinBody body = tilted_sheet();
  body.binding.thickness = 0.01f;
  SkinParticles now = at_rest(body);
  for (size_t i = 0; i < body.rest.size(); ++i) now.fragment.push_back(i % 13 > 5);
  const SurfaceMesh cut = skin(body, now);  // one of twelve columns of cells is torn
  const double whole = area * 0.01;
  const TriangleMesh pieces{cut.position, cut.triangles};
  EXPECT_NO_THROW(require_closed(pieces, "the pieces"));
  EXPECT_NEAR(mesh_volume(pieces), whole * 11 / 12, 1e-3 * whole);
  for (const Triangle& t : cut.triangles)
    for (const int corner : t)
      EXPECT_EQ(now.fragment[size_t(corner) % body.rest.size()],
                now.fragment[size_t(t[0]) % body.rest.size()]);

  now.fragment.clear();
  for (size_t i = 0; i < body.rest.size(); ++i)
    if (i % 13 > 5) now.position[i][2] += 0.1f;  // one column is stretched to more than twice its length
  body.binding.thickness = 0;
  EXPECT_EQ(skin(body, now).triangles.size(), body.surface.triangles.size());
  body.binding.most_stretch = 1;
  EXPECT_EQ(skin(body, now).triangles.size(), body.surface.triangles.size() * 11 / 12);
  EXPECT_NEAR(area_of(skin(body, now)), area * 11 / 12, 1e-6);
  expect_unit_normals(skin(body, now));
}

/// A bag of cloth has no border and no mean normal.
TEST(SheetSkin, AClosedMesh) {
  SkinBody body{0, 0, {SkinMotion::sheet}, 0, test::cube().vertices, test::cube()};
  const SurfaceMesh single = skin(body, at_rest(body));
  EXPECT_EQ(single.triangles, body.surface.triangles);
  expect_coordinates(single);
  body.binding.thickness = 0.01f;
  const SurfaceMesh mesh = skin(body, at_rest(body));
  const TriangleMesh closed{mesh.position, mesh.triangles};
  EXPECT_NO_THROW(require_closed(closed, "the bag"));
  EXPECT_EQ(mesh.triangles.size(), 24u);
  EXPECT_GT(mesh_volume(closed), 0);
}

}  // namespace sheet_skin_test
MERGANSER_END
