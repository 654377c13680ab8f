/// Re-seeding of a FLIP fluid: who moves, and what is kept.
#include <gtest/gtest.h>

#include <set>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/flip/reseed.h"
#include "tests/support/random_values.h"
#include "tests/support/sph_driver.h"

#if !MERGANSER_COMPILED_BY_NVCC
#include <omp.h>
#endif

MERGANSER_BEGIN
namespace flip_reseed_test {

using namespace sph_test;

constexpr double radius = 0.05, cell = 0.2;  // eight particles a cell

/// Number of particles in each cell of an n x n x n block, at random places in it, with random velocities.
struct Cells {
  int n = 6;
  std::vector<int> count = std::vector<int>(size_t(n * n * n), 8);
  int& at(int x, int y, int z) { return count[size_t(x + n * (y + n * z))]; }
};

struct Fluid {
  explicit Fluid(const Cells& cells, const std::vector<WallParameters>& wall_list = {}) : walls(wall_list) {
    SystemState state = new_system("flip");
    state.fluid.particle_radius = radius;
    auto random = [draw = 0u]() mutable {
      return double(uniform_float(random_draw(7, RandomPurpose::test, draw++, 0).word[0]));
    };
    for (int z = 0; z < cells.n; ++z)
      for (int y = 0; y < cells.n; ++y)
        for (int x = 0; x < cells.n; ++x)
          for (int k = 0; k < cells.count[size_t(x + cells.n * (y + cells.n * z))]; ++k)
            add_particle(state, {cell * (x + random()), cell * (y + random()), cell * (z + random())},
                         {random() - 0.5, random() - 0.5, random() - 0.5});
    store.add_system(initial_particles(state, 0, 0));
    sort();
  }
  void sort() {
    grid.build(store.position.const_view(), float(cell));
    store.permute(0, grid.order());
    grid.use_permuted(store.position.const_view());
  }
  int reseed(long long step = 0, const UniformGridView& foreign = {}) {
    const int moved = reseeding.apply(store, store.range(0), grid.view(), foreign, walls.view(), {}, step);
    sort();
    return moved;
  }
  Cells count(int n) const {
    Cells cells{n, std::vector<int>(size_t(n * n * n), 0)};
    for (const Vec3& x : store.position.to_host())
      ++cells.at(int(double(x.x) / cell), int(double(x.y) / cell), int(double(x.z) / cell));
    return cells;
  }
  Vec3d momentum() const {
    Vec3d sum{0, 0, 0};
    for (const Vec3& v : store.velocity.to_host()) sum += to_double(v);
    return sum;
  }

  ParticleStore store;
  UniformGrid grid;
  Walls walls;
  FlipReseeding reseeding{8, float(radius), 3};
};

/// A cell of 16 beside one of 2: a particle goes over at each call, until the one is not sparse any more.
/// Mass is kept because particles are, momentum to the rounding of 1,700 floats of size 1 (1e-6 of their sum
/// of sizes is 1e-3; measured 1e-5).
TEST(FlipReseeding, CrowdedCellsFillSparseOnes) {
  Cells cells;
  cells.at(2, 2, 2) = 16;
  cells.at(3, 3, 3) = 2;
  Fluid fluid(cells);
  const Vec3d before = fluid.momentum();
  EXPECT_EQ(fluid.reseed(0), 1);
  EXPECT_EQ(fluid.count(6).at(2, 2, 2), 15);
  EXPECT_EQ(fluid.count(6).at(3, 3, 3), 3);
  EXPECT_EQ(fluid.reseed(1), 1);
  EXPECT_EQ(fluid.count(6).at(3, 3, 3), 4);
  EXPECT_EQ(fluid.reseed(2), 0);
  EXPECT_LT(norm(fluid.momentum() - before), 1e-4);
  std::set<int> ids;
  for (int id : fluid.store.id.to_host()) ids.insert(id);
  EXPECT_EQ(int(ids.size()), fluid.store.count());
}

/// The particle that moves takes on its new cell's velocity, but for its part of what is shared.
TEST(FlipReseeding, SharesTheDifferenceOfMomentum) {
  Cells cells;
  cells.at(2, 2, 2) = 13;
  cells.at(2, 2, 3) = 1;
  Fluid fluid(cells);
  const auto before = fluid.store.velocity.to_host(), at = fluid.store.position.to_host();
  const auto ids = fluid.store.id.to_host();
  std::vector<Vec3> old(before.size()), place(before.size());
  for (size_t i = 0; i < before.size(); ++i) old[size_t(ids[i])] = before[i], place[size_t(ids[i])] = at[i];
  ASSERT_EQ(fluid.reseed(), 1);
  const auto after = fluid.store.velocity.to_host(), now = fluid.store.position.to_host();
  const auto ids_now = fluid.store.id.to_host();
  int changed = 0, mover = -1, host = -1;
  for (size_t i = 0; i < after.size(); ++i) {
    const size_t id = size_t(ids_now[i]);
    changed += !(after[i] == old[id]);
    if (!(now[i] == place[id])) mover = int(i);
    const Vec3 x = place[id];
    if (int(x.x / 0.2f) == 2 && int(x.y / 0.2f) == 2 && int(x.z / 0.2f) == 3) host = int(i);
  }
  ASSERT_GE(mover, 0);
  ASSERT_GE(host, 0);
  EXPECT_EQ(changed, 14);
  const Vec3 mean = old[size_t(ids_now[size_t(host)])], left = old[size_t(ids_now[size_t(mover)])] - mean;
  EXPECT_LT(norm(after[size_t(mover)] - (mean + left * (1.0f / 14))), 1e-6f);
  EXPECT_LT(norm(after[size_t(host)] - (mean + left * (1.0f / 14))), 1e-6f);
}

/// Sparse cells at a free surface, and cells near other systems' particles, are left alone; a wall is no
/// surface.
TEST(FlipReseeding, LeavesSurfacesAndOtherSystemsAlone) {
  Cells cells;
  cells.at(2, 2, 1) = 16;
  cells.at(2, 2, 0) = 2;
  EXPECT_EQ(Fluid(cells).reseed(), 0);
  Fluid on_floor(cells, {{.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {0, 0, 1}}});
  EXPECT_EQ(on_floor.reseed(), 1);
  EXPECT_EQ(on_floor.count(6).at(2, 2, 0), 3);
  for (const Vec3& other : {Vec3{0.5f, 0.5f, 0.1f}, Vec3{0.5f, 0.5f, 0.5f}}) {
    Fluid fluid(cells, {{.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {0, 0, 1}}});
    Array<Vec3> solid;
    solid.assign({other});
    UniformGrid foreign;
    foreign.build(solid.const_view(), float(cell));
    EXPECT_EQ(fluid.reseed(0, foreign.view()), 0);
  }
}

/// Many exchanges at once: each cell gives and takes one at most, momentum is kept, and any number of threads
/// gives the same bits.
TEST(FlipReseeding, ManyAtOnceAndTheSameForAnyThreads) {
  Cells cells{8, std::vector<int>(512)};
  for (size_t k = 0; k < cells.count.size(); ++k)
    cells.count[k] = 1 + int(random_draw(1, RandomPurpose::test, std::uint32_t(k), 1).word[0] % 20);
  const auto run = [&](int threads) {
#if !MERGANSER_COMPILED_BY_NVCC
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
    Fluid fluid(cells);
    const Vec3d before = fluid.momentum();
    int moved = 0;
    for (int step = 0; step < 5; ++step) {
      const Cells counted = fluid.count(8);
      moved += fluid.reseed(step);
      const Cells now = fluid.count(8);
      for (size_t k = 0; k < now.count.size(); ++k) EXPECT_LE(std::abs(now.count[k] - counted.count[k]), 1);
    }
    EXPECT_GT(moved, 20);
    EXPECT_LT(norm(fluid.momentum() - before), 1e-3);
    return std::pair{fluid.store.position.to_host(), fluid.store.velocity.to_host()};
  };
  const auto one = run(1), two = run(2);
#if !MERGANSER_COMPILED_BY_NVCC
  omp_set_num_threads(omp_get_num_procs());
#endif
  EXPECT_TRUE(one.first == two.first);
  EXPECT_TRUE(one.second == two.second);
}

}  // namespace flip_reseed_test
MERGANSER_END
