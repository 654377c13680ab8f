#pragma once
/// Rows of a matrix cut into parts that lie together.
#include <vector>

#include "solvers/linear/cholesky/cholesky.h"

MERGANSER_BEGIN

struct RowParts {
  std::vector<int> order;  ///< rows, part after part; ascending within a part
  std::vector<int> first;  ///< where a part begins in `order`
};

/// Halves the rows across the longest side of their box, again and again; of equal places the lower row
/// comes first. Sizes differ by one at most. `parts`: from 1 to the number of rows.
RowParts cut_into_parts(const std::vector<Point3>& positions, int parts);

MERGANSER_END
