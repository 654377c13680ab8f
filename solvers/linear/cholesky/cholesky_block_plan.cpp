#include "solvers/linear/cholesky/cholesky_block_plan.h"

#include <algorithm>
#include <limits>
#include <map>

#include "solvers/linear/cholesky/cholesky_layout.h"

MERGANSER_BEGIN

namespace {

/// Sizes of subtrees that are tried; 0: a launch for each level.
constexpr double subtree_sizes[] = {0, 4096, 8192, 16384, 32768, 65536};

using Stage = std::vector<TeamTask>;             ///< tasks that do not wait for each other
using Levels = std::map<int, std::vector<int>>;  ///< fronts by level

/// The subtrees of at most so many numbers, packed into blocks, and the fronts above them.
struct TreeInBlocks {
  TreeInBlocks(const FrontTree& tree, double most_numbers) {
    const size_t fronts = size_t(tree.fronts());
    std::vector<double> whole(fronts, 0.0);  // numbers of the subtree
    for (size_t s = 0; s < fronts; ++s) {
      const int front = static_cast<int>(s);
      whole[s] += static_cast<double>(FrontShape{tree.columns(front), tree.below(front)}.numbers());
      if (tree.parent[s] >= 0) whole[size_t(tree.parent[s])] += whole[s];
    }
    std::vector<int> level(fronts, 0), subtree;  // level among the fronts above
    double in_block = most_numbers;
    for (size_t s = 0; s < fronts; ++s) {
      const int parent = tree.parent[s];
      if (whole[s] > most_numbers) {
        top[level[s]].push_back(static_cast<int>(s));
        if (parent >= 0) level[size_t(parent)] = std::max(level[size_t(parent)], level[s] + 1);
        continue;
      }
      subtree.push_back(static_cast<int>(s));
      if (parent >= 0 && whole[size_t(parent)] <= most_numbers) continue;
      if (in_block + whole[s] > most_numbers) bottom.emplace_back(), in_block = 0;
      in_block += whole[s];
      for (const int front : subtree) bottom.back()[tree.level[size_t(front)]].push_back(front);
      subtree.clear();
    }
  }
  std::vector<Levels> bottom;  ///< per block
  Levels top;
};

/// A sweep's tasks, and how they are cut into launches, blocks and rounds.
class SweepMaker {
 public:
  SweepMaker(const FrontTree& tree, const TreeInBlocks& cut, const BlockPlanOptions& options, bool forward)
      : tree_(tree), options_(options), forward_(forward) {
    if (forward) add_subtrees(cut.bottom);
    for (const auto& [level, fronts] : cut.top) add_level(fronts);
    if (forward) return;
    std::reverse(launches_.begin(), launches_.end());  // downwards
    add_subtrees(cut.bottom);
  }
  /// [us] An estimate from counts: a launch and a round of its longest block, where all blocks run at once.
  double cost() const {
    double sum = 0;
    for (const BlockLaunch& launch : launches_) {
      int longest = 0;
      for (int b = launch.first; b < launch.first + launch.blocks; ++b)
        longest = std::max(longest, rounds_of(b));
      const int all = first_of(launch.first + launch.blocks) - first_of(launch.first);
      sum += 1.5 + 2.5 * std::max<double>(longest, all / (2.0 * options_.enough_tasks));
    }
    return sum;
  }
  void finish(SweepPlan& plan) {
    first_round_.push_back(static_cast<int>(rounds_.size()));
    plan.launches = launches_;
    plan.first_round.assign(first_round_);
    plan.rounds.assign(rounds_);
    plan.tasks.assign(tasks_);
  }

 private:
  int first_of(int block) const {
    return block < static_cast<int>(first_round_.size()) ? first_round_[size_t(block)]
                                                         : static_cast<int>(rounds_.size());
  }
  int rounds_of(int block) const { return first_of(block + 1) - first_of(block); }

  /// A launch for small subtrees, one block each.
  void add_subtrees(const std::vector<Levels>& blocks) {
    const int first = static_cast<int>(first_round_.size());
    for (const Levels& levels : blocks) {
      first_round_.push_back(static_cast<int>(rounds_.size()));
      const auto add = [&](const std::vector<int>& fronts) {
        add_rounds(tasks_of(fronts, tile_rows), small_team);
      };
      if (forward_)
        for (const auto& [level, fronts] : levels) add(fronts);
      else
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) add(level->second);
    }
    if (!blocks.empty()) launches_.push_back({first, static_cast<int>(blocks.size()), small_team, tile_rows});
  }
  /// A launch for fronts that do not wait for each other; the longest tasks begin first.
  void add_level(const std::vector<int>& fronts) {
    Stage tasks = tasks_of(fronts, tile_rows);
    const int count = static_cast<int>(tasks.size());
    int longest = 0;
    for (const TeamTask& task : tasks) longest = std::max(longest, length(task));
    const bool small = count >= options_.many_tasks && longest <= chunk_of(small_team);
    const int team = small ? small_team : block_threads;
    const int width = count >= options_.enough_tasks       ? tile_rows
                      : 2 * count >= options_.enough_tasks ? 16
                                                           : 8;
    if (width < tile_rows) tasks = tasks_of(fronts, width);
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](const TeamTask& a, const TeamTask& b) { return length(a) > length(b); });
    const int first = static_cast<int>(first_round_.size());
    const auto teams = std::ptrdiff_t(block_threads / team);
    for (auto task = tasks.begin(); task != tasks.end(); task += std::min(teams, tasks.end() - task)) {
      first_round_.push_back(static_cast<int>(rounds_.size()));
      add_rounds(Stage(task, task + std::min(teams, tasks.end() - task)), team);
    }
    launches_.push_back({first, static_cast<int>(first_round_.size()) - first, team, width});
  }
  Stage tasks_of(const std::vector<int>& fronts, int width) const {
    Stage stage;
    for (const int s : fronts) {
      const FrontShape shape{tree_.columns(s), tree_.below(s)};
      const int strips = forward_ ? shape.tiles() : shape.own_tiles();
      for (int k = 0; k < strips; ++k) {
        const int end = forward_ ? shape.tile(k).rows : shape.columns - k * tile_rows;
        for (int first = 0; first < std::min(end, tile_rows); first += width) stage.push_back({s, k, first});
      }
    }
    return stage;
  }
  /// Columns of a tile, or rows of a strip with their padding.
  int length(const TeamTask& task) const {
    const FrontShape shape{tree_.columns(task.front), tree_.below(task.front)};
    return forward_ ? shape.tile(task.strip).columns : (shape.tiles() - task.strip) * tile_rows;
  }
  void add_rounds(const Stage& stage, int team) {
    const int teams = block_threads / team, count = static_cast<int>(stage.size());
    for (int k = 0; k < count; k += teams) {
      const int first_task = static_cast<int>(tasks_.size()), some = std::min(teams, count - k);
      int longest = 0;
      for (int t = k; t < k + some; ++t) {
        tasks_.push_back(stage[size_t(t)]);
        longest = std::max(longest, length(stage[size_t(t)]));
      }
      const int chunks = (longest + chunk_of(team) - 1) / chunk_of(team);
      for (int c = 0; c < chunks; ++c) rounds_.push_back({first_task, some, c, c + 1 == chunks});
    }
  }

  const FrontTree& tree_;
  const BlockPlanOptions options_;
  bool forward_;
  std::vector<BlockLaunch> launches_;
  std::vector<int> first_round_;
  std::vector<BlockRound> rounds_;
  std::vector<TeamTask> tasks_;
};

}  // namespace

BlockPlan::BlockPlan(const FrontTree& tree, const BlockPlanOptions& options)
    : subtree_numbers(options.subtree_numbers) {
  double least = std::numeric_limits<double>::max();
  for (const double numbers : subtree_sizes) {
    if (options.subtree_numbers >= 0) break;
    const TreeInBlocks cut(tree, numbers);
    const double cost =
        SweepMaker(tree, cut, options, true).cost() + SweepMaker(tree, cut, options, false).cost();
    if (cost < least) least = cost, subtree_numbers = numbers;
  }
  const TreeInBlocks cut(tree, subtree_numbers);
  SweepMaker(tree, cut, options, true).finish(forward);
  SweepMaker(tree, cut, options, false).finish(backward);
}

MERGANSER_END
