#pragma once
/// Assignment of blocks of threads to work in BlockSolver's sweeps.
///
/// Below, whole subtrees of small fronts: a block works through its subtree level by level, so that several
/// levels, or many small bodies, are one launch. Above, a launch a level. A team, all threads of a block or a
/// quarter of them, works on up to 32 rows of a tile (forward) or on up to 32 columns (backward), a chunk of
/// the vectors at a time. Levels of few tiles are cut finer, so that all of a GPU has something to read.
#include <vector>

#include "device/array.h"
#include "solvers/linear/cholesky/cholesky_tree.h"

MERGANSER_BEGIN

constexpr int block_threads = 256;
constexpr int small_team = 64;
/// Columns of a tile, or rows of a strip, whose vectors a team of so many threads shares at once: what 48 KiB
/// hold for twelve right sides.
MERGANSER_FN constexpr int chunk_of(int team) { return 4 * team; }

/// Rows [first, first + width) of a tile, or columns of the strip of 32 columns, with the launch's width.
struct TeamTask {
  int front, strip, first;
};
/// Work of a block between two times of waiting: chunk number `chunk` of its teams' tasks, one a team.
struct BlockRound {
  int first_task, tasks;
  int chunk;
  int last;  ///< whether no task has a later chunk
};
/// One launch of a sweep: blocks [first, first + blocks) of the plan.
struct BlockLaunch {
  int first, blocks, team, width;
};

/// A sweep, forward or backward; launches in their order.
struct SweepPlan {
  std::vector<BlockLaunch> launches;
  Array<int> first_round;  ///< per block, one more at the end
  Array<BlockRound> rounds;
  Array<TeamTask> tasks;
};

struct BlockPlanOptions {
  /// Tasks from which on a launch has threads enough when small teams take them (tasks of one chunk); tasks
  /// from which on every processor of a large GPU (132 of an H100) has two blocks.
  int many_tasks = 1024, enough_tasks = 264;
  /// Of the factor in a subtree that one block works through, at most; 0: none; -1: what promises most.
  double subtree_numbers = -1;
};
struct BlockPlan {
  BlockPlan(const FrontTree& tree, const BlockPlanOptions& options);
  SweepPlan forward, backward;
  double subtree_numbers;  ///< of the factor, at most, in a subtree that one block works through
};

MERGANSER_END
