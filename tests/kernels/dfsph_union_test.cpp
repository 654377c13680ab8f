/// One pressure solve over several systems: its kernels against loops in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "solvers/core/initial_particles.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/dfsph/coupled_pressure.h"
#include "tests/support/dfsph_reference.h"
#include "tests/support/meta_groups.h"
#include "tests/support/random_values.h"
#include "tests/support/union_reference.h"

MERGANSER_BEGIN
namespace {

using dfsph_test::UnionReference;

constexpr double volume = 1e-3;

Vec3 random_vector(int i, int stream) {
  const RandomBits bits = test_bits(i, stream);
  return {uniform_float(bits.word[0]) - 0.5f, uniform_float(bits.word[1]) - 0.5f,
          uniform_float(bits.word[2]) - 0.5f};
}

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
  UnionMembers members() const { return {groups->view(), place.const_view(), kind.const_view()}; }
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
  launch(size, UnionMobility{store_index.const_view(), kind.const_view(), mass.const_view(),
                             inverse_mass.const_view(), groups->view(), float(volume), mobility.view(),
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
    launch_group_sums(
        int(reference.group.size()),
        UnionGroupAcceleration{members(), word.const_view(), mass.const_view(), acceleration.view()});
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

/// Water, oil and two soft blocks, as dense as a fluid, in one solve.
class DfsphCoupledSolve : public testing::Test {
 protected:
  static constexpr double spacing = 0.1, h = 0.1, dt = 0.01;
  InitialState initial;
  ParticleStore store;
  KernelReport report;
  std::unique_ptr<CoupledPressure> solve;
  dfsph_test::Reference reference{{}, {}, h, spacing* spacing* spacing};
  std::vector<double> share, mass;
  std::vector<int> part;

  SystemState system(const std::string& type, const std::string& name, const Vec3d& low, int layers,
                     double density, int stream) {
    SystemState state;
    state.use(*find_method(type));
    state.name = name;
    state.fluid.density0 = density;
    state.fluid.particle_radius = spacing / 2;
    for (int z = 0; z < layers; ++z)
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 6; ++x) {
          const int n = int(state.position.size());
          const Vec3d jitter = 0.15 * spacing * to_double(random_vector(n, stream));
          const Vec3d at = low + spacing * Vec3d{x + 0.5, y + 0.5, z + 0.5} + jitter;
          const Vec3 v = random_vector(n, stream + 1);
          state.position.push_back({float(at.x), float(at.y), float(at.z)});
          state.velocity.push_back({v.x, v.y, v.z});
          state.mass.push_back(float(density * spacing * spacing * spacing));
          state.radius.push_back(float(spacing / 2));
          state.immobile.push_back(0);
          state.body.push_back(type == "dfsph" ? 0 : x / 3);  // two blocks side by side
        }
    return state;
  }
  void make(bool solids_compress) {
    initial.particle_radius = spacing / 2;
    initial.systems = {system("dfsph", "water", {0, 0, 0}, 4, 1000, 20),
                       system("dfsph", "oil", {0, 0, 0.4}, 3, 800, 22),
                       system("elasticSph", "soft", {0, 0, 0.7}, 4, 1200, 24)};
    DfsphParameters parameters;
    parameters.solids_compress = solids_compress;
    parameters.max_density_error = 1e-6;
    parameters.max_divergence_error = 1e-6;
    parameters.max_iterations = 3000;
    solve = std::make_unique<CoupledPressure>(parameters, initial, 0, std::vector<int>{0, 1, 2});
    for (int s : {0, 1, 2}) {
      store.add_system(initial_particles(initial.systems[size_t(s)], s, store.count()));
      for (const Float3& x : initial.systems[size_t(s)].position)
        reference.position.push_back({x[0], x[1], x[2]});
      for (const float m : initial.systems[size_t(s)].mass)
        mass.push_back(m), reference.mobility.push_back(reference.volume / m);
    }
    fluids[0].emplace(parameters, initial.systems[0].fluid, initial);
    fluids[1].emplace(parameters, initial.systems[1].fluid, initial);
    for (int s : {0, 1}) {
      fluids[s]->density_pressure.resize(store.range(s).count);
      fluids[s]->density_pressure.zero();
      solve->use_fluid(s, *fluids[s]);
    }
    const SystemState& soft = initial.systems[2];
    const std::vector<Vec3d> rest(reference.position.end() - long(soft.position.size()),
                                  reference.position.end());
    share.assign(reference.position.size() - rest.size(), 0);
    part.assign(share.size(), -1);
    for (const double s : dfsph_test::rest_share(rest, soft.body, reference.volume, h, solids_compress))
      share.push_back(s);
    for (const int b : soft.body) part.push_back(solids_compress ? b : -1);
  }
  bool left_out(size_t i, size_t j) const { return j != i && part[i] >= 0 && part[i] == part[j]; }
  /// rho/rho0 - 1 of particle i with its share, pairs within parts left out.
  double compression(size_t i) const {
    double sum = share[i] - 1;
    for (size_t j = 0; j < reference.position.size(); ++j) {
      const double r = norm(reference.between(i, j));
      if (r < 2 * h && !left_out(i, j)) sum += reference.volume * reference.kernel.value(r);
    }
    return sum;
  }
  /// Those left out among them.
  int neighbors(size_t i) const {
    int count = -1;
    for (size_t j = 0; j < reference.position.size(); ++j) count += norm(reference.between(i, j)) < 2 * h;
    return count;
  }
  double rate(size_t i, const std::vector<Vec3d>& v) const {
    double sum = 0;
    for (size_t j = 0; j < reference.position.size(); ++j)
      if (!left_out(i, j)) sum += dot(reference.gradient(i, j), v[i] - v[j]);
    return sum;
  }
  std::vector<Vec3d> to_doubles(const std::vector<Vec3>& v) const {
    std::vector<Vec3d> made;
    for (const Vec3& x : v) made.push_back(to_double(x));
    return made;
  }
  double kinetic_energy(const std::vector<Vec3d>& v) const {
    double sum = 0;
    for (size_t i = 0; i < v.size(); ++i) sum += 0.5 * mass[i] * norm_squared(v[i]);
    return sum;
  }
  Vec3d momentum(const std::vector<Vec3d>& v) const {
    Vec3d sum{0, 0, 0};
    for (size_t i = 0; i < v.size(); ++i) sum += mass[i] * v[i];
    return sum;
  }
  double whole_mass() const { return std::accumulate(mass.begin(), mass.end(), 0.0); }
  void expect_divergence_free(bool solids_compress);
  void expect_constant_density(bool solids_compress);
  StepContext step() { return {store, report, {0, 0, 0}, 0, dt, 0, {}, false}; }
  std::optional<DfsphPressure> fluids[2];
};

/// The divergence-free solve sees shares and parts as the equations say and leaves its tolerance, 1e-6 within
/// dt on average, where particles have enough neighbors; what it takes of energy is what velocities lose, and
/// momentum stays. Float sums of 30 terms: 5e-5 as in DfsphKernels.
void DfsphCoupledSolve::expect_divergence_free(bool solids_compress) {
  make(solids_compress);
  const std::vector<Vec3d> before = to_doubles(store.velocity.to_host());
  const PressureSolveResult solved = solve->prepare(step());
  fetch_results();
  EXPECT_TRUE(solved.tolerance_met);
  size_t first = 0;
  for (const int s : {0, 1, 2}) {
    Array<float> found(store.range(s).count);
    solve->write_compression(s, found.view());
    for (const float c : found.to_host()) {
      EXPECT_NEAR(c, compression(first), 5e-5) << first;
      ++first;
    }
  }
  const std::vector<Vec3d> after = to_doubles(store.velocity.to_host());
  double left = 0, had = 0;
  for (size_t i = 0; i < after.size(); ++i)
    if (neighbors(i) >= 20) left += std::max(0.0, rate(i, after)), had += std::max(0.0, rate(i, before));
  EXPECT_GT(dt * had / double(after.size()), 1e-3);
  EXPECT_LT(dt * left / double(after.size()), 2e-6);
  EXPECT_NEAR(solve->divergence_loss(), kinetic_energy(before) - kinetic_energy(after),
              1e-5 * kinetic_energy(before));
  EXPECT_LT(norm(momentum(after) - momentum(before)), 1e-6 * whole_mass());
}
TEST_F(DfsphCoupledSolve, TakesDivergenceFromFluidsAndSolids) { expect_divergence_free(false); }
TEST_F(DfsphCoupledSolve, TakesDivergenceAroundSolidsThatCompress) { expect_divergence_free(true); }

/// After the constant-density solve no particle of any system is denser than at rest, to first order in the
/// step; what is left is the tolerance, 1e-6 on average, ten of it left to later steps, and rounding.
void DfsphCoupledSolve::expect_constant_density(bool solids_compress) {
  make(solids_compress);
  solve->prepare(step());
  const std::vector<Vec3d> before = to_doubles(store.velocity.to_host());
  Array<Vec3> end(store.velocity.to_host());
  const PressureSolveResult solved = solve->integrate(step(), {}, end.view());
  EXPECT_TRUE(solved.tolerance_met);
  EXPECT_GT(solved.iterations, 2);
  const std::vector<Vec3d> after = to_doubles(end.to_host());
  double left = 0, had = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    left += std::max(0.0, compression(i) + dt * rate(i, after)) / double(after.size());
    had += std::max(0.0, compression(i) + dt * rate(i, before)) / double(after.size());
  }
  EXPECT_GT(had, 1e-3);
  EXPECT_LT(left, 2e-5);
  EXPECT_LT(norm(momentum(after) - momentum(before)), 1e-6 * whole_mass());
}
TEST_F(DfsphCoupledSolve, KeepsDensitiesOfFluidsAndSolids) { expect_constant_density(false); }
TEST_F(DfsphCoupledSolve, KeepsDensitiesAroundSolidsThatCompress) { expect_constant_density(true); }

}  // namespace
MERGANSER_END
