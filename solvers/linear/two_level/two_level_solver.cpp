#include "solvers/linear/two_level/two_level_solver.h"

#include <algorithm>

#include "device/launch.h"
#include "solvers/linear/two_level/two_level_kernels.h"

MERGANSER_BEGIN

namespace {

/// Without the entries between parts.
HostSparseMatrix within_parts(const HostSparseMatrix& matrix, const std::vector<int>& first) {
  HostSparseMatrix made;
  made.first.assign(1, 0);
  size_t next = 0;
  int begin = 0;
  for (int i = 0; i < matrix.rows(); ++i) {
    if (next < first.size() && first[next] == i) begin = i, ++next;
    for (auto e = matrix.first[size_t(i)]; e < matrix.first[size_t(i) + 1]; ++e) {
      if (matrix.column[size_t(e)] < begin) continue;
      made.column.push_back(matrix.column[size_t(e)]);
      made.value.push_back(matrix.value[size_t(e)]);
    }
    made.first.push_back(static_cast<std::int64_t>(made.column.size()));
  }
  return made;
}

/// The rest of a limit; FactorTooLarge where nothing is left.
long long left_of(long long limit, long long taken) {
  if (limit <= 0) return 0;
  if (taken >= limit) throw FactorTooLarge(taken, limit);
  return limit - taken;
}

}  // namespace

TwoLevelSolver::TwoLevelSolver(const HostSparseMatrix& matrix, const std::vector<Point3>& positions,
                               const TwoLevelOptions& options)
    : rows_(matrix.rows()) {
  if (options.first.empty() || options.first[0] != 0 || options.first.back() >= rows_ ||
      std::adjacent_find(options.first.begin(), options.first.end(), std::greater_equal<>()) !=
          options.first.end())
    throw InputError("parts of a matrix of " + std::to_string(rows_) +
                     " rows begin at row 0 and then at ascending rows");
  if (positions.size() != size_t(rows_))
    throw InputError("parts of a matrix need a rest position for each of its " + std::to_string(rows_) +
                     " rows, but got " + std::to_string(positions.size()));
  figures_.parts = static_cast<int>(options.first.size());
  if (figures_.parts > 1) make_coarse_level(coarse_level(matrix, positions, options.first), options);
  parts_.emplace(within_parts(matrix, options.first), positions,
                 CholeskyOptions{.ordering = CholeskyOrdering::geometric,
                                 .memory_limit = left_of(options.memory_limit, figures_.bytes),
                                 .blocks = options.first,
                                 .storage = options.storage});
  figures_.nonzeros += parts_->setup_metrics().nonzeros;
  figures_.stored_nonzeros += parts_->setup_metrics().stored_nonzeros;
  figures_.bytes += parts_->setup_metrics().bytes;
}

void TwoLevelSolver::make_coarse_level(LevelOfParts level, const TwoLevelOptions& options) {
  function_.assign(level.value);
  std::vector<int> first = options.first, part;
  first.push_back(rows_);
  for (size_t p = 0; p + 1 < first.size(); ++p)
    part.insert(part.end(), size_t(first[p + 1] - first[p]), static_cast<int>(p));
  first_.assign(first), part_.assign(part);
  figures_.stored_nonzeros = 2 * part_functions * static_cast<long long>(rows_);
  figures_.bytes = static_cast<long long>(rows_) * static_cast<long long>(sizeof(FunctionValues) + 4);
  try {
    coarse_.emplace(level.matrix, level.position,
                    CholeskyOptions{.ordering = CholeskyOrdering::geometric,
                                    .memory_limit = left_of(options.memory_limit, figures_.bytes),
                                    .blocks = {},
                                    .storage = FactorStorage::single});
  } catch (const NotPositiveDefinite& error) {
    throw NotPositiveDefinite(error.what(), options.first[size_t(error.row / part_functions)]);
  }
  figures_.nonzeros += coarse_->setup_metrics().nonzeros;
  figures_.stored_nonzeros += coarse_->setup_metrics().stored_nonzeros;
  figures_.bytes += coarse_->setup_metrics().bytes;
}

void TwoLevelSolver::solve(View<const float> right_side, View<float> solution, int right_sides) {
  if (!coarse_) return parts_->solve(right_side, solution, right_sides);
  const int groups = (right_sides + sides_together - 1) / sides_together;
  const int coarse_numbers = part_functions * figures_.parts * right_sides;
  coarse_sides_.resize(std::max(coarse_sides_.size(), coarse_numbers));
  const View<float> coarse = coarse_sides_.view().subview(0, coarse_numbers);
  launch_row_sums<128>(figures_.parts * groups, RestrictToParts{.first = first_.view(),
                                                                .function = function_.view(),
                                                                .rows = right_side,
                                                                .sides = right_sides,
                                                                .groups = groups,
                                                                .coarse = coarse});
  coarse_->solve(coarse, coarse, right_sides);
  parts_->solve(right_side, solution, right_sides);
  launch(rows_, AddPartFunctions{.part = part_.view(),
                                 .function = function_.view(),
                                 .coarse = coarse,
                                 .sides = right_sides,
                                 .rows = solution});
}

MERGANSER_END
