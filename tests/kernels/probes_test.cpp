/// Measurements of probes, against sums in double precision and closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "device/sum_of.h"
#include "solvers/observables/probes/flow_gate.h"
#include "solvers/observables/probes/held_force.h"
#include "solvers/observables/probes/level_line.h"
#include "solvers/observables/probes/point_sums.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace probes_test {

/// sum V W and sum V W A, all in double.
template <class Kernel>
PointSums reference(const Kernel& kernel, double support, const Vec3& point,
                    const std::vector<Vec3>& position, const std::vector<float>& field, double volume,
                    const Vec3d& period) {
  const auto image = [](double d, double length) {
    return length > 0 ? d - length * std::round(d / length) : d;
  };
  PointSums sums;
  for (size_t i = 0; i < position.size(); ++i) {
    const Vec3d d = to_double(point) - to_double(position[i]);
    const double r = norm(Vec3d{image(d.x, period.x), image(d.y, period.y), image(d.z, period.z)});
    const double weight = r < support ? volume * kernel.value(r) : 0;
    sums = sums + PointSums{weight, {weight * field[i], 0, 0}};
  }
  return sums;
}

template <template <class> class Kernel>
void compare_point_sums(const Vec3& period) {
  constexpr float h = 0.12f, volume = 1e-3f;
  const std::vector<Vec3> position = random_points(3000, 1);  // within [-0.5, 0.5]
  std::vector<float> value;
  for (int i = 0; i < 3000; ++i) value.push_back(uniform_float(test_bits(i, 1).word[0]) - 0.3f);
  const Array<Vec3> positions(position);
  const Array<float> field(value);
  const Kernel<float> kernel(h);
  for (const Vec3& point :
       {Vec3{0, 0, 0}, Vec3{0.45f, -0.2f, 0.1f}, Vec3{-0.49f, 0.49f, 0.49f}, Vec3{0, 0, 3}}) {
    Reduction<PointSums> sums;
    sums.run(3000,
             SumAboutPoint<Kernel<float>, float>{.share = KernelShare<Kernel<float>>(kernel, volume, period),
                                                 .point = point,
                                                 .position = positions.const_view(),
                                                 .field = field.const_view()});
    const PointSums found = sums.read(), expected = reference(Kernel<double>(double(h)), 2 * double(h), point,
                                                              position, value, volume, to_double(period));
    // About 100 neighbors with weights that float rounds by 1e-6.
    EXPECT_NEAR(found.fill, expected.fill, 2e-6 * (expected.fill + 0.01));
    EXPECT_NEAR(found.value.x, expected.value.x, 2e-6 * (expected.fill + 0.01));
    EXPECT_EQ(found.fill > 0.1, norm(point) < 1);
  }
}

TEST(PointProbes, SumsAreThoseOfTheReference) {
  compare_point_sums<WendlandC2>({0, 0, 0});
  compare_point_sums<CubicSpline>({0, 0, 0});
}
TEST(PointProbes, SumsGoAcrossAPeriod) {
  compare_point_sums<WendlandC2>({1, 1, 0});
  compare_point_sums<CubicSpline>({1, 0, 0});
}

TEST(PointProbes, AVectorIsSummedByComponents) {
  const Array<Vec3> position(std::vector<Vec3>{{0, 0, 0.1f}, {0, 0, -0.1f}});
  const Array<Vec3> velocity(std::vector<Vec3>{{1, 2, 3}, {3, 2, 1}});
  Reduction<PointSums> sums;
  sums.run(2, SumAboutPoint<WendlandC2<float>, Vec3>{
                  .share = KernelShare<WendlandC2<float>>(WendlandC2<float>(0.2f), 1, {0, 0, 0}),
                  .point = {0, 0, 0},
                  .position = position.const_view(),
                  .field = velocity.const_view()});
  const PointSums found = sums.read();
  const Vec3d mean = found.value / found.fill;
  EXPECT_NEAR(mean.x, 2, 1e-12);
  EXPECT_NEAR(mean.y, 2, 1e-12);
  EXPECT_NEAR(mean.z, 2, 1e-12);
}

struct GateOfPath {
  static constexpr const char* name = "test gate";
  FlowGate gate;
  View<const Vec3> from, to;
  View<int> passage;
  MERGANSER_METHOD void operator()(int i) const { passage[i] = int(gate.passage(from[i], to[i])); }
};

/// The rectangle [0, 2] x [-1, 1] of the plane z = 0.5: where a straight path passes follows by hand.
TEST(FlowProbes, PathsThroughARectangle) {
  const FlowGate gate({0, -1, 0.5}, {2, 0, 0}, {0, 2, 0});
  std::vector<Vec3> from, to;
  for (const Vec3& x : random_points(2000, 6, 1)) from.push_back(x);
  for (const Vec3& x : random_points(2000, 6, 2)) to.push_back(x);
  const Array<Vec3> starts(from), ends(to);
  Array<int> passage(2000);
  launch(2000, GateOfPath{gate, starts.const_view(), ends.const_view(), passage.view()});
  const std::vector<int> found = passage.to_host();
  int through = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    int expected = 0;
    if ((from[i].z > 0.5f) != (to[i].z > 0.5f)) {
      const double s = (0.5 - from[i].z) / (double(to[i].z) - from[i].z);
      const double x = from[i].x + s * (double(to[i].x) - from[i].x);
      const double y = from[i].y + s * (double(to[i].y) - from[i].y);
      if (x >= 0 && x < 2 && y >= -1 && y < 1)
        expected = int(to[i].z > 0.5f ? FlowGate::whole : -FlowGate::whole);
    }
    EXPECT_EQ(found[i], expected) << i;
    through += expected != 0;
  }
  EXPECT_GT(through, 20);
}

/// A particle that stops on the plane between two steps passes once, and not at all where it turns back.
TEST(FlowProbes, APathThatStopsOnThePlaneCountsOnce) {
  const FlowGate gate({-1, -1, 0}, {2, 0, 0}, {0, 2, 0});
  const Vec3 below{0, 0, -1}, on{0, 0, 0}, above{0, 0, 1};
  EXPECT_EQ(gate.passage(below, on) + gate.passage(on, above), FlowGate::whole);
  EXPECT_EQ(gate.passage(above, on) + gate.passage(on, below), -FlowGate::whole);
  EXPECT_EQ(gate.passage(below, on) + gate.passage(on, below), 0);
  EXPECT_EQ(gate.passage(above, on) + gate.passage(on, above), 0);
  EXPECT_EQ(gate.passage(on, on), 0);
}

/// A pinned particle of body 0 at (1, 0, 0) that is pulled by (0, 0, 3) N s, a free one at (0, 2, 0) that its
/// group carries, and one of body 1, pinned alone.
TEST(ForceProbes, SumWhatABodyHolds) {
  ParticleStore store;
  HostParticles particles;
  particles.position = {{1, 0, 0}, {0, 2, 0}, {5, 5, 5}, {7, 7, 7}};
  particles.velocity = {{0, 0, 0}, {0, 0, -4}, {0, 0, 0}, {1, 1, 1}};
  particles.mass = {1, 2, 1, 1};
  particles.inverse_mass = {0, 0.5f, 0, 1};
  particles.radius = {1, 1, 1, 1};
  particles.id = {0, 1, 2, 3};
  particles.body = {0, 1, 1, 1};
  particles.system = {0, 0, 0, 0};
  store.add_system(particles);
  const Array<int> group_of(std::vector<int>{0, 0, -1, -1}), first(std::vector<int>{0, 2}),
      member(std::vector<int>{0, 1});
  const Array<float> group_inverse_mass(std::vector<float>{0});
  MetaParticleView groups;
  groups.group_of = group_of.const_view();
  groups.first = first.const_view();
  groups.member = member.const_view();
  groups.inverse_mass = group_inverse_mass.const_view();
  groups.group_count = 1;
  Array<int> holder(1);
  launch(1, FindHolders{groups, store.inverse_mass.const_view(), holder.view()});
  EXPECT_EQ(holder.to_host(), std::vector<int>{0});
  const Array<Vec3> impulse(std::vector<Vec3>{{0, 0, 3}, {1, 0, 0}, {9, 9, 9}, {0, 0, 0}});
  const Array<char> asked(std::vector<char>{1, 0, 0, 0});
  const auto summed = [&](View<const Vec3> given, const Vec3d& gravity, double dt) {
    Reduction<ForceImpulse> sum;
    sum.run(4, SumHeldForce{.held = {store.inverse_mass.const_view(), groups},
                            .holder = holder.const_view(),
                            .asked = asked.const_view(),
                            .particles = store.const_view(),
                            .impulse = given,
                            .gravity = gravity,
                            .point = {0, 0, 1},
                            .dt = dt});
    return sum.read();
  };
  // J of both and 2 kg ((0, 0, -4) + 0.1 s (0, 0, -10)) of the one that is carried.
  const ForceImpulse before = summed(impulse.const_view(), {0, 0, -10}, 0.1);
  EXPECT_NEAR(norm(before.linear - Vec3d{1, 0, 3 - 10}), 0, 1e-6);
  // (1, 0, -1) x (0, 0, 3) + (0, 2, -1) x (1, 0, -10)
  EXPECT_NEAR(norm(before.angular - Vec3d{-20, -3 - 1, -2}), 0, 1e-6);
  const ForceImpulse after = summed({}, {0, 0, 0}, 0);
  EXPECT_NEAR(norm(after.linear - Vec3d{0, 0, 8}), 0, 1e-6);
}

FilledPoint last_filled(const std::vector<float>& fill) {
  const Array<float> values(fill);
  Reduction<FilledPoint> last;
  last.run(int(fill.size()), LastFilled{values.const_view()});
  return last.read();
}

TEST(LevelProbes, TheLevelIsTheLastCrossing) {
  const LevelLine line({1, 2, 3}, {1, 2, 5}, 0.25);  // 10 points 2/9 m apart
  ASSERT_EQ(line.points, 10);
  const double d = 2.0 / 9;
  EXPECT_EQ(line.level(last_filled({0, 0, 0.4f, 0.3f, 0, 0, 0, 0, 0, 0})), 0);
  EXPECT_NEAR(line.level(last_filled({1, 1, 1, 0.75f, 0.25f, 0, 0, 0, 0, 0})), 3.5 * d, 1e-6);
  EXPECT_NEAR(line.level(last_filled({1, 0.2f, 0, 0.75f, 0.5f, 0, 0, 0, 0, 0})), 4 * d, 1e-6);
  EXPECT_NEAR(line.level(last_filled({1, 1, 1, 1, 1, 1, 1, 1, 1, 1})), 2, 1e-6);
  EXPECT_NEAR(norm(line.point(9) - Vec3{1, 2, 5}), 0, 1e-6);
}

/// Distances from the line's ends and sides.
TEST(LevelProbes, WhatIsAlongTheLineEndsWithIt) {
  const LevelLine line({0, 0, 0}, {0, 0, 2}, 0.1);
  const auto distance = [&](const Vec3& x) {
    const Vec3 offset = x - line.middle();
    return norm(offset - line.along(offset));
  };
  EXPECT_NEAR(distance({0.3f, 0, 1.7f}), 0.3, 1e-6);
  EXPECT_NEAR(distance({0, 0, 2.4f}), 0.4, 1e-6);
  EXPECT_NEAR(distance({0.3f, 0, -0.4f}), 0.5, 1e-6);
}

}  // namespace probes_test
MERGANSER_END
