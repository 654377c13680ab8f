/// Images of particles behind plane walls, against all images of all particles by hand in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/dfsph/image_kernels.h"
#include "solvers/methods/dfsph/image_walls.h"
#include "solvers/methods/dfsph/pressure_kernels.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace dfsph_wall_images_test {

constexpr float spacing = 0.1f, h = spacing;

/// Of each row: particles that are not behind walls, those that are, and images.
struct CountRow {
  static constexpr const char* name = "test count row";
  NeighborRowsView rows;
  ApartView apart;
  int count;
  View<int> particles, behind, images;  ///< written
  MERGANSER_METHOD void operator()(int i) const {
    particles[i] = images[i] = behind[i] = 0;
    for (int k = 0; k < rows.length[i]; ++k) {
      const int j = rows.neighbor(i, k);
      ++(j >= count ? images : apart.behind_wall(j) ? behind : particles)[i];
    }
  }
};

/// A cloud in a tank that is turned and moves, and a plane behind its floor, which no particle sees.
class DfsphWallImages : public testing::Test {
 protected:
  static constexpr int count = 600;
  const Rotation turn = Rotation::about({1, 2, 3}, 0.7);
  const Point3 centre{0.4, 0.3, 0.3}, high{0.8, 0.6, 0.6}, speed{0.3, -0.2, 0.5};  // speed [m/s]

  void SetUp() override {
    initial.walls = {{.shape = WallShape::box,
                      .low = {0, 0, 0},
                      .high = high,
                      .rotation_axis = {1, 2, 3},
                      .rotation_angle = 0.7,
                      .motion = {.velocity = speed}}};
    const Point3 behind = in_world({0.4, 0.3, -0.02});
    initial.walls.push_back({.shape = WallShape::plane,
                             .point = behind,
                             .direction = turn({0, 0, 1}),
                             .motion = {.velocity = speed}});
    walls = Walls(initial.walls);
    walls.place(0, 0, 0.1);
    for (int i = 0; i < count; ++i) {
      const Vec3 r = random_vector(i);
      const Point3 x{(r.x + 0.5) * high[0], (r.y + 0.5) * high[1], (r.z + 0.5) * high[2]};
      const Point3 p = in_world(x);
      position.push_back({float(p[0]), float(p[1]), float(p[2])});
    }
    const Array<Vec3> unsorted(position);
    grid.build(unsorted.const_view(), 2 * h);
    std::vector<Vec3> sorted;
    for (const int i : to_host(grid.order())) sorted.push_back(position[size_t(i)]);
    position = sorted;
    device_position.assign(position);
    grid.use_permuted(device_position.const_view());
    images.emplace(initial, 2 * h);
    images->find(walls.view(), device_position.const_view());
    rows.build(grid.view(), 2 * h, images->neighbors());
    packed.resize(count + images->count());
    vectors.resize(count + images->count());
    std::vector<Quad> quads;
    for (const Vec3& x : position) quads.push_back({x.x, x.y, x.z, 1 / 1000.0f});
    fill(packed, quads);
    images->place(packed.view());
  }
  Point3 in_world(const Point3& x) const {
    using namespace point_arithmetic;
    return centre + turn(x - centre);
  }
  static void fill(Array<Quad>& array, const std::vector<Quad>& first) {
    copy_to_device(array.data(), first.data(), sizeof(Quad) * first.size());
  }
  std::vector<Quad> random_quads(int stream) const {
    std::vector<Quad> quads;
    for (int i = 0; i < count; ++i) {
      const Vec3 v = random_vector(i, stream);
      quads.push_back({v.x, v.y, v.z, 1000 * (v.x + 0.5f)});
    }
    return quads;
  }
  RowPairs<CubicSpline<float>> pairs() {
    return {CubicSpline<float>(h), std::pow(spacing, 3.0f), rows.view(), packed.const_view(), {}};
  }
  /// Calls visit(j, x_i - x_j', W'/r, normals) for j and its images within 2h of i, i itself left out;
  /// normals along which the image is mirrored, in the tank's axes.
  template <class Visit>
  void for_each_pair(int i, const Visit& visit) const {
    using namespace point_arithmetic;
    const CubicSpline<double> kernel(h);
    const auto in_tank = [&](int k) {
      const Vec3& x = position[size_t(k)];
      return centre + turn.inverse()(Point3{x.x, x.y, x.z} - centre);
    };
    const Point3 x = in_tank(i);
    for (int j = 0; j < count; ++j) {
      const Point3 y = in_tank(j);
      for (int set = 0; set < 27; ++set) {
        if (set == 0 && j == i) continue;
        Point3 image = y;
        std::array<bool, 3> mirrored{};
        for (size_t axis = 0, rest = size_t(set); axis < 3; ++axis, rest /= 3) {
          mirrored[axis] = rest % 3 != 0;
          if (rest % 3 == 1) image[axis] = -y[axis];
          if (rest % 3 == 2) image[axis] = 2 * high[axis] - y[axis];
        }
        const Point3 d = x - image;
        if (length(d) < 2 * h) visit(j, d, kernel.gradient_factor(length(d)), mirrored);
      }
    }
  }
  Point3 to_tank(const Quad& q) const { return turn.inverse()({q.x, q.y, q.z}); }

  InitialState initial;
  Walls walls;
  std::vector<Vec3> position;
  UniformGrid grid;
  NeighborRows rows;
  Array<Vec3> device_position;
  Array<Quad> packed, vectors;
  std::optional<WallImages> images;
  const double volume = std::pow(double(spacing), 3);
};

/// rho_i/rho0 - 1. Roundings of distances, 1e-6 of sums of order 1; pairs at the rim count
/// for nothing.
TEST_F(DfsphWallImages, AddTheirShareOfTheDensity) {
  Array<float> compression(count), inverse(count);
  Array<Quad> wall(count);
  launch(count, DfsphFactors<CubicSpline<float>, PlaneWallView>{.pairs = pairs(),
                                                                .walls = {},
                                                                .fill = WallFillView{},
                                                                .least_diagonal = 0,
                                                                .compression = compression.view(),
                                                                .inverse_diagonal = inverse.view(),
                                                                .wall = wall.view()});
  const auto found = compression.to_host();
  const CubicSpline<double> kernel(h);
  double beside = 0;
  for (int i = 0; i < count; ++i) {
    double sum = volume * kernel.value(0.0) - 1, by_images = 0;
    for_each_pair(i, [&](int, const Point3& d, double, const std::array<bool, 3>& mirrored) {
      const double share = volume * kernel.value(point_arithmetic::length(d));
      sum += share;
      if (mirrored[0] || mirrored[1] || mirrored[2]) by_images += share;
    });
    EXPECT_NEAR(found[size_t(i)], sum, 5e-6) << i;
    beside = std::max(beside, by_images);
  }
  EXPECT_GT(beside, 1);  // in corners
}

/// The rate counts the walls' velocity, and images continue accelerations as walls at rest do.
TEST_F(DfsphWallImages, MoveWithTheirSourcesAndWalls) {
  const std::vector<Quad> v = random_quads(5);
  const Point3 of_wall = turn.inverse()(speed);
  for (const bool of_motion : {true, false}) {
    fill(vectors, v);
    if (of_motion)
      images->move(ImageMotion::mirrored, walls.view(), packed.const_view(), vectors.view());
    else
      images->mirror(vectors.view());
    const std::vector<Quad> all = vectors.to_host();
    const auto view = images->view();
    const std::vector<WallImage> found = to_host(view);
    ASSERT_GT(found.size(), 1000u);
    for (size_t k = 0; k < found.size(); ++k) {
      Point3 expected = to_tank(v[size_t(found[k].source)]);
      const Point3 seen = to_tank(all[size_t(count) + k]);
      for (const Vec3& normal : found[k].normal) {
        const Point3 n = to_tank({normal.x, normal.y, normal.z, 0});
        for (size_t axis = 0; axis < 3; ++axis)
          if (std::abs(n[axis]) > 0.5) expected[axis] = (of_motion ? 2 * of_wall[axis] : 0) - expected[axis];
      }
      for (size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(seen[axis], expected[axis], 2e-6) << k;
    }
  }
}

/// Accelerations by pressures are those of pairs with all images; and with the rate of the density they are
/// adjoint: sum m a.b = -sum V p D(rho/rho0)/Dt(b). Both to the rounding of their terms.
TEST_F(DfsphWallImages, ForceIsAdjointToTheRate) {
  const std::vector<Quad> pressed = random_quads(6), b = random_quads(7);
  std::vector<Quad> quads = to_host(View<const Quad>(packed.const_view().subview(0, count)));
  for (size_t i = 0; i < quads.size(); ++i) quads[i].w = pressed[i].w;
  fill(packed, quads);
  images->follow(packed.view());
  PressureState active{};
  active.active = 1;
  const Array<PressureState> state(std::vector<PressureState>{active});
  const Array<float> mobility(std::vector<float>(count, 1 / 1000.0f));
  const Array<Quad> wall(std::vector<Quad>(count, Quad{0, 0, 0, 1}));
  launch(count, PressureAcceleration<CubicSpline<float>>{.pairs = pairs(),
                                                         .state = state.const_view(),
                                                         .mobility = mobility.const_view(),
                                                         .wall = wall.const_view(),
                                                         .acceleration = vectors.view()});
  const std::vector<Quad> a = vectors.to_host();
  double work = 0, given = 0, terms = 0;
  for (int i = 0; i < count; ++i) {
    const double p = pressed[size_t(i)].w;
    Point3 sum{0, 0, 0};
    double rate = 0;
    const Point3 own = to_tank(b[size_t(i)]);
    for_each_pair(i, [&](int j, const Point3& d, double factor, const std::array<bool, 3>& mirrored) {
      Point3 other = to_tank(b[size_t(j)]);
      for (size_t axis = 0; axis < 3; ++axis) {
        sum[axis] -= volume / 1000 * factor * (p + pressed[size_t(j)].w) * d[axis];
        rate += volume * factor * (own[axis] - (mirrored[axis] ? -1 : 1) * other[axis]) * d[axis];
      }
    });
    const Point3 found = to_tank(a[size_t(i)]);
    for (size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(found[axis], sum[axis], 1e-4 * (1 + std::abs(sum[axis]))) << i;
    work += 1000 * volume * point_arithmetic::dot(found, own);
    given -= volume * p * rate;
    terms += std::abs(volume * p * rate);
  }
  EXPECT_NEAR(work, given, 1e-5 * terms);
}

/// What stands apart from images has none and sees none, and what is behind a wall has no neighbors at all;
/// others keep theirs.
TEST_F(DfsphWallImages, OfWhatStandsApartThereAreNone) {
  const auto apart_of = [](int i) { return i % 5 == 0 ? i % 10 == 0 ? 2 : 1 : 0; };
  std::vector<int> marks;
  for (int i = 0; i < count; ++i) marks.push_back(apart_of(i));
  const Array<int> of(marks);
  const ApartView apart{of.const_view(), true};
  const auto all_images = to_host(images->view());
  images->find(walls.view(), device_position.const_view(), apart);
  size_t expected = 0, without = 0;
  for (const WallImage& image : all_images) (apart_of(image.source) == 0 ? expected : without) += 1;
  const auto left = to_host(images->view());
  EXPECT_EQ(
      std::count_if(left.begin(), left.end(), [](const WallImage& image) { return image.wall[0] >= 0; }),
      expected);
  EXPECT_GT(expected, 1000u);
  EXPECT_GT(without, 100u);
  for (const WallImage& image : left)
    if (image.wall[0] >= 0) {
      EXPECT_EQ(apart_of(image.source), 0);
    }

  const auto neighbors = [&] {
    Array<int> particles(count), behind(count), shown(count);
    launch(count, CountRow{rows.view(), apart, count, particles.view(), behind.view(), shown.view()});
    return std::array{particles.to_host(), behind.to_host(), shown.to_host()};
  };
  rows.build(grid.view(), 2 * h, images->neighbors());
  const auto [particles_before, behind_before, shown_before] = neighbors();
  Array<int> whole(count);
  launch(count, LeaveOutPairs{{}, apart, rows.view(), whole.view(), rows.first_further()});
  const auto [particles, behind, shown] = neighbors();
  for (size_t i = 0; i < size_t(count); ++i) {
    EXPECT_EQ(particles[i], marks[i] == 2 ? 0 : particles_before[i]) << i;
    EXPECT_EQ(behind[i], 0) << i;
    EXPECT_EQ(shown[i], shown_before[i]) << i;
    if (marks[i] != 0) {
      EXPECT_EQ(shown[i], 0) << i;
    }
  }
}

/// Walls that show no images are refused by name.
TEST(DfsphImageWalls, OnlyPlanesAndTanksAtRightAnglesShowImages) {
  InitialState initial;
  const auto refused = [&](const std::vector<WallParameters>& walls) -> std::string {
    initial.walls = walls;
    SystemState water;
    water.name = "water";
    try {
      expect_image_walls(water, initial);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const WallParameters floor{.shape = WallShape::plane, .direction = {0, 0, 2}};
  const WallParameters box{.shape = WallShape::box, .low = {0, 0, 0}, .high = {1, 1, 1}};
  EXPECT_EQ(refused({floor, box}), "");
  WallParameters changed = box;
  changed.motion.velocity = {1, 0, 0};
  EXPECT_EQ(refused({floor, changed}), "");
  changed.motion.angular_velocity = {0, 0, 1};
  EXPECT_NE(refused({floor, changed}).find("walls[1] turns"), std::string::npos);
  changed = box;
  changed.inside = false;
  EXPECT_NE(refused({floor, changed}).find("walls[1] is another shape"), std::string::npos);
  changed = box;
  changed.rotation_axis = {1, 0, 0};
  changed.rotation_angle = 0.3;
  EXPECT_EQ(refused({changed}), "");
  EXPECT_NE(refused({floor, changed}).find("walls[1] and walls[0]"), std::string::npos);
  changed = floor;
  changed.boundary = BoundaryMethod::samples;
  EXPECT_NE(refused({changed}).find("samples"), std::string::npos);
  changed = floor;
  changed.direction = {0, -1, 0};
  initial.periodic_length = {0.5, 0, 0};
  EXPECT_EQ(refused({floor, changed}), "");
  initial.periodic_length = {0.5, 0.25, 0};
  EXPECT_EQ(refused({floor}), "");
  for (const char* part : {"systems.water.wallPressure", "images", "walls[1]", "axis y",
                           "simulation.periodic.length, there 0.25 m, to 0", "mirrored"})
    EXPECT_NE(refused({floor, changed}).find(part), std::string::npos) << part;
}

}  // namespace dfsph_wall_images_test
MERGANSER_END
