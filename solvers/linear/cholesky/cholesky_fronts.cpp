#include "solvers/linear/cholesky/cholesky_fronts.h"

#include <algorithm>
#include <string>

#include "solvers/linear/cholesky/cholesky.h"

MERGANSER_BEGIN

PermutedMatrix::PermutedMatrix(const HostSparseMatrix& matrix, const FrontTree& tree) {
  const int n = matrix.rows();
  first.assign(size_t(n) + 1, 0);
  for (int i = 0; i < n; ++i)
    for (auto e = matrix.first[i]; e < matrix.first[i + 1]; ++e)
      ++first[size_t(std::min(tree.position[i], tree.position[matrix.column[e]])) + 1];
  for (int p = 0; p < n; ++p) first[p + 1] += first[p];
  row.resize(matrix.column.size());
  value.resize(matrix.column.size());
  std::vector<std::int64_t> next(first.begin(), first.end() - 1);
  for (int i = 0; i < n; ++i)
    for (auto e = matrix.first[i]; e < matrix.first[i + 1]; ++e) {
      const int a = tree.position[i], b = tree.position[matrix.column[e]];
      const auto to = next[std::min(a, b)]++;
      row[size_t(to)] = std::max(a, b);
      value[size_t(to)] = matrix.value[e];
    }
}

long long PermutedMatrix::bytes() const {
  return static_cast<long long>(first.size() * sizeof(first[0]) +
                                row.size() * (sizeof(int) + sizeof(double)));
}

void throw_not_positive(const FrontTree& tree, int position) {
  throw NotPositiveDefinite("the matrix is not positive definite: the pivot of row " +
                                std::to_string(tree.order[position]) +
                                " is not positive; check masses, stiffness and step size of that particle",
                            tree.order[position]);
}

MERGANSER_END
