/// The solvers with a stored factor against each other: BlockSolver, the GPU's, against its plain twin
/// LevelSolver. Both halves run both.
#include <gtest/gtest.h>

#include <cmath>

#include "device/launch_order.h"
#include "solvers/diagnostics/elastic_matrix.h"
#include "solvers/linear/cholesky_block_solve.h"
#include "solvers/linear/cholesky_fronts.h"
#include "tests/support/cholesky_oracle.h"

MERGANSER_BEGIN
namespace {

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
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(15, 14, 13), 100);
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

}  // namespace
MERGANSER_END
