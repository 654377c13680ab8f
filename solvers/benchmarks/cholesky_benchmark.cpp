#include "solvers/benchmarks/cholesky_benchmark.h"

#include <algorithm>

#include "device/kernel_profile.h"
#include "device/random.h"
#include "solvers/benchmarks/elastic_matrix.h"
#include "solvers/linear/cholesky/cholesky_fronts.h"
#include "solvers/linear/cholesky/cholesky_solve.h"
#include "solvers/linear/cholesky/cholesky_triangle.h"
#include "solvers/linear/cholesky/explicit_inverse.h"

MERGANSER_BEGIN

namespace {

constexpr int repetitions = 11;

/// [ms] by anything that solves, or multiplies, as Cholesky does.
template <class Solver>
double median_solve(Solver& solver, int rows, int right_sides) {
  std::vector<float> b;
  for (int i = 0; i < rows * right_sides + ExplicitInverse::padding; ++i)
    b.push_back(uniform_float(random_draw(8, RandomPurpose::test, static_cast<unsigned>(i), 0).word[0]) -
                0.5f);
  const Array<float> right_side(b);
  Array<float> solution(right_side.size());
  std::vector<double> times;
  for (int repetition = -2; repetition < repetitions; ++repetition) {
    synchronize();
    const long long start = now_nanoseconds();
    solver.solve(right_side.view(), solution.view(), right_sides);
    synchronize();
    if (repetition >= 0) times.push_back(1e-6 * static_cast<double>(now_nanoseconds() - start));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void time_products(const HostSparseMatrix& matrix, CholeskyTiming& timing) {
  AssembledMatrix assembled(matrix);
  timing.matrix_bytes = static_cast<long long>(assembled.matrix().column.size()) * 8;
  timing.product_milliseconds_3 = median_solve(assembled, matrix.rows(), 3);
  timing.product_milliseconds_24 = median_solve(assembled, matrix.rows(), 24);
#if MERGANSER_GPU_HALF
  timing.library = sparse_library();
  LibraryProduct product(assembled.matrix());
  timing.library_product_milliseconds_3 = median_solve(product, matrix.rows(), 3);
  timing.library_product_milliseconds_24 = median_solve(product, matrix.rows(), 24);
#endif
}

#if MERGANSER_GPU_HALF
/// A factor that LevelSolver solves with.
class PlainCholesky {
 public:
  PlainCholesky(const HostSparseMatrix& matrix, const std::vector<Point3>& positions)
      : tree_(analyze(MatrixGraph(matrix), geometric_order(MatrixGraph(matrix), positions))),
        arrays_(tree_),
        solver_(tree_) {
    factorize(PermutedMatrix(matrix, tree_), tree_, arrays_.host_offset, arrays_.stored.data());
  }
  void solve(View<const float> right_side, View<float> solution, int right_sides) {
    solver_.solve(arrays_.view(), right_side, solution, right_sides);
  }

 private:
  FrontTree tree_;
  FactorArrays arrays_;
  LevelSolver solver_;
};

void time_alternatives(const HostSparseMatrix& matrix, const std::vector<Point3>& positions,
                       CholeskyTiming& timing) {
  {
    TriangularCholesky triangle(matrix, positions);
    timing.triangle_bytes = triangle.bytes();
    timing.triangle_milliseconds_3 = median_solve(triangle, matrix.rows(), 3);
    timing.triangle_milliseconds_24 = median_solve(triangle, matrix.rows(), 24);
  }
  PlainCholesky plain(matrix, positions);
  timing.plain_milliseconds_3 = median_solve(plain, matrix.rows(), 3);
  timing.plain_milliseconds_24 = median_solve(plain, matrix.rows(), 24);
}
#endif

}  // namespace

CholeskyTiming time_cholesky(int edge) {
  const std::vector<Point3> positions = jittered_block(edge, edge, edge);
  const HostSparseMatrix matrix = elastic_matrix(positions, 1000);
  CholeskyTiming timing;
  {
    const long long start = now_nanoseconds();
    const MatrixGraph graph(matrix);
    std::vector<int> order = metis_order(graph);
    timing.metis_seconds = 1e-9 * static_cast<double>(now_nanoseconds() - start);
    timing.metis_nonzeros = analyze(graph, std::move(order)).nonzeros;
  }
  {
    Cholesky half(matrix, positions, {.storage = FactorStorage::half});
    timing.half_milliseconds_3 = median_solve(half, matrix.rows(), 3);
    timing.half_milliseconds_24 = median_solve(half, matrix.rows(), 24);
  }
  time_products(matrix, timing);
#if MERGANSER_GPU_HALF
  time_alternatives(matrix, positions, timing);
#endif
  Cholesky cholesky(matrix, positions, {});
  const CholeskyMetrics& figures = cholesky.setup_metrics();
  timing.rows = figures.rows;
  timing.nonzeros = figures.nonzeros;
  timing.stored_nonzeros = figures.stored_nonzeros;
  timing.bytes = figures.bytes;
  timing.peak_bytes = figures.peak_bytes;
  timing.supernodes = figures.supernodes;
  timing.levels = figures.levels;
  timing.ordering_seconds = figures.ordering_seconds;
  timing.analysis_seconds = figures.analysis_seconds;
  timing.factor_seconds = figures.factor_seconds;
  timing.milliseconds_3 = median_solve(cholesky, timing.rows, 3);
  timing.milliseconds_24 = median_solve(cholesky, timing.rows, 24);
  timing.repetitions = repetitions;
  return timing;
}

InverseTiming time_inverse(int edge) {
  const std::vector<Point3> positions = jittered_block(edge, edge, edge);
  Cholesky cholesky(elastic_matrix(positions, 1000), positions, {});
  ExplicitInverse inverse(cholesky);
  InverseTiming timing;
  timing.rows = edge * edge * edge;
  timing.repetitions = repetitions;
  timing.factor_3 = median_solve(cholesky, timing.rows, 3);
  timing.factor_24 = median_solve(cholesky, timing.rows, 24);
  timing.inverse_3 = median_solve(inverse, timing.rows, 3);
  timing.inverse_24 = median_solve(inverse, timing.rows, 24);
  return timing;
}

MERGANSER_END
