/// Products with kept bonds against the plain walk and against brute force in double.
#include "solvers/methods/peridynamics/bond_product.h"

#include <gtest/gtest.h>

#include <random>

#include "device/launch_order.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/peridynamics_driver.h"
#include "tests/support/peridynamics_reference.h"

MERGANSER_BEGIN
namespace bond_product_test {

using test::BrittleBody;
using test::PeridynamicsDriver;

float between(float low, float high, std::mt19937& engine) {
  return low + (high - low) * float(engine() * 0x1p-32);
}

/// A lattice, a random cloud of another material and horizon, and a particle without bonds.
BrittleBody three_bodies() {
  BrittleBody state;
  state.parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = 0.05;
  state.parameters.of<PeridynamicsParameters>().materials.push_back(
      {.body = 1, .density = 700, .spacing = 0.013, .bulk_modulus = 3e6, .critical_stretch = 0.04});
  state.parameters.of<PeridynamicsParameters>().materials.push_back(
      {.body = 2, .density = 900, .spacing = 0.02});
  state.add_lattice(13, 7, 5);
  std::mt19937 engine(3);
  for (int i = 0; i < 300; ++i)
    state.add({between(0, 0.13f, engine), between(0, 0.07f, engine), between(0.05f, 0.11f, engine)},
              {0, 0, 0}, false, 1);
  state.add({1, 1, 1}, {0, 0, 0}, false, 2);
  return state;
}
std::vector<Vec3> shaken(const SystemState& state, float size, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<Vec3> x;
  for (const Float3& p : state.position)
    x.push_back({p[0] + between(-size, size, engine), p[1] + between(-size, size, engine),
                 p[2] + between(-size, size, engine)});
  return x;
}
/// Velocities, and inertias of which every seventh is that of a fixed row.
struct Motion {
  explicit Motion(int count) {
    std::mt19937 engine(11);
    for (int i = 0; i < count; ++i) {
      u.push_back({between(-2, 2, engine), between(-2, 2, engine), between(-2, 2, engine)});
      effective_mass.push_back(i % 7 == 3 ? 0 : between(1e-3f, 2e-3f, engine));
    }
    device_u.assign(u);
    device_effective_mass.assign(effective_mass);
  }
  BondProduct product(View<Vec3> result, bool with_inertia) const {
    return {{},
            1e-6f,
            with_inertia ? device_effective_mass.const_view() : View<const float>{},
            device_u.view(),
            result};
  }
  std::vector<Vec3> u;
  std::vector<float> effective_mass;
  Array<Vec3> device_u;
  Array<float> device_effective_mass;
};
std::vector<Vec3> plain_product(PeridynamicBonds& bonds, const Motion& motion, bool with_inertia) {
  Array<Vec3> result(motion.device_u.size());
  bonds.set_vector(motion.device_u.const_view());
  bonds.sum(motion.product(result.view(), with_inertia));
  return result.to_host();
}
/// Of bonds kept now.
struct KeptProduct {
  explicit KeptProduct(const PeridynamicBonds& bonds) : diagonal(bonds.list().material.count) {
    products.arrange(bonds.list().first);
    products.keep(bonds.list(), bonds.fields(), diagonal.view());
  }
  std::vector<Vec3> operator()(const Motion& motion, bool with_inertia) {
    Array<Vec3> result(motion.device_u.size());
    products.multiply(motion.product(result.view(), with_inertia));
    return result.to_host();
  }
  BondProducts products;
  Array<SymmetricMatrix3> diagonal;
};

/// Rows of the product by brute force, and the sum of the sizes of what is added up in each.
struct ExactProduct {
  ExactProduct(const SystemState& state, const PeridynamicsDriver& driver, const std::vector<Vec3>& x,
               const Motion& motion, bool with_inertia)
      : row(x.size(), Vec3d{0, 0, 0}), size(x.size(), 0), diagonal(x.size()) {
    const auto first = driver.first(), entries = driver.entries();
    for (const test::ReferenceBond& bond : test::PeridynamicsReference(state).bonds) {
      const size_t i = size_t(bond.i), j = size_t(bond.j);
      bool whole = false;
      for (int e = first[i]; e < first[i + 1]; ++e) whole = whole || entries[size_t(e)] == bond.j;
      if (!whole) {
        ++broken;
        continue;
      }
      const Vec3d y = to_double(x[j]) - to_double(x[i]), n = (1 / norm(y)) * y;
      const Vec3d w = to_double(motion.u[j]) - to_double(motion.u[i]);
      const Vec3d value = (1e-6 * bond.stiffness * dot(n, w)) * n;
      row[i] -= value;
      row[j] += value;
      for (size_t end : {i, j}) {
        size[end] += 1e-6 * bond.stiffness * norm(w);
        diagonal[end] += bond.stiffness * n.x * n.x;
      }
    }
    for (size_t i = 0; with_inertia && i < row.size(); ++i) {
      const double h = motion.effective_mass[i];
      row[i] = h > 0 ? h * to_double(motion.u[i]) + row[i] : Vec3d{0, 0, 0};
      size[i] += h * norm(to_double(motion.u[i]));
    }
  }
  std::vector<Vec3d> row;
  std::vector<double> size, diagonal;
  int broken = 0;
};

// A row adds up some 120 floats, each of which has seen a dozen roundings: 150 * 6e-8 of their sizes' sum. A
// bond more or less is a hundredth of it.
constexpr double rounding = 1e-5;

TEST(KeptBondProduct, EqualsThePlainOneAndBruteForce) {
  const BrittleBody state = three_bodies();
  PeridynamicsDriver driver(state);
  const int count = driver.store.count();
  const Motion motion(count);
  driver.fracture(shaken(state, 8e-4f, 2));
  const auto x = shaken(state, 4e-4f, 4);
  driver.set_positions(x);
  PeridynamicBonds& bonds = driver.system->bonds();
  KeptProduct kept(bonds);
  for (bool with_inertia : {false, true}) {
    const ExactProduct exact(state, driver, x, motion, with_inertia);
    ASSERT_GT(exact.broken, 1000);
    const auto found = kept(motion, with_inertia), plain = plain_product(bonds, motion, with_inertia);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(norm(to_double(found[i]) - exact.row[i]), rounding * exact.size[i]) << i;
      ASSERT_LE(norm(to_double(plain[i]) - exact.row[i]), rounding * exact.size[i]) << i;
    }
  }
  const ExactProduct exact(state, driver, x, motion, false);
  const auto diagonal = kept.diagonal.to_host();
  Array<SymmetricMatrix3> plain(count);
  bonds.sum(StiffnessDiagonal{plain.view()});
  const auto expected = plain.to_host();
  for (size_t i = 0; i < x.size(); ++i) {
    const SymmetricMatrix3 &a = diagonal[i], &b = expected[i];
    const double scale = rounding * (b.xx + b.yy + b.zz);
    ASSERT_NEAR(a.xx, exact.diagonal[i], scale) << i;
    ASSERT_NEAR(a.xx, b.xx, scale) << i;
    ASSERT_NEAR(a.xy, b.xy, scale) << i;
    ASSERT_NEAR(a.xz, b.xz, scale) << i;
    ASSERT_NEAR(a.yy, b.yy, scale) << i;
    ASSERT_NEAR(a.yz, b.yz, scale) << i;
    ASSERT_NEAR(a.zz, b.zz, scale) << i;
  }
}

// The number of threads a row follows from the number of rows: eight, four, two, one.
TEST(KeptBondProduct, EqualsThePlainOneAtEverySize) {
  for (int layers : {3, 18, 33, 63}) {
    BrittleBody state;
    state.parameters.of<PeridynamicsParameters>().horizon_factor = 1.5;
    state.add_lattice(41, 40, layers);
    PeridynamicsDriver driver(state);
    driver.set_positions(shaken(state, 1e-3f, 5));
    const Motion motion(driver.store.count());
    const auto found = KeptProduct(driver.system->bonds())(motion, true),
               plain = plain_product(driver.system->bonds(), motion, true);
    // 18 bonds of 1e-6 k |w|; k is at most c V^2 / spacing.
    double largest = 0, error = 0;
    for (size_t i = 0; i < plain.size(); ++i) {
      largest = std::max(largest, double(norm(plain[i])));
      error = std::max(error, double(norm(found[i] - plain[i])));
    }
    EXPECT_GT(largest, 1e-3);
    EXPECT_LT(error, 2e-6 * largest) << layers << " layers";
  }
}

// Every slice of 32 rows is as long as its longest, here the last: a particle amid 31 others, which have a
// few bonds each.
TEST(KeptBondProduct, HasRoomForTheLongestRowOfEverySlice) {
  BrittleBody state;
  for (int star = 0; star < 4; ++star) {
    const Float3 centre{float(star), 0, 0};
    for (int i = 0; i < 31; ++i) {
      const double z = 2 * (i + 0.5) / 31 - 1, angle = 2.4 * i, r = std::sqrt(1 - z * z);
      state.add({float(centre[0] + 0.029 * r * std::cos(angle)), float(0.029 * r * std::sin(angle)),
                 float(0.029 * z)});
    }
    state.add(centre);
  }
  PeridynamicsDriver driver(state);
  const auto first = driver.first();
  ASSERT_EQ(first[32] - first[31], 31);
  ASSERT_LT(first[31] - first[30], 20);
  driver.set_positions(shaken(state, 1e-4f, 6));
  const Motion motion(driver.store.count());
  const auto found = KeptProduct(driver.system->bonds())(motion, false),
             plain = plain_product(driver.system->bonds(), motion, false);
  double largest = 0;
  for (const Vec3& row : plain) largest = std::max(largest, double(norm(row)));
  for (size_t i = 0; i < plain.size(); ++i) ASSERT_LT(norm(found[i] - plain[i]), rounding * largest) << i;
}

TEST(KeptBondProduct, HasTheSameBitsInEveryLaunchOrder) {
  const BrittleBody state = three_bodies();
  PeridynamicsDriver driver(state);
  driver.fracture(shaken(state, 8e-4f, 2));
  driver.set_positions(shaken(state, 4e-4f, 4));
  const Motion motion(driver.store.count());
  std::vector<std::vector<Vec3>> found;
  for (const char* order : {"ascending", "reversed", "shuffled:7"}) {
    set_launch_order(order);
    found.push_back(KeptProduct(driver.system->bonds())(motion, true));
  }
  set_launch_order("ascending");
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

// What was kept is used no longer where positions or bonds have changed.
TEST(KeptBondProduct, IsOfThePresentPositionsAndBonds) {
  const BrittleBody state = three_bodies();
  PeridynamicsDriver driver(state);
  const Motion motion(driver.store.count());
  PeridynamicBonds& bonds = driver.system->bonds();
  Array<Vec3> result(driver.store.count());
  Array<SymmetricMatrix3> diagonal(driver.store.count());
  const auto agrees = [&] {
    bonds.multiply(motion.product(result.view(), true));
    const auto found = result.to_host(), plain = plain_product(bonds, motion, true);
    double largest = 0, error = 0;
    for (size_t i = 0; i < plain.size(); ++i) {
      largest = std::max(largest, double(norm(plain[i])));
      error = std::max(error, double(norm(found[i] - plain[i])));
    }
    return error < rounding * largest;
  };
  driver.set_positions(shaken(state, 8e-4f, 2));
  bonds.measure_stiffness(diagonal.view());
  EXPECT_TRUE(agrees());
  bonds.fracture(driver.store.id.const_view());
  bonds.count_broken();
  fetch_results();
  EXPECT_GT(bonds.broken().count, 1000);
  EXPECT_TRUE(agrees());
  bonds.measure_stiffness(diagonal.view());
  EXPECT_TRUE(agrees());
  driver.set_positions(shaken(state, 8e-4f, 9));
  EXPECT_TRUE(agrees());
}

TEST(KeptBondProduct, DoesNothingOnceTheSolveHasEnded) {
  const BrittleBody state = three_bodies();
  PeridynamicsDriver driver(state);
  const Motion motion(driver.store.count());
  KeptProduct kept(driver.system->bonds());
  SolveState state_of_solve{};
  Array<SolveState> ended(std::vector<SolveState>{state_of_solve});
  const std::vector<Vec3> before(motion.u.size(), Vec3{1, 2, 3});
  Array<Vec3> result(before);
  BondProduct term = motion.product(result.view(), true);
  term.progress = {ended.view()};
  kept.products.multiply(term);
  EXPECT_EQ(result.to_host(), before);
  state_of_solve.active = 1;
  ended.assign(std::vector<SolveState>{state_of_solve});
  kept.products.multiply(term);
  EXPECT_NE(result.to_host(), before);
}

}  // namespace bond_product_test
MERGANSER_END
