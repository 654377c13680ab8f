#pragma once
/// LevelSolver's fast counterpart on the GPU: one launch for all small subtrees and one a level above them,
/// each way; tiles are read in runs of whole lines in both sweeps. See cholesky_block_plan.h.
#include "device/launch_graph.h"
#include "solvers/linear/cholesky/cholesky_block_plan.h"
#include "solvers/linear/cholesky/cholesky_solve.h"

MERGANSER_BEGIN

class BlockSolver {
 public:
  explicit BlockSolver(const FrontTree& tree, const BlockPlanOptions& options = {}) : plan_(tree, options) {}
  /// As Cholesky::solve.
  void solve(const FactorView& factor, View<const float> right_side, View<float> solution, int right_sides);
  /// Launches of a solve with up to three right sides, both sweeps.
  int launches() const {
    return static_cast<int>(plan_.forward.launches.size() + plan_.backward.launches.size());
  }

 private:
  template <class Number>
  void solve_some(int group, const FactorView& factor, View<const float> right_side, View<float> solution,
                  int right_sides, int first_side);
  template <int group, class Number>
  void solve_group(const FactorView& factor, View<const float> right_side, View<float> solution,
                   int right_sides, int first_side);

  BlockPlan plan_;
  Array<float> forward_, update_;
  LaunchGraph graph_;
};

MERGANSER_END
