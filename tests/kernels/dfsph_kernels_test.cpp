/// DFSPH's kernels against sums over all pairs in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/methods/dfsph/pressure_kernels.h"
#include "solvers/methods/dfsph/sources.h"
#include "solvers/methods/dfsph/wall_offset.h"
#include "tests/support/dfsph_reference.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace dfsph_kernels_test {

constexpr float spacing = 0.1f;

/// How many entries of a row are neighbors, each another one than the entry before.
struct CountNeighbors {
  static constexpr const char* name = "test count neighbors";
  View<const Vec3> position;
  NeighborRowsView rows;
  float radius;
  View<int> found;
  MERGANSER_METHOD void operator()(int i) const {
    int before = i, count = 0;
    for (int k = 0; k < rows.length[i]; ++k) {
      const int j = rows.neighbor(i, k);
      count += j != i && j != before && norm_squared(position[i] - position[j]) < radius * radius;
      before = j;
    }
    found[i] = count;
  }
};

/// A random cloud of two densities on a floor, periodic in y, as dense as a fluid on average.
class DfsphKernels : public testing::Test {
 protected:
  void SetUp() override {
    const Vec3 period{0, 0.8f, 0};
    std::vector<Vec3> x = random_points(700, 1.0f);
    for (Vec3& p : x) p = {p.x, 0.8f * (p.y + 0.5f) * 0.999f, p.z + 0.5f};
    grid.set_periodic({0, 0, 0}, period);
    const Array<Vec3> unsorted(x);
    grid.build(unsorted.const_view(), 2 * h);
    for (int i : to_host(grid.order())) {
      sorted.push_back(x[size_t(i)]);
      mobility.push_back(i % 3 == 0 ? 1 / 800.0f : 1 / 1000.0f);
    }
    mobility[5] = 0;  // immobile
    positions.assign(sorted);
    grid.use_permuted(positions.const_view());
    rows.build(grid.view(), 2 * h);
    walls = Walls({{.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {0, 0, 1}}});
    offset = wall_offset(CubicSpline<double>(1), spacing, h);
    fill = WallVolumeMap(CubicSpline<double>(1), h, offset);

    reference.h = h;
    reference.kernel = CubicSpline<double>(h);
    reference.volume = std::pow(double(spacing), 3);
    reference.period_y = 0.8;
    reference.wall_z = -offset;
    for (size_t i = 0; i < sorted.size(); ++i) {
      reference.position.push_back(to_double(sorted[i]));
      reference.mobility.push_back(mobility[i]);
    }
    image = {period, true};
    pack(mobility);
    const int n = int(sorted.size());
    for (Array<float>* a : {&compression, &inverse_diagonal}) a->resize(n);
    wall.resize(n);
    find_factors(0);
  }
  void find_factors(float least_diagonal) {
    launch(int(sorted.size()),
           DfsphFactors<CubicSpline<float>>{pairs(), walls.view(), fill.view(), least_diagonal,
                                            compression.view(), inverse_diagonal.view(), wall.view()});
  }
  RowPairs<CubicSpline<float>> pairs() {
    return {CubicSpline<float>(h), float(reference.volume), rows.view(), packed.const_view(), image};
  }
  void pack(const std::vector<float>& w) {
    std::vector<Quad> quads;
    for (size_t i = 0; i < sorted.size(); ++i) quads.push_back({sorted[i].x, sorted[i].y, sorted[i].z, w[i]});
    packed.assign(quads);
  }
  std::vector<float> random_pressures() const {
    std::vector<float> p;
    for (size_t i = 0; i < sorted.size(); ++i)
      p.push_back(1000 * uniform_float(test_bits(int(i), 3).word[0]));
    return p;
  }

  const float h = 1.1f * spacing;
  UniformGrid grid;
  NeighborRows rows;
  Walls walls;
  WallVolumeMap fill;
  float offset = 0;
  NearestImage image{};
  std::vector<Vec3> sorted;
  std::vector<float> mobility;
  Array<Vec3> positions;
  Array<Quad> packed, wall;
  Array<float> compression, inverse_diagonal;
  dfsph_test::Reference reference{{}, {}, 1, 1};
};

TEST_F(DfsphKernels, RowsHoldEveryNeighborOnce) {
  const auto length = to_host(View<const int>(rows.view().length));
  long long pairs_seen = 0, pairs_wanted = 0;
  for (int n : length) pairs_seen += n;
  for (size_t i = 0; i < sorted.size(); ++i)
    for (size_t j = 0; j < sorted.size(); ++j)
      pairs_wanted += i != j && norm(reference.between(i, j)) < 2.0 * h;
  EXPECT_GT(pairs_seen, 10000);
  EXPECT_NEAR(double(pairs_seen), double(pairs_wanted), 4);  // pairs at the very rim
}
/// A plate whose layer of cells holds 65,000 particles: neighbors above are too far away for 16 bits.
TEST(DfsphRows, WideWhereALayerHoldsManyParticles) {
  const int n = 180;
  for (const int layers : {2, 3}) {
    std::vector<Vec3> x;
    for (int layer = 0; layer < layers; ++layer)
      for (int b = 0; b < n; ++b)
        for (int a = 0; a < n; ++a) x.push_back({float(a) + 0.5f, float(b) + 0.5f, float(layer) + 0.5f});
    UniformGrid grid;
    const Array<Vec3> unsorted(x);
    grid.build(unsorted.const_view(), 2);
    std::vector<Vec3> sorted;
    for (int i : to_host(grid.order())) sorted.push_back(x[size_t(i)]);
    const Array<Vec3> position(sorted);
    grid.use_permuted(position.const_view());
    NeighborRows rows;
    rows.build(grid.view(), 1.2f);
    EXPECT_EQ(rows.view().near == nullptr, layers == 3);
    Array<int> found(position.size());
    launch(position.size(), CountNeighbors{position.const_view(), rows.view(), 1.2f, found.view()});
    long long links = 0;
    for (int count : found.to_host()) links += count;
    EXPECT_EQ(links, 2LL * (2 * layers * n * (n - 1) + (layers - 1) * n * n));
  }
}
/// Float sums of some 30 terms of order 1: errors of some 1e-6; tables of 256 pieces: 1e-5.
TEST_F(DfsphKernels, DensityAndDiagonal) {
  const auto found = compression.to_host(), inverse = inverse_diagonal.to_host();
  for (size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_NEAR(found[i], reference.compression(i), 5e-5) << i;
    if (i % 23 != 0) continue;  // the reference is slow
    const double diagonal = reference.diagonal(i);
    if (diagonal > 1e-6) {
      EXPECT_NEAR(1 / inverse[i] / diagonal, 1, 2e-4) << i;
    }
  }
}
TEST_F(DfsphKernels, WhatIsHardlyPushedTakesNoPart) {
  const auto all = inverse_diagonal.to_host();
  std::vector<float> diagonals;
  for (const float inverse : all) diagonals.push_back(inverse > 0 ? 1 / inverse : 0.0f);
  std::nth_element(diagonals.begin(), diagonals.begin() + 20, diagonals.end());
  const float least = diagonals[20];
  find_factors(least);
  const auto some = inverse_diagonal.to_host();
  for (size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(some[i], all[i] > 0 && 1 / all[i] > 1.0001f * least ? all[i] : some[i] > 0 ? all[i] : 0.0f);
  EXPECT_GE(std::count(some.begin(), some.end(), 0.0f), 20);
}
TEST_F(DfsphKernels, PressureAccelerationAndOneIteration) {
  const std::vector<float> p = random_pressures();
  pack(p);
  const int n = int(sorted.size());
  int at_wall = 0;
  for (const Quad& q : wall.to_host()) at_wall += q.w < 1;
  EXPECT_GT(at_wall, 100);
  Array<Quad> acceleration(n);
  PressureState start{};
  start.dt = 0.01f, start.stiffest = 4, start.active = 1, start.max_iterations = 9, start.min_iterations = 9;
  start.momentum = 0.5f;
  Array<PressureState> state(std::vector<PressureState>{start});
  Array<float> mobilities(mobility);
  launch(n, PressureAcceleration<CubicSpline<float>>{pairs(), state.const_view(), mobilities.const_view(),
                                                     wall.const_view(), acceleration.view()});
  const std::vector<double> exact(p.begin(), p.end());
  const std::vector<Vec3d> a = reference.acceleration(exact);
  const auto found = acceleration.to_host();
  double largest = 0;
  for (const Vec3d& v : a) largest = std::max(largest, norm(v));
  for (size_t i = 0; i < sorted.size(); ++i)
    EXPECT_LT(norm(Vec3d{found[i].x, found[i].y, found[i].z} - a[i]), 2e-5 * largest) << i;
  EXPECT_EQ(found[5].x, 0);

  std::vector<float> sources, before;
  for (size_t i = 0; i < sorted.size(); ++i) {
    sources.push_back(0.2f * uniform_float(test_bits(int(i), 4).word[0]) - 0.05f);
    before.push_back(0.9f * p[i]);
  }
  Array<float> source(sources), pressure(before), last_pressure(n), last_residual(n);
  const Array<float> full(std::vector<float>(sorted.size(), -0.09f));
  Reduction<PressureResiduals> residuals;
  residuals.run(n, PressureUpdate<CubicSpline<float>>{.pairs = pairs(),
                                                      .state = state.view(),
                                                      .acceleration = acceleration.const_view(),
                                                      .source = source.const_view(),
                                                      .inverse_diagonal = inverse_diagonal.const_view(),
                                                      .wall = wall.const_view(),
                                                      .compression = full.const_view(),
                                                      .count = n,
                                                      .pressure = pressure.view(),
                                                      .last_pressure = last_pressure.view(),
                                                      .last_residual = last_residual.view(),
                                                      .position = packed.view()});
  const auto stepped = pressure.to_host(), inverse = inverse_diagonal.to_host();
  const auto ahead = packed.to_host();
  const double dt2 = 1e-4;
  double error = 0, lowest = 1e30;
  for (size_t i = 0; i < sorted.size(); ++i) {
    lowest = std::min(lowest, inverse[i] > 0 ? double(stepped[i]) : 0);
    if (!(inverse[i] > 0)) continue;
    const double residual = sources[i] + dt2 * reference.rate(i, a), scale = double(inverse[i]) / dt2;
    const double next = std::max(0.0, p[i] + scale * residual / 4);
    error += std::abs(std::max(residual, -p[i] / scale));
    EXPECT_NEAR(stepped[i], next, 1e-3 * (1 + std::abs(next))) << i;
    EXPECT_NEAR(ahead[i].w, std::max(0.0, next + 0.5 * (next - before[i])), 2e-3 * (1 + std::abs(next))) << i;
  }
  const PressureState after = read_back(state.const_view(), 0);
  EXPECT_NEAR(after.error, error / n, 1e-4 * error / n);
  EXPECT_EQ(after.iterations, 1);
  EXPECT_EQ(after.level, float(lowest));
}
TEST_F(DfsphKernels, MeanOverNeighbors) {
  const auto number = compression.to_host();
  pack(std::vector<float>(sorted.size(), 0));
  launch(compression.size(), PackFluidCompression{compression.const_view(), packed.view()});
  Array<float> mean(compression.size());
  launch(mean.size(), NeighborMean<CubicSpline<float>>{pairs(), mean.view()});
  const auto found = mean.to_host();
  std::vector<double> counted;
  for (const float c : number) counted.push_back(c > -0.05f ? c : 0);
  for (size_t i = 0; i < sorted.size(); ++i) EXPECT_NEAR(found[i], reference.mean(i, counted), 1e-5) << i;
}
/// Pair forces are equal and opposite: what the wall does not give, the particles give each other.
TEST_F(DfsphKernels, RatesSeeTheWallAndVelocities) {
  std::vector<Quad> quads;
  std::vector<Vec3d> v;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const RandomBits bits = test_bits(int(i), 6);
    quads.push_back(
        {uniform_float(bits.word[0]), uniform_float(bits.word[1]), uniform_float(bits.word[2]), 0});
    v.push_back({quads.back().x, quads.back().y, quads.back().z});
  }
  Array<Quad> velocity(quads);
  Array<float> source(int(sorted.size()));
  std::vector<float> means;
  for (size_t i = 0; i < sorted.size(); ++i)
    means.push_back(0.05f * uniform_float(test_bits(int(i), 8).word[0]) - 0.025f);
  pack(means);
  const std::vector<double> packed_means(means.begin(), means.end());
  int above = 0, bounded = 0, bounded_at_all = 0, held_back = 0;
  std::vector<float> at_rest;
  for (size_t i = 0; i < sorted.size(); ++i)
    at_rest.push_back(0.03f * uniform_float(test_bits(int(i), 9).word[0]));
  const std::vector<float> p = random_pressures();
  const Array<float> excess(at_rest), pressure(p), mobilities(mobility);
  for (const CompressionBounds& bounds :
       {CompressionBounds{1, 0.03f}, CompressionBounds{0.3f, any_compression}}) {
    launch(source.size(), DensitySource<CubicSpline<float>>{.pairs = pairs(),
                                                            .velocity = velocity.const_view(),
                                                            .wall = wall.const_view(),
                                                            .walls = walls.view(),
                                                            .fill = fill.view(),
                                                            .dt = 0.01f,
                                                            .compression = compression.const_view(),
                                                            .excess = excess.const_view(),
                                                            .bound = 0.004f,
                                                            .bounds = bounds,
                                                            .pressure = pressure.const_view(),
                                                            .mobility = mobilities.const_view(),
                                                            .reach = 0.5f,
                                                            .source = source.view()});
    const auto found = source.to_host();
    for (size_t i = 0; i < sorted.size(); ++i) {
      const double smooth = reference.mean(i, packed_means);
      const double now = reference.compression(i) - at_rest[i] - 0.95 * std::clamp(smooth, -0.004, 0.004);
      const double there = std::max(0.0, reference.compression(i) - at_rest[i]);
      const bool falls = p[i] * mobility[i] < 0.5f;
      const double prompt = falls ? std::min(now, there) : now;
      held_back += falls && now > there;
      above += prompt > 0.02 && bounds.share < 1;
      bounded_at_all += prompt > bounds.most;
      bounded += std::abs(smooth) > 0.004;
      const double taken = std::min(prompt > 0 ? bounds.share * prompt : prompt, double(bounds.most));
      EXPECT_NEAR(found[i], taken + 0.01 * reference.rate(i, v), 2e-4) << i;
    }
  }
  EXPECT_GT(above, 10);
  EXPECT_GT(bounded, 10);
  EXPECT_GT(bounded_at_all, 10);
  EXPECT_GT(held_back, 10);
  EXPECT_LT(bounded, 2 * int(sorted.size()) - 10);
}
/// The divergence source leaves out who has few neighbors, and finds where the density solve starts from the
/// same pairs: p less 0.95 of the mean of its change, for the fluid rests.
TEST_F(DfsphKernels, DivergenceSourceFollowsPressures) {
  const int n = int(sorted.size());
  const std::vector<float> changes = random_pressures();
  pack(changes);
  std::vector<Quad> quads;
  std::vector<Vec3d> v;
  for (int i = 0; i < n; ++i) {
    const RandomBits bits = test_bits(i, 6);
    quads.push_back(
        {uniform_float(bits.word[0]), uniform_float(bits.word[1]), uniform_float(bits.word[2]), 0});
    v.push_back({quads.back().x, quads.back().y, quads.back().z});
  }
  const Array<Quad> velocity(quads);
  const Array<Vec3> resting(std::vector<Vec3>(size_t(n), Vec3{0, 0, 0}));
  const Array<PressureState> state(std::vector<PressureState>{PressureState{}});
  Array<float> source(n), part(n), steady(std::vector<float>(size_t(n), 1)),
      pressure(std::vector<float>(size_t(n), 2000));
  const auto length = to_host(View<const int>(rows.view().length));
  const auto open = wall.to_host();
  const auto inverse = inverse_diagonal.to_host();
  const auto source_of = [&](const FollowPressures& follow) {
    launch(n, DivergenceSource<CubicSpline<float>>{.pairs = pairs(),
                                                   .velocity = velocity.const_view(),
                                                   .wall = wall.const_view(),
                                                   .walls = walls.view(),
                                                   .fill = fill.view(),
                                                   .dt = 0.01f,
                                                   .least_neighbors = 20,
                                                   .neighbors = rows.view().length,
                                                   .inverse_diagonal = inverse_diagonal.const_view(),
                                                   .source = source.view(),
                                                   .part = part.view(),
                                                   .follow = follow});
    return source.to_host();
  };
  const auto found = source_of({.mean = {},
                                .velocity = resting.const_view(),
                                .per_spacing = 1,
                                .state = state.const_view(),
                                .takes_level = false,
                                .steady = steady.view(),
                                .pressure = pressure.view()});
  const auto part_of = part.to_host(), starts = pressure.to_host();
  const std::vector<double> change(changes.begin(), changes.end());
  int few = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const bool left_out = float(length[i]) < 20 * open[i].w;
    few += left_out;
    EXPECT_NEAR(found[i], left_out ? 0 : 0.01 * reference.rate(i, v), 2e-4) << i;
    EXPECT_EQ(part_of[i], left_out ? 0 : inverse[i]) << i;
    EXPECT_NEAR(starts[i], 2000 - 0.95 * reference.mean(i, change), 0.02) << i;
  }
  EXPECT_GT(few, 5);
  EXPECT_LT(few, n - 5);
  EXPECT_EQ(steady.to_host(), starts);
  EXPECT_EQ(source_of({}), found);
  EXPECT_EQ(pressure.to_host(), starts) << "nothing to follow";
}
/// Of 100 particles: the least pressure; a single one far below the others does not count; free surfaces have
/// none.
TEST(PressureResiduals, Level) {
  const auto level = [](double first, float lowest) {
    PressureResiduals sums = PressureResiduals::identity();
    for (int i = 0; i < 100; ++i) {
      const double p = i == 0 ? first : 500 + i;
      sums = PressureResiduals::combine(sums, {0, 0, 0, 0, p, p * p, i == 0 ? lowest : float(p)});
    }
    return sums.level(100);
  };
  EXPECT_EQ(level(500, 500), 500);
  EXPECT_NEAR(level(0, 0), 544.5 - 2 * 61.67, 0.1);  // mean and deviation of 0, 501, 502, ... 599
  EXPECT_EQ(level(500, PressureResiduals::surface), 0);
  EXPECT_EQ(PressureResiduals::identity().level(100), 0);
}
/// What the pressures hold of g along the floor, and the share of it that the head behind the floor takes.
TEST_F(DfsphKernels, WhatIsCarriedAlongWalls) {
  const Vec3 g{4, -2, -9};
  const auto p = random_pressures();
  const int n = int(sorted.size());
  const Array<float> pressure(p), mobilities(mobility);
  Array<float> held(n), weight(n), carried(n);
  const Array<float> steady(std::vector<float>(sorted.size(), 30));
  launch(n, HeldAlongWalls<CubicSpline<float>>{
                .pairs = pairs(),
                .wall = wall.const_view(),
                .walls = walls.view(),
                .fill = fill.view(),
                .mobility = mobilities.const_view(),
                .pressure = pressure.const_view(),
                .gravity = g,
                .held = held.view(),
                .weight = weight.view(),
                .pack = {pressure.const_view(), steady.const_view(), packed.view()}});
  const auto packed_changes = packed.to_host();
  for (size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(packed_changes[i].w, p[i] - 30) << i;
  launch(n, CarriedAlongWalls<CubicSpline<float>>{pairs(), held.const_view(), weight.const_view(),
                                                  carried.view()});
  const auto found_held = held.to_host(), found_weight = weight.to_host(), found = carried.to_host();
  std::vector<double> expected_held(sorted.size(), 0), expected_weight(sorted.size(), 0);
  double scale = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double behind = reference.fraction(i);
    const Vec3d missed = behind * Vec3d{g.x, g.y, 0};
    if (dot(missed, missed) == 0) continue;
    Vec3d a{0, 0, 0};
    for (size_t j = 0; j < sorted.size(); ++j)
      if (j != i) a += reference.mobility[i] * (double(p[j]) - p[i]) * reference.gradient(i, j);
    expected_held[i] = dot(a, missed) / (1 - behind);
    expected_weight[i] = dot(missed, to_double(g));
    scale = std::max(scale, std::abs(expected_held[i]));
  }
  int between = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_NEAR(found_held[i], expected_held[i], 2e-3 * scale) << i;
    EXPECT_NEAR(found_weight[i], expected_weight[i], 2e-3 * dot(to_double(g), to_double(g))) << i;
    double sum = 0, all = 0;  // of what the first kernel found
    for (size_t j = 0; j < sorted.size(); ++j) {
      const double r = norm(reference.between(i, j)), w = r < 2 * h ? reference.kernel.value(r) : 0;
      sum += w * found_held[j], all += w * found_weight[j];
    }
    const double share = found_weight[i] > 0 ? std::clamp(3 * sum / all - 0.5, 0.0, 1.0) : 0;
    EXPECT_NEAR(found[i], share, 2e-3) << i;
    between += found[i] > 0 && found[i] < 1;
  }
  EXPECT_GT(between, 5);
}

}  // namespace dfsph_kernels_test
MERGANSER_END
