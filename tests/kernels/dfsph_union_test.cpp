/// One pressure solve over several systems: the kernels of its union against loops in double precision.
#include <gtest/gtest.h>

#include <numeric>

#include "solvers/methods/dfsph/coupled_pressure.h"
#include "tests/support/meta_groups.h"
#include "tests/support/random_values.h"
#include "tests/support/union_reference.h"

MERGANSER_BEGIN
namespace dfsph_union_test {

using dfsph_test::UnionReference;

constexpr double volume = 1e-3;

/// A store of fluid, rigid bodies, something that is not in the union, and an elastic solid, in this order;
/// groups across them, the second one immobile.
class DfsphUnion : public testing::Test {
 protected:
  static constexpr int count = 300;
  const Range fluid{0, 120}, rigid{120, 60}, other{180, 50}, elastic{230, 70};

  void SetUp() override {
    std::vector<float> masses, inverse;
    reference.kind.assign(count, UnionReference::nowhere);
    const auto mark = [&](Range range, PressedKind kind) {
      for (int i = range.first; i < range.end(); ++i) reference.kind[size_t(i)] = static_cast<int>(kind);
    };
    mark(fluid, PressedKind::fluid), mark(rigid, PressedKind::rigid), mark(elastic, PressedKind::elastic);
    for (int i = 0; i < count; ++i) {
      masses.push_back(0.5f + uniform_float(test_bits(i, 1).word[0]));
      reference.immobile.push_back(i % 29 == 3);
      inverse.push_back(reference.immobile.back() ? 0 : 1 / masses.back());
      reference.mass.push_back(masses.back());
      velocities.push_back(random_vector(i, 2));
      exact.push_back(to_double(velocities.back()));
    }
    mass.assign(masses), inverse_mass.assign(inverse);
    reference.group = {{5, 40, 130, 200, 250}, {6, 41, 131, 201, 251}, {60, 61}, {202, 203, 260}, {140, 204}};
    reference.group_held = {0, 1, 0, 0, 0};
    std::vector<float> group_inverse;
    std::vector<Vec3> group_velocities;
    for (int g = 0; g < int(reference.group.size()); ++g) {
      group_velocities.push_back(random_vector(g, 3));
      reference.group_velocity.push_back(to_double(group_velocities.back()));
      group_inverse.push_back(reference.group_held[size_t(g)] ? 0 : float(1 / reference.group_mass(g)));
    }
    groups = std::make_unique<MetaGroups>(count, reference.group, group_velocities, group_inverse);
    make_union();
  }

  /// Systems side by side, then in another order, as a grid would sort them.
  void make_union() {
    const std::vector<int> bodies = random_ints(count, 0, 3, 4);
    const Array<int> body(bodies);
    const std::vector<std::pair<Range, PressedKind>> members{
        {fluid, PressedKind::fluid}, {rigid, PressedKind::rigid}, {elastic, PressedKind::elastic}};
    size = fluid.count + rigid.count + elastic.count;
    Array<int> flat_index(size), flat_kind(size), flat_part(size);
    int first = 0;
    for (const auto& [range, of] : members) {
      launch(range.count, FillUnion{first, range, of == PressedKind::rigid, of, body.const_view(),
                                    flat_index.view(), flat_kind.view(), flat_part.view()});
      first += range.count;
    }
    const auto index = flat_index.to_host(), part = flat_part.to_host();
    for (int k = 0; k < size; ++k) {
      const int i = index[size_t(k)];
      EXPECT_EQ(i, k < 180 ? k : k + 50);
      EXPECT_EQ(part[size_t(k)], reference.is(i, PressedKind::rigid) ? bodies[size_t(i)] : -1);
    }
    std::vector<int> mixed(static_cast<size_t>(size));
    for (int k = 0; k < size; ++k) mixed[size_t(k)] = (k * 77) % size;  // 77 and 250 have no common factor
    order.assign(mixed);
    for (Array<int>* a : {&store_index, &kind}) a->resize(size);
    launch(size, GatherSorted<int>{order.const_view(), flat_index.const_view(), store_index.view()});
    launch(size, GatherSorted<int>{order.const_view(), flat_kind.const_view(), kind.view()});
    place.resize(count);
    launch(count, NoPlace{place.view()});
    launch(size, FindPlaces{store_index.const_view(), place.view()});
    of_union = store_index.to_host();
    for (int s = 0; s < size; ++s) EXPECT_EQ(of_union[size_t(s)], index[size_t(mixed[size_t(s)])]);
  }
  UnionMembers members() const { return {groups->view(), {place.const_view(), kind.const_view()}}; }
  /// Random accelerations of the union, on the device and by particles of the store.
  std::vector<Vec3d> accelerations(Array<Quad>& on_device) const {
    std::vector<Quad> quads;
    std::vector<Vec3d> a(count, Vec3d{0, 0, 0});
    for (int s = 0; s < size; ++s) {
      const Vec3 v = random_vector(s, 5);
      quads.push_back({v.x, v.y, v.z, 0});
      a[size_t(of_union[size_t(s)])] = to_double(v);
    }
    on_device.assign(quads);
    return a;
  }

  UnionReference reference;
  std::vector<Vec3> velocities;
  std::vector<Vec3d> exact;
  std::unique_ptr<MetaGroups> groups;
  Array<float> mass, inverse_mass;
  Array<int> order, store_index, kind, place;
  std::vector<int> of_union;
  int size = 0;
};

TEST_F(DfsphUnion, PlacesAreThoseOfTheStore) {
  const auto found = place.to_host();
  for (int i = 0; i < count; ++i) {
    const bool in_union = reference.kind[size_t(i)] != UnionReference::nowhere;
    ASSERT_EQ(found[size_t(i)] >= 0, in_union) << i;
    if (in_union) {
      EXPECT_EQ(of_union[size_t(found[size_t(i)])], i);
    }
  }
}
TEST_F(DfsphUnion, ScatterUndoesGather) {
  std::vector<float> numbers(static_cast<size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  const Array<float> flat(numbers);
  Array<float> sorted(size), back(size);
  launch(size, GatherSorted<float>{order.const_view(), flat.const_view(), sorted.view()});
  launch(size, ScatterSorted<float>{order.const_view(), sorted.const_view(), back.view()});
  EXPECT_EQ(back.to_host(), numbers);
}
/// Rigid particles count as if they were free; immobile ones and those of immobile groups do not move.
TEST_F(DfsphUnion, Mobilities) {
  Array<float> mobility(size), in_fluid(size);
  launch(size, UnionMobility{store_index.const_view(),
                             kind.const_view(),
                             mass.const_view(),
                             inverse_mass.const_view(),
                             groups->view(),
                             {},
                             float(volume),
                             mobility.view(),
                             in_fluid.view()});
  const auto found = mobility.to_host(), fluids = in_fluid.to_host();
  for (int s = 0; s < size; ++s) {
    const int i = of_union[size_t(s)];
    const double wanted = reference.mobility(i, volume);
    EXPECT_NEAR(found[size_t(s)], wanted, 1e-6 * wanted) << i;
    EXPECT_NEAR(fluids[size_t(s)], reference.is(i, PressedKind::fluid) ? wanted : 0, 1e-6 * wanted) << i;
  }
}
TEST_F(DfsphUnion, VelocitiesGoThereAndBack) {
  const Array<Vec3> store(velocities);
  Array<Vec3> gathered(size);
  launch(size,
         GatherVelocities{store_index.const_view(), store.const_view(), groups->view(), gathered.view()});
  const auto found = gathered.to_host();
  for (int s = 0; s < size; ++s) {
    const int i = of_union[size_t(s)];
    const Vec3d wanted =
        reference.is_held(i) ? reference.group_velocity[size_t(reference.group_of(i))] : exact[size_t(i)];
    EXPECT_EQ(norm(to_double(found[size_t(s)]) - wanted), 0) << i;
  }
  std::vector<float> written;  // fluid alone
  for (const int i : of_union) written.push_back(reference.is(i, PressedKind::fluid) ? 1.0f : 0.0f);
  const Array<float> in_fluid(written);
  std::vector<Vec3> changed;
  for (int s = 0; s < size; ++s) changed.push_back(random_vector(s, 6));
  const Array<Vec3> in_union(changed);
  Array<Vec3> back(velocities);
  launch(size, ScatterVelocities{store_index.const_view(), in_fluid.const_view(), in_union.const_view(),
                                 back.view()});
  const auto after = back.to_host();
  for (int i = 0; i < count; ++i) {
    const bool is_fluid = reference.is(i, PressedKind::fluid);
    const int s = is_fluid ? to_host(place.const_view())[size_t(i)] : 0;
    EXPECT_EQ(after[size_t(i)], is_fluid ? changed[size_t(s)] : velocities[size_t(i)]) << i;
  }
}
/// Sums of a few numbers of order 1 in float: 1e-6.
TEST_F(DfsphUnion, AccelerationsMoveWhatDoesNotMoveByItself) {
  Array<Quad> acceleration;
  const std::vector<Vec3d> a = accelerations(acceleration);
  Array<Vec3> store(velocities);
  launch(size, GiveAccelerations{store_index.const_view(), kind.const_view(), acceleration.const_view(),
                                 0.25f, store.view()});
  const auto after = store.to_host();
  for (int i = 0; i < count; ++i) {
    const Vec3d gain = reference.is_led(i) ? 0.25 * a[size_t(i)] : Vec3d{0, 0, 0};
    EXPECT_LT(norm(to_double(after[size_t(i)]) - exact[size_t(i)] - gain), 1e-6) << i;
  }
}
TEST_F(DfsphUnion, GroupsArePredictedByAllTheirMembers) {
  const Array<Vec3> store(velocities);
  Array<Vec3> predicted(size);
  predicted.zero();
  launch_group_sums(int(reference.group.size()),
                    UnionGroupPrediction{members(), mass.const_view(), store.const_view(), predicted.view()});
  const auto found = predicted.to_host();
  for (int s = 0; s < size; ++s) {
    const int i = of_union[size_t(s)], g = reference.group_of(i);
    const bool written = g >= 0 && !reference.group_held[size_t(g)] && reference.is_led(i);
    const Vec3d wanted = written ? reference.mean_velocity(g, exact) : Vec3d{0, 0, 0};
    EXPECT_LT(norm(to_double(found[size_t(s)]) - wanted), 1e-6) << i;
  }
}
TEST_F(DfsphUnion, GroupsAnswerForcesWithTheirWholeMass) {
  for (const int active : {1, 0}) {
    Array<Quad> acceleration;
    const std::vector<Vec3d> a = accelerations(acceleration);
    const Array<int> word(std::vector<int>{active});
    Array<UnionGroup> rows(int(reference.group.size()) + 3);  // more than groups
    launch(rows.size(), FindUnionGroups{members(), rows.view()});
    launch_group_sums(rows.size(), UnionGroupAcceleration{.group = rows.const_view(),
                                                          .member = groups->view().member.data,
                                                          .places = members().places,
                                                          .active = word.const_view(),
                                                          .mass = mass.const_view(),
                                                          .acceleration = acceleration.view()});
    const auto found = acceleration.to_host();
    for (int s = 0; s < size; ++s) {
      const int i = of_union[size_t(s)], g = reference.group_of(i);
      const bool as_one = active && g >= 0 && !reference.group_held[size_t(g)] && reference.is_led(i);
      const Vec3d wanted = as_one ? reference.acceleration(g, a) : a[size_t(i)];
      const Quad& q = found[size_t(s)];
      EXPECT_LT(norm(Vec3d{q.x, q.y, q.z} - wanted), 1e-6) << i;
    }
  }
}
/// Members that no solve reaches, and those of rigid bodies, go with the mean of those that it does.
TEST_F(DfsphUnion, GroupsCarryTheRestOfTheirMembers) {
  Array<Quad> acceleration;
  const std::vector<Vec3d> a = accelerations(acceleration);
  Array<Vec3> store(velocities);
  launch_group_sums(int(reference.group.size()),
                    CarryMembers{members(), acceleration.const_view(), 0.25f, store.view()});
  const auto after = store.to_host();
  for (int i = 0; i < count; ++i) {
    const int g = reference.group_of(i);
    Vec3d mean{0, 0, 0};
    double led = 0;
    if (g >= 0 && !reference.group_held[size_t(g)] && !reference.is_led(i))
      for (const int j : reference.group[size_t(g)])
        if (reference.is_led(j)) mean += a[size_t(j)], ++led;
    const Vec3d gain = led > 0 ? (0.25 / led) * mean : Vec3d{0, 0, 0};
    EXPECT_LT(norm(to_double(after[size_t(i)]) - exact[size_t(i)] - gain), 1e-6) << i;
  }
}

}  // namespace dfsph_union_test
MERGANSER_END
