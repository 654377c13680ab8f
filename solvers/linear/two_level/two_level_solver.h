#pragma once
/// A preconditioner for matrices whose factor is too large: factors of parts, and a coarse level that carries
/// between them what they have in common (additive Schwarz method in two levels, without overlap; Toselli &
/// Widlund 2005, ch. 3):
///   B = sum_p R_p^T A_p^-1 R_p + P A_c^-1 P^T,  A_c = P^T A P
/// with A_p the rows and columns of part p and in P the functions 1, x, y, z of each part. Symmetric positive
/// definite; one part: A^-1. See coarse_level.h.
#include <optional>

#include "solvers/linear/two_level/coarse_level.h"

MERGANSER_BEGIN

struct TwoLevelOptions {
  std::vector<int> first;      ///< rows at which parts begin, ascending from 0; parts' rows follow each other
  long long memory_limit = 0;  ///< [bytes] of what is stored, 0 = none
  FactorStorage storage = FactorStorage::single;  ///< of the parts' factors
};

struct TwoLevelMetrics {
  int parts = 0;
  long long nonzeros = 0;         ///< of all factors, the coarse level's as well
  long long stored_nonzeros = 0;  ///< numbers that a solve reads, those of the functions as well
  long long bytes = 0;
};

class TwoLevelSolver {
 public:
  /// `positions`: one per row. Throws as Cholesky does.
  TwoLevelSolver(const HostSparseMatrix& matrix, const std::vector<Point3>& positions,
                 const TwoLevelOptions& options);
  /// x = B b, as Cholesky::solve. `solution` may be `right_side`.
  void solve(View<const float> right_side, View<float> solution, int right_sides);
  const TwoLevelMetrics& setup_metrics() const { return figures_; }

 private:
  void make_coarse_level(LevelOfParts level, const TwoLevelOptions& options);

  int rows_;
  std::optional<Cholesky> parts_, coarse_;
  Array<int> first_, part_;  ///< of parts, and the end; of rows
  Array<FunctionValues> function_;
  Array<float> coarse_sides_;
  TwoLevelMetrics figures_;
};

MERGANSER_END
