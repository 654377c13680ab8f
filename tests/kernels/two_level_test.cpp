/// The two-level preconditioner against the dense formula in double.
#include "solvers/linear/two_level/two_level_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "device/launch_order.h"
#include "solvers/benchmarks/elastic_matrix.h"
#include "solvers/linear/two_level/parts.h"
#include "tests/support/dense_algebra.h"
#include "tests/support/note.h"
#include "tests/support/random_values.h"
#include "tests/support/threads.h"
#include "tests/support/two_level_reference.h"

MERGANSER_BEGIN
namespace two_level_test {

Eigen::MatrixXd dense(const HostSparseMatrix& matrix) {
  Eigen::MatrixXd made = Eigen::MatrixXd::Zero(matrix.rows(), matrix.rows());
  for (int i = 0; i < matrix.rows(); ++i)
    for (auto e = matrix.first[size_t(i)]; e < matrix.first[size_t(i) + 1]; ++e) {
      const int j = matrix.column[size_t(e)];
      made(i, j) = made(j, i) = matrix.value[size_t(e)];
    }
  return made;
}

/// Rows in the order of their parts, and their matrix.
struct Cut {
  std::vector<Point3> positions;
  std::vector<int> first;
  HostSparseMatrix matrix;
  Cut(const std::vector<Point3>& points, int parts, double stiffness) {
    const RowParts made = cut_into_parts(points, parts);
    for (const int row : made.order) positions.push_back(points[size_t(row)]);
    first = made.first;
    matrix = elastic_matrix(positions, stiffness);
  }
};

std::vector<float> applied(TwoLevelSolver& solver, const std::vector<float>& b, int sides) {
  const Array<float> right_side(b);
  Array<float> solution(right_side.size());
  solver.solve(right_side.view(), solution.view(), sides);
  return solution.to_host();
}

/// B itself, column by column.
Eigen::MatrixXd matrix_of(TwoLevelSolver& solver, int rows) {
  std::vector<float> identity(size_t(rows) * size_t(rows), 0.0f);
  for (int i = 0; i < rows; ++i) identity[size_t(i) * size_t(rows + 1)] = 1;
  const std::vector<float> x = applied(solver, identity, rows);
  Eigen::MatrixXd made(rows, rows);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < rows; ++k) made(i, k) = double(x[size_t(i) * size_t(rows) + size_t(k)]);
  return made;
}

TEST(RowParts, AreBalancedCompactAndTheSameAgain) {
  const std::vector<Point3> points = jittered_block(20, 6, 5);
  for (const int parts : {1, 2, 3, 7, 16, 600}) {
    const RowParts made = cut_into_parts(points, parts);
    ASSERT_EQ(int(made.first.size()), parts);
    std::vector<int> sorted = made.order, sizes;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < 600; ++i) ASSERT_EQ(sorted[size_t(i)], i);
    for (size_t p = 0; p < size_t(parts); ++p)
      sizes.push_back((p + 1 < size_t(parts) ? made.first[p + 1] : 600) - made.first[p]);
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end()),
              1);
    EXPECT_EQ(cut_into_parts(points, parts).order, made.order);
  }
  // Two halves of the longest side.
  const RowParts halves = cut_into_parts(points, 2);
  for (int k = 0; k < 300; ++k)
    EXPECT_LT(points[size_t(halves.order[size_t(k)])][0],
              points[size_t(halves.order[size_t(k + 300)])][0] + 2);
  EXPECT_THROW(cut_into_parts(points, 0), InputError);
  EXPECT_THROW(cut_into_parts(points, 601), InputError);
}

/// Float factors: errors grow with the condition number, 6e-8 times a small part of it.
void expect_formula(const std::string& what, const std::vector<Point3>& points, int parts, double stiffness) {
  const Cut cut(points, parts, stiffness);
  TwoLevelSolver solver(cut.matrix, cut.positions, {.first = cut.first});
  EXPECT_EQ(solver.setup_metrics().parts, parts);
  const Eigen::MatrixXd wanted = test::two_level_inverse(dense(cut.matrix), cut.positions, cut.first);
  const Eigen::MatrixXd found = matrix_of(solver, cut.matrix.rows());
  EXPECT_LT((found - wanted).norm() / wanted.norm(), 1e-5) << what << ", " << parts << " parts";
  EXPECT_LT((found - found.transpose()).norm() / found.norm(), 1e-6) << what;
  const double least = test::least_eigenvalue(0.5 * (found + found.transpose())),
               exact = test::least_eigenvalue(wanted);
  EXPECT_GT(least, 0.5 * exact) << what;
  EXPECT_GT(exact, 0) << what;
}

TEST(TwoLevel, IsTheDenseFormula) {
  for (const int parts : {1, 2, 5, 12}) {
    expect_formula("block", jittered_block(8, 6, 5), parts, 100);
    expect_formula("beam", jittered_block(24, 3, 3), parts, 4500);
  }
}

/// Functions that a part cannot tell apart: plates one particle thick, lines, parts of one row.
TEST(TwoLevel, FlatPartsAndSingleRows) {
  std::vector<Point3> plate, line;
  for (int i = 0; i < 12; ++i) {
    line.push_back({0.6 * i, 0.8 * i, 0.3 * i});
    for (int k = 0; k < 10; ++k) plate.push_back({double(i), 0.8 * k, 0.6 * k});
  }
  for (const int parts : {2, 6, 30}) expect_formula("plate", plate, parts, 100);
  for (const int parts : {3, 6, 12}) expect_formula("line", line, parts, 100);
}

/// Every side by itself gives the same bits as beside others, in any order of indices and with any number of
/// threads, and in place.
TEST(TwoLevel, SameBits) {
  const Cut cut(jittered_block(14, 12, 10), 40, 4500);
  TwoLevelSolver solver(cut.matrix, cut.positions, {.first = cut.first});
  const int rows = cut.matrix.rows(), sides = 7;
  std::vector<float> b;
  for (int i = 0; i < rows * sides; ++i) b.push_back(random_vector(i).x);
  const std::vector<float> x = applied(solver, b, sides);
  for (const int k : {0, 3, 6}) {
    std::vector<float> one;
    for (int i = 0; i < rows; ++i) one.push_back(b[size_t(i * sides + k)]);
    const std::vector<float> alone = applied(solver, one, 1);
    double error = 0;
    for (int i = 0; i < rows; ++i)
      error = std::max(error, double(std::abs(alone[size_t(i)] - x[size_t(i * sides + k)])));
    EXPECT_LT(error, 1e-4) << k;
  }
  for (const char* order : {"reversed", "shuffled:1"}) {
    set_launch_order(order);
    EXPECT_EQ(applied(solver, b, sides), x) << order;
  }
  set_launch_order("ascending");
  for (const int threads : {1, 2, 3})
    EXPECT_EQ(with_threads(threads, [&] { return applied(solver, b, sides); }), x) << threads;
  Array<float> in_place(b);
  solver.solve(in_place.view(), in_place.view(), sides);
  EXPECT_EQ(in_place.to_host(), x);
}

/// Greatest over least eigenvalue of B A.
double condition(const std::vector<Point3>& points, int parts, double stiffness) {
  const Cut cut(points, parts, stiffness);
  TwoLevelSolver solver(cut.matrix, cut.positions, {.first = cut.first});
  return test::condition_of_product(matrix_of(solver, cut.matrix.rows()), dense(cut.matrix));
}

/// The coarse level keeps the condition number bounded where the body grows and its parts do not: conjugate
/// gradients take some sqrt(condition) iterations a digit. Without it that of a beam three times as long is
/// up to nine times as large.
TEST(TwoLevel, ConditionIsBoundedWhereTheBodyGrows) {
  EXPECT_NEAR(condition(jittered_block(12, 4, 4), 1, 4500), 1, 0.01);
  const double beam = condition(jittered_block(12, 4, 4), 6, 4500),
               longer = condition(jittered_block(36, 4, 4), 18, 4500),
               cube = condition(jittered_block(8, 8, 8), 19, 4500),
               larger = condition(jittered_block(9, 9, 9), 27, 4500);
  note("condition, beams in parts of 32 rows: %.1f, %.1f; cubes in parts of 27 rows: %.1f, %.1f\n", beam,
       longer, cube, larger);
  EXPECT_LT(longer, 1.6 * beam);
  EXPECT_LT(larger, 1.3 * cube);
}

TEST(TwoLevel, RefusesWhatItCannotHold) {
  const Cut cut(jittered_block(6, 6, 6), 4, 100);
  TwoLevelSolver whole(cut.matrix, cut.positions, {.first = cut.first});
  const long long bytes = whole.setup_metrics().bytes;
  EXPECT_GT(bytes, 216 * 16);
  EXPECT_NO_THROW(TwoLevelSolver(cut.matrix, cut.positions, {.first = cut.first, .memory_limit = bytes + 1}));
  for (const long long limit : {bytes - 1, 216LL * 20 + 10, 100LL})
    EXPECT_THROW(TwoLevelSolver(cut.matrix, cut.positions, {.first = cut.first, .memory_limit = limit}),
                 FactorTooLarge);
  for (const std::vector<int>& first :
       {std::vector<int>{}, std::vector<int>{1, 5}, std::vector<int>{0, 9, 9}, std::vector<int>{0, 216}})
    EXPECT_THROW(TwoLevelSolver(cut.matrix, cut.positions, {.first = first}), InputError);
  EXPECT_THROW(TwoLevelSolver(cut.matrix, {}, {.first = cut.first}), InputError);
  HostSparseMatrix negative = cut.matrix;
  negative.value[size_t(negative.first[101]) - 1] = -5;
  EXPECT_THROW(TwoLevelSolver(negative, cut.positions, {.first = cut.first}), NotPositiveDefinite);
}

}  // namespace two_level_test
MERGANSER_END
