/// The GPU's walk over neighbors against its plain twin: the same sums in the same order, so the same bits,
/// for every term.
#include "solvers/methods/fluid/masked_sum.h"

#include <gtest/gtest.h>

#include <cstring>

#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/methods/sph/acceleration.h"
#include "solvers/methods/sph/density.h"
#include "solvers/methods/sph/shepard_filter.h"
#include "solvers/methods/sph/xsph.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace sph_masked_sum_test {

constexpr float spacing = 0.05f;

/// Whatever a term writes.
struct Results {
  std::vector<float> compression;
  std::vector<Quad> velocity;
  std::vector<Vec3> vector;
};
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// A cloud in cell order with random fields.
class Cloud {
 public:
  Cloud(float h, Vec3 origin, Vec3 period) : h_(h), fill_(WendlandC2<double>(1), h) {
    grid_.set_periodic(origin, period);
    walls_ =
        Walls({{.shape = WallShape::plane, .point = {0, 0, -1}, .direction = {0, 0, 1}, .no_slip = true}});
  }
  void place(const std::vector<Vec3>& points, int reach) {
    const int n = static_cast<int>(points.size());
    Array<Vec3> position(points);
    grid_.build(position.const_view(), 2 * h_, reach);
    std::vector<Quad> x, v;
    for (int i : to_host(grid_.order())) {
      const RandomBits bits = test_bits(i, 5);
      const auto value = [&](int word) { return uniform_float(bits.word[word]) - 0.5f; };
      const Vec3& p = points[size_t(i)];
      x.push_back({p.x, p.y, p.z, 0.1f * value(3)});
      v.push_back({value(0), value(1), value(2), value(3)});
    }
    packed_position_.assign(x);
    velocity_ = v;
    packed_velocity_.resize(n);
    mean_velocity_.assign(v);
    compression_.resize(n);
    vector_.resize(n);
  }
  /// Runs all terms with both walks.
  template <class Kernel>
  void compare() {
    const Kernel kernel(h_);
    const float volume = spacing * spacing * spacing;
    const WallView walls = walls_.view();
    const WallFillView fill = fill_.view();
    const DensityOutput out{
        .state = {.density0 = 1000, .sound_speed_squared = 400, .gamma = 7, .tait = true, .tension = true},
        .compression = compression_.view(),
        .velocity = packed_velocity_.view()};
    same(DensitySummation<Kernel>{
        .kernel = kernel, .volume = volume, .walls = walls, .fill = fill, .of_walls = {}, .out = out});
    same(DensityContinuity<Kernel>{.kernel = kernel,
                                   .volume = volume,
                                   .diffusion = 0.3f,
                                   .drift = {{4, -8, 12}, 0.5f},
                                   .per_sound_speed_squared = 1.0f / 400,
                                   .bulk_viscosity = 1e-4f,
                                   .dt = 1e-3f,
                                   .walls = walls,
                                   .fill = fill,
                                   .out = out});
    same(ShepardFilter<Kernel>{.kernel = kernel, .volume = volume, .walls = walls, .fill = fill, .out = out});
    acceleration<ViscosityModel::none>(kernel);
    acceleration<ViscosityModel::artificial>(kernel);
    acceleration<ViscosityModel::laminar>(kernel);
    same(XsphCorrection<Kernel>{.kernel = kernel, .factor = volume, .correction = vector_.view()});
  }

 private:
  template <ViscosityModel model, class Kernel>
  void acceleration(const Kernel& kernel) {
    same(SphAcceleration<Kernel, model>{.kernel = kernel,
                                        .mass = 1.3f,
                                        .pair_viscosity = 0.7f,
                                        .central = {spacing, h_},
                                        .softening = 0.01f * h_ * h_,
                                        .wall_viscosity = 0.2f,
                                        .least_wall_distance = 0.25f * h_,
                                        .density0 = 1000,
                                        .compression = compression_.const_view(),
                                        .walls = walls_.view(),
                                        .fill = fill_.view(),
                                        .of_walls = {},
                                        .acceleration = vector_.view()});
  }
  template <class Term>
  void same(const Term& term) {
    const Results plain = run<SphPlainSum<Term>>(term), masked = run<SphMaskedSum<Term>>(term);
    EXPECT_TRUE(same_bits(plain.compression, masked.compression)) << Term::name;
    EXPECT_TRUE(same_bits(plain.velocity, masked.velocity)) << Term::name;
    EXPECT_TRUE(same_bits(plain.vector, masked.vector)) << Term::name;
    double changed = 0;
    for (const float e : masked.compression) changed += std::isfinite(e) ? std::abs(double(e)) : 0;
    for (const Vec3& a : masked.vector) changed += is_finite(a) ? norm(to_double(a)) : 0;
    if (velocity_.size() > 1) {
      EXPECT_GT(changed, 0) << Term::name;  // the term wrote something
    }
  }
  template <class Sum, class Term>
  Results run(const Term& term) {
    const int n = packed_position_.size();
    packed_velocity_.assign(velocity_);
    compression_.zero();
    vector_.zero();
    launch(n, Sum{term,
                  grid_.view(),
                  {packed_position_.view(), packed_velocity_.view(), mean_velocity_.const_view()},
                  2 * h_});
    return {compression_.to_host(), packed_velocity_.to_host(), vector_.to_host()};
  }

  float h_;
  WallVolumeMap fill_;
  Walls walls_;
  UniformGrid grid_;
  std::vector<Quad> velocity_;
  Array<Quad> packed_position_, packed_velocity_, mean_velocity_;
  Array<float> compression_;
  Array<Vec3> vector_;
};

/// A lattice of n^3 particles, displaced by up to a third of the spacing.
std::vector<Vec3> lattice(int n) {
  std::vector<Vec3> points = random_points(n * n * n, 0.66f * spacing);
  for (int i = 0; i < n * n * n; ++i)
    points[size_t(i)] += spacing * Vec3{float(i % n), float(i / n % n), float(i / n / n)};
  return points;
}
/// `count` particles in a ball of a tenth of the spacing.
void add_clump(std::vector<Vec3>& points, int count, Vec3 at) {
  for (const Vec3& x : random_points(count, 0.1f * spacing, 3)) points.push_back(at + x);
}
void compare_kernels(Cloud& cloud) {
  cloud.compare<WendlandC2<float>>();
  cloud.compare<CubicSpline<float>>();
}

TEST(SphMaskedSum, LatticeBesideAWall) {
  for (int reach : {1, 2})
    for (float h : {1.2f * spacing, 2 * spacing}) {
      Cloud cloud(h, {}, {});
      std::vector<Vec3> points = lattice(9);
      for (Vec3& x : points) x.z -= 1;
      cloud.place(points, reach);
      compare_kernels(cloud);
    }
}

/// Ranges of 1, 31, 32, 33, 64, 65 and 300 candidates, empty cells between, cells that share a bucket far
/// away, and a particle that is nowhere.
TEST(SphMaskedSum, RangesOfAllLengths) {
  std::vector<Vec3> points;
  float x = 0;
  for (int count : {1, 31, 32, 33, 64, 65, 300}) add_clump(points, count, {x += 1, 0.3f * x, 0});
  for (const Vec3& p : random_points(400, 4)) points.push_back(p);
  for (int k = 0; k < 40; ++k)
    points.push_back({0.12f * float(k * k), 300.0f * float(k % 3), 1e6f * float(k)});
  points.push_back({NAN, 0, 0});
  for (int reach : {1, 2}) {
    Cloud cloud(1.2f * spacing, {}, {});
    cloud.place(points, reach);
    compare_kernels(cloud);
  }
}

TEST(SphMaskedSum, PeriodicAxes) {
  const float length = 10 * spacing;
  const Vec3 periods[] = {{length, length, length}, {length, 0, 0}, {0, length, 0}, {0, 0, length}};
  for (const Vec3& period : periods)
    for (int reach : {1, 2}) {
      Cloud cloud(1.2f * spacing, {0, 0, 0}, period);
      std::vector<Vec3> points = lattice(10);
      const auto into = [](float& a, float p) {
        if (p > 0) a -= p * std::floor(a / p), a = a < p ? a : 0;
      };
      for (Vec3& x : points) into(x.x, period.x), into(x.y, period.y), into(x.z, period.z);
      cloud.place(points, reach);
      compare_kernels(cloud);
    }
}

/// Emitters add particles between steps: arrays and grid are used again with another count.
TEST(SphMaskedSum, ChangingCounts) {
  Cloud cloud(1.2f * spacing, {}, {});
  for (int edge : {6, 7, 1, 8}) {
    cloud.place(lattice(edge), 1);
    compare_kernels(cloud);
  }
}

/// e down to -0.9 and up to 3: the formula for floats against the one in double.
TEST(SphEquationOfState, InternalEnergyInFloat) {
  for (bool tait : {false, true})
    for (float gamma : {1.0f, 1.4f, 7.0f}) {
      const EquationOfState state{
          .density0 = 1000, .sound_speed_squared = 400, .gamma = gamma, .tait = tait, .tension = true};
      for (float size = 1e-12f; size < 3; size *= 1.37f)
        for (float e : {size, size < 0.9f ? -size : 0.0f}) {
          const double expected = state.internal_energy(double(e));
          // In double the two terms cancel as well: 1e-16 of e is left.
          EXPECT_NEAR(state.internal_energy_in_float(e), expected,
                      2e-6 * expected + 2e-16 * 400 * double(size))
              << e << ", gamma " << gamma;
        }
    }
  const EquationOfState clamped{
      .density0 = 1, .sound_speed_squared = 1, .gamma = 7, .tait = true, .tension = false};
  EXPECT_EQ(clamped.internal_energy_in_float(-0.1f), 0);
}

}  // namespace sph_masked_sum_test
MERGANSER_END
