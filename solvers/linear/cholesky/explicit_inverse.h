#pragma once
/// The inverse of a small matrix, where it solves faster than the factor: for many right sides at once, which
/// share what is read of it (many equal bodies), and where a pass over the supernode tree is all latency.
#include "solvers/linear/cholesky/cholesky.h"

MERGANSER_BEGIN

class ExplicitInverse {
 public:
  /// [rows], [right sides] The inverse solves faster than the factor up to and from these; measured on two
  /// CPU cores (tools/benchmark/RESULTS.md), on a GPU not yet.
  static constexpr int most_rows = 700, least_sides = 12;
  static bool worthwhile(int rows, int right_sides) {
    return rows <= most_rows && right_sides >= least_sides;
  }
  /// Reads past the right sides' end by less than so many numbers.
  static constexpr int padding = 12;

  /// A^-1 in float, column by column from the factor.
  explicit ExplicitInverse(Cholesky& factor);
  /// As Cholesky::solve, but `solution` must not be `right_side`, which must hold `padding` finite numbers
  /// more.
  void solve(View<const float> right_side, View<float> solution, int right_sides) const;
  long long bytes() const { return static_cast<long long>(inverse_.size()) * 4; }

 private:
  int rows_, stride_;
  Array<float> inverse_;  ///< entry (i, j) at [j * stride + i]; stride is a multiple of 8
};

MERGANSER_END
