/// Forces of positions in pairs of floats against the plain kernels in double.
#include "device/launch_order.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "solvers/methods/elastic_sph/pair_forces.h"
#include "solvers/methods/elastic_sph/position_forces.h"

#include <gtest/gtest.h>

#include "tests/support/elastic_driver.h"

#if MERGANSER_GPU_HALF
MERGANSER_BEGIN
namespace elastic_pairs_test {

using test::SoftBody;

constexpr double u = 0x1p-24;

/// A block of 120 particles 60 m from the origin, turned and strained by some thousandths, whose positions
/// are known to more than float; `mirrored`: turned inside out.
struct FarBlock {
  explicit FarBlock(bool mirrored = false) {
    SoftBody body;
    body.parameters.of<ElasticSphParameters>().materials[0].alpha = 2;
    body.add_lattice(6, 5, 4, {0, 0, 0}, 0.2);
    ParticleStore store;
    store.add_system(initial_particles(body));
    const RestShape rest_shape(body, store, store.range(0));
    shape = std::make_unique<ElasticShape>(rest_shape, ZeroEnergyControl::implicit_energy);
    count = store.count();
    std::vector<Vec3> x, left_over;
    for (int i = 0; i < count; ++i) {
      const Vec3d& p = rest_shape.position[size_t(i)];
      const Vec3d strained{(mirrored ? -1.1 : 1.003) * p.x + 0.002 * p.y, 0.998 * p.y + 0.03 * p.x * p.z,
                           1.001 * p.z - 0.02 * p.x * p.y};
      const Vec3d at{40 + 0.8 * strained.x - 0.6 * strained.y, -30 + 0.6 * strained.x + 0.8 * strained.y,
                     33 + strained.z};
      x.push_back(to_float(at));
      left_over.push_back(to_float(at - to_double(x.back())));
    }
    position.resize(count, 3);
    const Array<Vec3> rounded(x), rest(left_over);
    launch(count, PrecisePositions{.position = rounded.view(),
                                   .rounding_error = rest.view(),
                                   .velocity = {},
                                   .change = {},
                                   .dt = {},
                                   .to = position.view()});
    start.assign(std::vector<UnitQuaternion>(size_t(count), UnitQuaternion{0, 0, 0.3, std::sqrt(1 - 0.09)}));
  }
  LaneView<const FloatPair> at() const { return position.view(); }

  std::unique_ptr<ElasticShape> shape;
  int count = 0;
  PreciseFields position;
  Array<UnitQuaternion> start;
};

/// What the first gather leaves.
struct Stresses {
  explicit Stresses(const FarBlock& block) : found(block.count), marks(block.count) {
    rotated.resize(block.count, turned::components);
    stress.resize(block.count, stress_components);
    strain.resize(block.count, 9);
    sums.resize(block.count, 18);
  }
  Array<UnitQuaternion> found;
  Array<int> marks;
  LaneFields rotated, stress;
  PreciseFields strain, sums;
};
void find_plain(const FarBlock& block, Stresses& to) {
  launch(block.count, PositionStress<true>{block.shape->view(),
                                           {},
                                           block.at(),
                                           {block.start.view(), to.found.view()},
                                           to.rotated.view(),
                                           to.stress.view(),
                                           to.strain.view()});
}
void find_in_pairs(const FarBlock& block, Stresses& to) {
  const auto sums = std::as_const(to.sums).view();
  const StepRotations rotations{block.start.view(), to.found.view()};
  launch(2 * block.count, SumPositions{block.shape->view(), block.at(), to.sums.view()});
  launch(block.count, PairStress<true, false>{block.shape->view(),
                                              {},
                                              rotations,
                                              sums,
                                              to.marks.view(),
                                              to.rotated.view(),
                                              to.stress.view(),
                                              to.strain.view()});
  launch(block.count, PairStress<true, true>{block.shape->view(),
                                             {},
                                             rotations,
                                             sums,
                                             to.marks.view(),
                                             to.rotated.view(),
                                             to.stress.view(),
                                             to.strain.view()});
}
template <class T>
double greatest_component(const LaneFieldsOf<T>& fields, int first, int last, int count) {
  double most = 0;
  for (int k = first; k <= last; ++k)
    for (const T& x : fields.to_host(k, count)) most = std::max(most, std::fabs(double(x)));
  return most;
}
template <class T>
double greatest_difference(const LaneFieldsOf<T>& a, const LaneFieldsOf<T>& b, int first, int last,
                           int count) {
  double most = 0;
  for (int k = first; k <= last; ++k) {
    const auto x = a.to_host(k, count), y = b.to_host(k, count);
    for (size_t i = 0; i < x.size(); ++i) most = std::max(most, std::fabs(double(x[i]) - double(y[i])));
  }
  return most;
}
double greatest_turn(const Array<UnitQuaternion>& a, const Array<UnitQuaternion>& b) {
  double most = 0;
  const auto x = a.to_host(), y = b.to_host();
  for (size_t i = 0; i < x.size(); ++i) {
    const double along = std::fabs(x[i].x * y[i].x + x[i].y * y[i].y + x[i].z * y[i].z + x[i].w * y[i].w);
    const double size = std::sqrt((x[i].x * x[i].x + x[i].y * x[i].y + x[i].z * x[i].z + x[i].w * x[i].w) *
                                  (y[i].x * y[i].x + y[i].y * y[i].y + y[i].z * y[i].z + y[i].w * y[i].w));
    EXPECT_NEAR(size, 1, 1e-12);
    most = std::max(most, 2 * std::sqrt(std::max(0.0, 1 - along / size) * 2));
  }
  return most;
}

// Differences of positions are exact to 4 u^2 of both, 1.7e-12 m at 60 m; over the spacing of 0.05 m and
// summed with gradients of 2/spacing in all that makes 7e-11 in F. Sums of 60 products add some 400 u^2 =
// 1.4e-12. k F is F times alpha mu V, some 200 J. Rotations differ by what both searches leave, 2e-9 each.
constexpr double error_of_f = 1e-10;

TEST(ElasticPairs, StrainsAreThoseOfThePlainKernel) {
  const FarBlock block;
  Stresses plain(block), pairs(block);
  find_plain(block, plain);
  find_in_pairs(block, pairs);
  for (int mark : pairs.marks.to_host()) ASSERT_EQ(mark, 0);
  const double k = greatest_component(plain.strain, 0, 8, block.count);  // F is about a rotation
  EXPECT_GT(k, 50);
  EXPECT_LT(greatest_difference(plain.strain, pairs.strain, 0, 8, block.count), 1.2 * k * error_of_f);
  // Through 1 - cos the angle between two quaternions is known to 3e-8.
  EXPECT_LT(greatest_turn(plain.found, pairs.found), 5e-8);
  const auto a = plain.found.to_host(), b = pairs.found.to_host();
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i].x, b[i].x, 5e-9);
    EXPECT_NEAR(a[i].y, b[i].y, 5e-9);
    EXPECT_NEAR(a[i].z, b[i].z, 5e-9);
    EXPECT_NEAR(a[i].w, b[i].w, 5e-9);
  }
}

// T L in float: some 20 roundings of its own size, and the rotations' 4e-9 against strains of 3e-3. Plain
// floats at 60 m would be off by their strain, 4e-6 / 0.05.
TEST(ElasticPairs, StressesAndForcesAreThoseOfThePlainKernels) {
  const FarBlock block;
  Stresses plain(block), pairs(block);
  find_plain(block, plain);
  find_in_pairs(block, pairs);
  const double most = greatest_component(plain.stress, 0, 8, block.count);
  EXPECT_LT(greatest_difference(plain.stress, pairs.stress, 0, 8, block.count), (20 * u + 4e-6) * most);
  EXPECT_LT(greatest_difference(plain.rotated, pairs.rotated, 0, 8, block.count),
            8 * u * greatest_component(plain.rotated, 0, 8, block.count));
  Array<Vec3> wanted(block.count), found(block.count);
  const auto stresses = [](const Stresses& of) { return std::as_const(of.stress).view(); };
  const auto strains = [](const Stresses& of) { return std::as_const(of.strain).view(); };
  const auto in_pairs = [&](const Stresses& of) {
    launch(block.count, PairForce<true>{block.shape->view(), block.at(), stresses(of), strains(of),
                                        ElasticRows{{}, {}, 1, found.view()}});
    return found.to_host();
  };
  launch(block.count, PositionForce<true>{block.shape->view(), block.at(), stresses(plain), strains(plain),
                                          ElasticRows{{}, {}, 1, wanted.view()}});
  const auto f = wanted.to_host(), same = in_pairs(plain), own = in_pairs(pairs);
  const double largest = test::greatest(f);
  EXPECT_GT(largest, 10);
  // From the same stresses: one rounding more, and 1.7e-12 m of the positions times k sum w V^ of 8e4 N/m.
  // From their own, as much as the stresses.
  for (size_t i = 0; i < f.size(); ++i) {
    ASSERT_LE(norm(to_double(f[i]) - to_double(same[i])), 2 * u * norm(to_double(f[i])) + 2e-7) << i;
    ASSERT_LE(norm(to_double(f[i]) - to_double(own[i])), (20 * u + 4e-6) * largest) << i;
  }
}

TEST(ElasticPairs, FindRotationsOfInvertedParticles) {
  const FarBlock block(true);
  Stresses plain(block), pairs(block);
  find_plain(block, plain);
  find_in_pairs(block, pairs);
  int lost = 0;
  for (int mark : pairs.marks.to_host()) lost += mark;
  EXPECT_EQ(lost, block.count);
  // 1e-6 is what polar_rotation_by_eigenvector() takes for equal; the least stretches differ by 10 %.
  EXPECT_LT(greatest_turn(plain.found, pairs.found), 1e-7);
  EXPECT_LT(greatest_difference(plain.stress, pairs.stress, 0, 8, block.count),
            1e-6 * greatest_component(plain.stress, 0, 8, block.count));
}

TEST(ElasticPairs, HaveTheSameBitsInEveryLaunchOrder) {
  const FarBlock block;
  std::vector<std::vector<float>> found;
  for (const char* order : {"ascending", "reversed", "shuffled:7"}) {
    set_launch_order(order);
    Stresses pairs(block);
    find_in_pairs(block, pairs);
    found.push_back(pairs.stress.to_host(4, block.count));
  }
  set_launch_order("ascending");
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

}  // namespace elastic_pairs_test
MERGANSER_END
#endif
