#include "solvers/linear/cholesky/cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/kernel_profile.h"
#include "solvers/linear/cholesky/cholesky_fronts.h"
#if MERGANSER_GPU_HALF
#include "solvers/linear/cholesky/cholesky_block_solve.h"
#else
#include "solvers/linear/cholesky/cholesky_solve_cpu.h"
#endif

MERGANSER_BEGIN

FactorTooLarge::FactorTooLarge(long long wanted, long long allowed)
    : DeviceError("the Cholesky factor would take " + std::to_string(wanted >> 20) + " MiB, more than the " +
                  std::to_string(allowed >> 20) + " MiB allowed; raise the limit or use conjugate gradients"),
      bytes(wanted),
      limit(allowed) {}

namespace {

#if MERGANSER_GPU_HALF
using FactorSolver = BlockSolver;
#else
using FactorSolver = SubtreeSolver;
#endif

void check(const HostSparseMatrix& matrix) {
  const auto fault = [](int row, const std::string& what) {
    throw InputError("row " + std::to_string(row) + " of the matrix " + what);
  };
  for (int i = 0; i < matrix.rows(); ++i) {
    const auto begin = matrix.first[i], end = matrix.first[i + 1];
    if (end <= begin || matrix.column[end - 1] != i)
      fault(i, "does not end with its diagonal; give the lower triangle, columns ascending");
    for (auto e = begin; e < end; ++e) {
      if (matrix.column[e] < 0 || (e > begin && matrix.column[e] <= matrix.column[e - 1]))
        fault(i, "has columns that do not ascend");
      if (!std::isfinite(matrix.value[e])) fault(i, "holds a value that is not finite");
    }
  }
}

double seconds_since(long long start) { return 1e-9 * static_cast<double>(now_nanoseconds() - start); }

}  // namespace

class CholeskyFactor {
 public:
  CholeskyFactor(const HostSparseMatrix& matrix, const std::vector<Point3>& rest_positions,
                 const CholeskyOptions& options) {
    const long long start = now_nanoseconds();
    const FrontTree tree = ordered_tree(matrix, rest_positions, options);
    figures.rows = matrix.rows();
    figures.nonzeros = tree.nonzeros;
    figures.stored_nonzeros = stored_offsets(tree).back();
    figures.bytes = figures.stored_nonzeros * static_cast<long long>(sizeof(float));
    figures.supernodes = tree.fronts();
    for (int level : tree.level) figures.levels = std::max(figures.levels, level + 1);
    // Offsets of kernels are ints.
    const long long most = std::numeric_limits<int>::max() * static_cast<long long>(sizeof(float));
    const long long limit = options.memory_limit > 0 ? std::min(options.memory_limit, most) : most;
    if (figures.bytes > limit) throw FactorTooLarge(figures.bytes, limit);
    arrays = std::make_unique<FactorArrays>(tree);
    solver = std::make_unique<FactorSolver>(tree);
    figures.analysis_seconds = seconds_since(start);

    const long long factor_start = now_nanoseconds();
    const PermutedMatrix permuted(matrix, tree);
    figures.peak_bytes = figures.bytes + permuted.bytes() +
                         factorize(permuted, tree, arrays->host_offset, arrays->stored.data());
    if (options.storage == FactorStorage::half) {
      arrays->halve(tree);
      figures.bytes /= 2;
      figures.peak_bytes = std::max(figures.peak_bytes, 3 * figures.bytes);
    }
    figures.factor_seconds = seconds_since(factor_start);
  }

  CholeskyMetrics figures;
  std::unique_ptr<FactorArrays> arrays;
  std::unique_ptr<FactorSolver> solver;

 private:
  FrontTree ordered_tree(const HostSparseMatrix& matrix, const std::vector<Point3>& rest_positions,
                         const CholeskyOptions& options) {
    check(matrix);
    const bool by_graph = rest_positions.empty() || options.ordering == CholeskyOrdering::metis;
    if (!by_graph && rest_positions.size() != size_t(matrix.rows()))
      throw InputError("the geometric ordering needs a rest position for each of the " +
                       std::to_string(matrix.rows()) + " rows, but got " +
                       std::to_string(rest_positions.size()));
    const long long start = now_nanoseconds();
    const MatrixGraph graph(matrix);
    std::vector<int> order;
    for (size_t k = 0; k < std::max<size_t>(options.blocks.size(), 1); ++k) {
      const int begin = options.blocks.empty() ? 0 : options.blocks[k];
      const int end = k + 1 < options.blocks.size() ? options.blocks[k + 1] : matrix.rows();
      const MatrixGraph block(graph, begin, end);
      const std::vector<int> of_block =
          by_graph ? metis_order(block)
                   : geometric_order(block, {rest_positions.begin() + begin, rest_positions.begin() + end});
      for (const int row : of_block) order.push_back(begin + row);
    }
    figures.ordering_seconds = seconds_since(start);
    return analyze(graph, std::move(order));
  }
};

Cholesky::Cholesky(const HostSparseMatrix& matrix, const std::vector<Point3>& rest_positions,
                   const CholeskyOptions& options)
    : factor_(std::make_unique<CholeskyFactor>(matrix, rest_positions, options)) {}
Cholesky::Cholesky(Cholesky&&) noexcept = default;
Cholesky& Cholesky::operator=(Cholesky&&) noexcept = default;
Cholesky::~Cholesky() = default;

void Cholesky::solve(View<const float> right_side, View<float> solution, int right_sides) {
  const long long wanted = static_cast<long long>(setup_metrics().rows) * right_sides;
  if (right_sides < 0 || right_side.count < wanted || solution.count < wanted)
    throw InputError("a solve with " + std::to_string(right_sides) + " right sides needs " +
                     std::to_string(wanted) + " values, but got " + std::to_string(right_side.count) +
                     " and " + std::to_string(solution.count));
  factor_->solver->solve(factor_->arrays->view(), right_side, solution, right_sides);
}
const CholeskyMetrics& Cholesky::setup_metrics() const { return factor_->figures; }

MERGANSER_END
