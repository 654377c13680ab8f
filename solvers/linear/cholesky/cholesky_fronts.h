#pragma once
/// Numeric factorization, front by front ([ES] sec. 4 asks for any Cholesky factorization; multifrontal: Duff
/// & Reid 1983).
///
/// A front is assembled from A's entries of its columns and from its children's update matrices; its columns
/// are eliminated, L11 L11^T = F11, L21 = F21 L11^-T, U = F22 - L21 L21^T goes to the parent, and
/// P = [L11^-1 ; -L21 L11^-1] is stored. All in double but what is stored.
#include <cstdint>
#include <vector>

#include "solvers/linear/cholesky/cholesky_layout.h"
#include "solvers/linear/cholesky/cholesky_tree.h"

MERGANSER_BEGIN

/// The lower triangle of the reordered matrix by columns.
struct PermutedMatrix {
  PermutedMatrix(const HostSparseMatrix& matrix, const FrontTree& tree);
  long long bytes() const;
  std::vector<std::int64_t> first;  ///< per position, one more at the end
  std::vector<int> row;             ///< position, not ascending
  std::vector<double> value;
};

/// Storage of an update matrix: block columns of 128 columns, each from its first row on, so that
/// half of the square is not held.
struct UpdateShape {
  static constexpr int block = 128;
  int rows;
  MERGANSER_METHOD std::int64_t block_start(int b) const {
    return std::int64_t(block) * (std::int64_t(b) * rows - std::int64_t(block) * b * (b - 1) / 2);
  }
  /// Number (i, j), i >= j, lies at column_start(j) + i.
  MERGANSER_METHOD std::int64_t column_start(int j) const {
    const int b = j / block;
    return block_start(b) + std::int64_t(j - b * block) * (rows - b * block) - std::int64_t(b) * block;
  }
  MERGANSER_METHOD int blocks() const { return (rows + block - 1) / block; }
  MERGANSER_METHOD int block_rows(int b) const { return rows - b * block; }
  MERGANSER_METHOD int block_columns(int b) const {
    return rows - b * block < block ? rows - b * block : block;
  }
  MERGANSER_METHOD std::int64_t numbers() const {
    if (rows == 0) return 0;
    const int last = blocks() - 1;
    return block_start(last) + std::int64_t(block_rows(last)) * block_columns(last);
  }
};

/// Factors and stores front s at stored + offset[s] (device memory). Returns the most bytes of fronts and
/// update matrices held at once. Throws InputError with the caller's row where a pivot is not positive.
long long factorize(const PermutedMatrix& matrix, const FrontTree& tree,
                    const std::vector<std::int64_t>& offset, float* stored);

/// The error that a pivot at `position` raises.
[[noreturn]] void throw_not_positive(const FrontTree& tree, int position);

MERGANSER_END
