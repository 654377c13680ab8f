#pragma once
/// The coarse level of a matrix that is cut into parts: what a few functions of each part make of it.
#include <vector>

#include "solvers/linear/cholesky/cholesky.h"

MERGANSER_BEGIN

/// Functions of a part: 1 and the coordinates about its centre, x, y, z.
inline constexpr int part_functions = 4;

/// A value of each of a part's functions.
struct FunctionValues {
  float of[part_functions];
};

struct LevelOfParts {
  std::vector<FunctionValues> value;  ///< by row of A: the part's functions there, orthonormal over its rows
  HostSparseMatrix matrix;            ///< P^T A P, functions of part p in rows 4 p ... 4 p + 3
  std::vector<Point3> position;       ///< of a row of `matrix`: its part's centre
};

/// Rows of a part follow each other, the first of part p is first[p]. A function that the part's rows cannot
/// tell from those before it (a single row, rows on a line or a plane) is zero everywhere; P^T A P then has
/// 1 on the diagonal in its place.
LevelOfParts coarse_level(const HostSparseMatrix& matrix, const std::vector<Point3>& positions,
                          const std::vector<int>& first);

MERGANSER_END
