/// The volume map of a mesh node by node, against plain sums in double precision; tables that fluids share.
#include <gtest/gtest.h>

#include <random>

#include "solvers/core/smoothing_kernels.h"
#include "solvers/geometry/signed_distance/solid_share.h"
#include "tests/support/made_meshes.h"
#include "tests/support/note.h"
#include "tests/support/placed_mesh.h"
#include "tests/support/solid_share_reference.h"

MERGANSER_BEGIN
namespace solid_share_table_test {

constexpr float h = 0.06f;
constexpr double cell = 0.025;

FieldParameters parameters(double thickness, bool inside) {
  return {.thickness = thickness, .inside = inside, .cell = cell, .reach = 2 * h + cell};
}

/// Where no node's sight depends on rounding, only single precision differs: sums over 500 nodes.
template <class Kernel>
void expect_plain_sums(TriangleMesh mesh, double thickness, bool inside, const Kernel&) {
  test::transform(mesh, {.rotation_axis = {1, 2, 3}, .rotation_angle = 0.7, .translation = {0.2, -0.1, 0.3}});
  const DistanceField field(make_mesh_tree(mesh), parameters(thickness, inside), "mesh");
  const SolidShare made(field.view(), Kernel(1), h, field.is_sheet());
  const std::vector<FieldSample> share = to_host(made.view().share);
  const std::vector<float> moment = to_host(made.view().moment);
  const PlainField plain(field.view());
  ASSERT_EQ(int(share.size()), plain.count());

  std::mt19937 random(11);
  std::uniform_int_distribution<int> draw(0, plain.count() - 1);
  int beside = 0, undecided = 0;
  double worst = 0, worst_gradient = 0, worst_moment = 0;
  for (int sample = 0; sample < 1500; ++sample) {
    const int k = draw(random);
    const PlainShare expected = plain.share(k, Kernel(double(h)), double(h), field.is_sheet());
    undecided += expected.undecided;
    if (expected.undecided) continue;
    beside += std::abs(expected.value) > 0.01;
    const FieldSample& found = share[size_t(k)];
    worst = std::max(worst, std::abs(double(found.value) - expected.value));
    worst_gradient =
        std::max(worst_gradient, norm(to_double(found.gradient) - expected.gradient) * double(h));
    worst_moment = std::max(worst_moment, std::abs(double(moment[size_t(k)]) - expected.moment));
  }
  note("share %.1e, gradient %.1e, moment %.1e; %d of 1500 nodes beside edges, %d undecided\n", worst,
       worst_gradient, worst_moment, beside, undecided);
  EXPECT_LT(worst, 5e-6);
  EXPECT_LT(worst_gradient, 5e-6);
  EXPECT_LT(worst_moment, 5e-6);
  EXPECT_GT(beside, 50);
  EXPECT_LT(undecided, 75);
}

/// A bowl: the lower half of a ball, open.
TriangleMesh bowl(double radius) {
  TriangleMesh mesh = test::ball_mesh({0, 0, 0}, radius, 3);
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    return mesh.vertices[size_t(t[0])][2] + mesh.vertices[size_t(t[1])][2] > 0;
  });
  return mesh;
}

/// Two sheets that meet at a right angle.
TriangleMesh corner_of_sheets() {
  TriangleMesh sheet;
  sheet.vertices = {{0, -0.2f, 0}, {0.2f, -0.2f, 0}, {0.2f, 0.2f, 0},
                    {0, 0.2f, 0},  {0, -0.2f, 0.2f}, {0, 0.2f, 0.2f}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {0, 5, 4}};
  return sheet;
}

TEST(SolidShareTable, ClosedMeshesArePlainSums) {
  for (const bool inside : {false, true}) {
    expect_plain_sums(test::box_mesh({-0.2, -0.15, -0.1}, {0.2, 0.15, 0.03}), 0, inside,
                      WendlandC2<double>(1));
    expect_plain_sums(test::ball_mesh({0, 0, 0}, 0.14, 3), 0, inside, CubicSpline<double>(1));
  }
}

/// Thinner and thicker than two cells, so that samples in the middle of a sheet are and are not deep.
TEST(SolidShareTable, SheetsArePlainSums) {
  for (const double thickness : {0.03, 0.042, 0.06}) {
    expect_plain_sums(corner_of_sheets(), thickness, false, WendlandC2<double>(1));
    expect_plain_sums(bowl(0.17), thickness, false, CubicSpline<double>(1));
  }
}

/// Those of one h and one type of kernel, as long as one lives.
TEST(SolidShareTable, IsMadeOnceForFluidsOfOneKernel) {
  const auto field = std::make_shared<const DistanceField>(
      make_mesh_tree(test::box_mesh({-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2})), parameters(0, false), "mesh");
  const auto first = shared_solid_share(field, WendlandC2<double>(1), h);
  EXPECT_EQ(shared_solid_share(field, WendlandC2<double>(1), h), first);
  EXPECT_NE(shared_solid_share(field, CubicSpline<double>(1), h), first);
  EXPECT_NE(shared_solid_share(field, WendlandC2<double>(1), 0.9f * h), first);
  const auto other = std::make_shared<const DistanceField>(
      make_mesh_tree(test::box_mesh({-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2})), parameters(0, false), "mesh");
  EXPECT_NE(shared_solid_share(other, WendlandC2<double>(1), h), first);
}

}  // namespace solid_share_table_test
MERGANSER_END
