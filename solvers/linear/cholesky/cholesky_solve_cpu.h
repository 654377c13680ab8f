#pragma once
/// LevelSolver's fast counterpart on the CPU: whole subtrees are handed to threads, so that what a front
/// passes to its parent stays in the caches; above them all threads share a front. Products work on eight
/// rows at once for up to three right sides.
#include <vector>

#include "solvers/linear/cholesky/cholesky_solve.h"

MERGANSER_BEGIN

class SubtreeSolver {
 public:
  explicit SubtreeSolver(const FrontTree& tree);
  /// As Cholesky::solve.
  void solve(const FactorView& factor, View<const float> right_side, View<float> solution, int right_sides);

 private:
  struct Sides;    ///< the vectors of a solve
  struct Scratch;  ///< a thread's own
  template <int side_count>
  static void gather(const Sides& sides, int front_row, int first, float* value);
  void load_forward(const Sides& sides, int front, Scratch& scratch) const;
  float* own_part(const Sides& sides, int front, int chunk) const;
  void solve_own(const Sides& sides, int front, int chunk, const Scratch& scratch) const;
  void add_own_parts(const Sides& sides, int front, int first_column, int end_column, Scratch& scratch) const;
  void forward(const Sides& sides, int front, int tile, const Scratch& scratch) const;
  void load_backward(const Sides& sides, int front, Scratch& scratch) const;
  void backward(const Sides& sides, int front, int first_column, int end_column, Scratch& scratch) const;

  TreeCut cut_;
  size_t widest_ = 0, tallest_ = 0;  ///< most own columns and tiles below of a front
  std::vector<int> chunk_;           ///< per front: own tiles whose products are added up together
  /// Per front, one more at the end: the sums of its chunks in `own_`, [chunk][side][column].
  std::vector<int> first_own_ = {0};
  Array<float> own_, update_;
};

MERGANSER_END
