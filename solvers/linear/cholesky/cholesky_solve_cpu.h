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
  void forward(const Sides& sides, int front, int tile, const Scratch& scratch) const;
  void load_backward(const Sides& sides, int front, Scratch& scratch) const;
  void backward(const Sides& sides, int front, int first_column, int end_column, Scratch& scratch) const;

  TreeCut cut_;
  size_t widest_ = 0, tallest_ = 0;  ///< most own columns and tiles of a front
  Array<float> forward_, update_;
};

MERGANSER_END
