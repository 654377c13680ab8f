/// The solvers with a stored factor against each other: BlockSolver, the GPU's, against its plain twin
/// LevelSolver, on both halves; and factors in half precision.
#include <gtest/gtest.h>

#include <cmath>

#include "device/launch_order.h"
#include "solvers/benchmarks/elastic_matrix.h"
#include "solvers/linear/cholesky/cholesky_block_solve.h"
#include "solvers/linear/cholesky/cholesky_fronts.h"
#if !MERGANSER_GPU_HALF
#include "solvers/linear/cholesky/cholesky_solve_cpu.h"
#endif
#include "tests/support/cholesky_oracle.h"

MERGANSER_BEGIN
namespace cholesky_solve_test {

using test::random_sides;

/// A factored matrix in the arrays that solvers read.
struct Factored {
  explicit Factored(const HostSparseMatrix& matrix)
      : graph(matrix), tree(analyze(graph, metis_order(graph))), arrays(tree), rows(matrix.rows()) {
    factorize(PermutedMatrix(matrix, tree), tree, arrays.host_offset, arrays.stored.data());
  }
  template <class Solver>
  std::vector<float> solve(Solver& solver, int right_sides) {
    const Array<float> b(random_sides(rows, right_sides));
    Array<float> x(b.size());
    solver.solve(arrays.view(), b.view(), x.view(), right_sides);
    return x.to_host();
  }
  MatrixGraph graph;
  FrontTree tree;
  FactorArrays arrays;
  int rows;
};

double difference(const std::vector<float>& found, const std::vector<float>& expected) {
  double square = 0, size = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    square += std::pow(double(found[i]) - expected[i], 2);
    size += std::pow(double(expected[i]), 2);
  }
  return std::sqrt(square / size);
}

/// Both add the same products in another order: sums of some hundred floats of either sign, where a rounding
/// is 6e-8 of a sum.
void expect_agreement(const HostSparseMatrix& matrix, const BlockPlanOptions& options) {
  Factored factored(matrix);
  LevelSolver levels(factored.tree);
  BlockSolver blocks(factored.tree, options);
  for (const int right_sides : {1, 2, 3, 6, 8, 12, 25}) {
    const std::vector<float> found = factored.solve(blocks, right_sides);
    EXPECT_LT(difference(found, factored.solve(levels, right_sides)), 2e-6)
        << matrix.rows() << " rows, " << right_sides << " right sides";
    EXPECT_EQ(found, factored.solve(blocks, right_sides));
  }
}

/// Every way to cut a tree: small and large teams, tasks of 32, 16 and 8 rows, with and without subtrees.
TEST(CholeskySolve, BlocksAgreeWithLevels) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(12, 11, 10), 100);
  for (const int many_tasks : {1, 1 << 30})
    for (const int enough_tasks : {1, 60, 1 << 30})
      for (const double subtree_numbers : {0.0, 20000.0})
        expect_agreement(matrix, {many_tasks, enough_tasks, subtree_numbers});
}
/// A root of more columns than a chunk holds.
TEST(CholeskySolve, BlocksTakeWideFronts) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(13, 12, 10), 100, 5);
  Factored factored(matrix);
  ASSERT_GT(factored.tree.columns(factored.tree.fronts() - 1), chunk_of(block_threads));
  expect_agreement(matrix, {});
}
/// Bodies out of each other's reach, one of them a single row.
TEST(CholeskySolve, BlocksTakeForests) {
  std::vector<Point3> positions;
  for (int body = 0; body < 12; ++body)
    for (const Point3& x : jittered_block(1 + body % 5, 4, body < 6 ? 1 : 5))
      positions.push_back({x[0] + 40 * body, x[1], x[2]});
  positions.push_back({-90, 0, 0});
  expect_agreement(elastic_matrix(positions, 100), {});
}

/// One launch for the small subtrees and one for each level above, each way.
TEST(CholeskySolve, LaunchesOfBlocks) {
  Factored factored(elastic_matrix(jittered_block(12, 11, 10), 100));
  const int levels = 1 + *std::max_element(factored.tree.level.begin(), factored.tree.level.end());
  EXPECT_EQ(BlockSolver(factored.tree, {.subtree_numbers = 0}).launches(), 2 * levels);
  EXPECT_LE(BlockSolver(factored.tree).launches(), 2 * levels);
  EXPECT_EQ(BlockSolver(factored.tree, {.subtree_numbers = 1e9}).launches(), 2);
}

/// The stored numbers of a factor in half precision.
std::vector<float> written_out(const Factored& factored, const FactorArrays& half) {
  const std::vector<float> scale = half.scale.to_host();
  std::vector<Half> numbers(size_t(half.host_offset.back()));
  copy_to_host(numbers.data(), half.halves.data(), numbers.size() * sizeof(Half));
  std::vector<float> result(numbers.size());
  for (int s = 0; s < factored.tree.fronts(); ++s) {
    const FrontShape shape{factored.tree.columns(s), factored.tree.below(s)};
    for (int t = 0; t < shape.tiles(); ++t) {
      const FrontTile tile = shape.tile(t);
      const size_t start = size_t(half.host_offset[size_t(s)] + tile.offset);
      for (int j = 0; j < tile.columns; ++j)
        for (int i = 0; i < tile.height; ++i) {
          const size_t at = start + size_t(j * tile.height + i);
          result[at] = to_float(numbers[at]) * scale[size_t(factored.tree.first_column[size_t(s)] + j)];
        }
    }
  }
  return result;
}

/// A solve with numbers in half precision is one with what those numbers are in float; and these are the
/// factor's, rounded to 11 bits. Rows differ in mass by ten orders of magnitude, so columns need scales.
TEST(CholeskySolve, HalfPrecisionIsTheRoundedFactor) {
  HostSparseMatrix matrix = elastic_matrix(jittered_block(12, 11, 10), 100);
  for (int i = 0; i < matrix.rows(); ++i)
    for (auto e = matrix.first[size_t(i)]; e < matrix.first[size_t(i) + 1]; ++e)
      matrix.value[size_t(e)] *= std::exp2((i * 7 % 17 + matrix.column[size_t(e)] * 7 % 17) - 28);
  Factored factored(matrix);
  const std::vector<float> exact = [&] {
    std::vector<float> numbers(size_t(factored.arrays.host_offset.back()));
    copy_to_host(numbers.data(), factored.arrays.stored.data(), numbers.size() * sizeof(float));
    return numbers;
  }();
  factored.arrays.halve(factored.tree);
  const std::vector<float> rounded = written_out(factored, factored.arrays);
  double largest = 0;
  for (size_t i = 0; i < exact.size(); ++i) largest = std::max(largest, std::abs(double(exact[i])));
  for (size_t i = 0; i < exact.size(); ++i)
    ASSERT_NEAR(rounded[i], exact[i], 0x1p-11 * std::abs(exact[i]) + 1e-9 * largest) << i;
  FactorArrays expanded(factored.tree);
  copy_to_device(expanded.stored.data(), rounded.data(), rounded.size() * sizeof(float));
  LevelSolver levels(factored.tree);
  BlockSolver blocks(factored.tree);
  for (const int right_sides : {1, 3, 8, 24}) {
    const Array<float> b(random_sides(factored.rows, right_sides));
    Array<float> x(b.size());
    levels.solve(expanded.view(), b.view(), x.view(), right_sides);
    const std::vector<float> expected = x.to_host();
    EXPECT_LT(difference(factored.solve(blocks, right_sides), expected), 2e-6) << right_sides;
#if !MERGANSER_GPU_HALF
    SubtreeSolver subtrees(factored.tree);
    EXPECT_LT(difference(factored.solve(subtrees, right_sides), expected), 2e-6) << right_sides;
#endif
  }
}

/// Every number in half precision there is, and the one between two of them, which goes to the even one.
TEST(CholeskySolve, HalfPrecisionRoundsToNearest) {
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const Half low{static_cast<std::uint16_t>(bits)}, high{static_cast<std::uint16_t>(bits + 1)};
    const float a = to_float(low), b = to_float(high), middle = 0.5f * (a + b);
    EXPECT_LT(a, b);
    EXPECT_EQ(to_half(a).bits, bits);
    EXPECT_EQ(to_half(-b).bits, bits + 1 + 0x8000);
    EXPECT_EQ(to_half(middle).bits, bits + bits % 2);
    EXPECT_EQ(to_half(std::nextafter(middle, a)).bits, bits);
    EXPECT_EQ(to_half(std::nextafter(middle, b)).bits, bits + 1);
  }
  EXPECT_EQ(to_float(Half{0x3c00}), 1.0f);
  EXPECT_EQ(to_float(Half{0x0001}), 0x1p-24f);
}

/// Blocks, and threads within them, come in any order.
TEST(CholeskySolve, SameBitsInAnyOrder) {
  Factored factored(elastic_matrix(jittered_block(11, 10, 9), 100));
  BlockSolver blocks(factored.tree);
  const std::vector<float> expected = factored.solve(blocks, 15);
  for (const char* order : {"reversed", "shuffled:3", "ascending"}) {
    set_launch_order(order);
    EXPECT_EQ(factored.solve(blocks, 15), expected) << order;
  }
}

}  // namespace cholesky_solve_test
MERGANSER_END
