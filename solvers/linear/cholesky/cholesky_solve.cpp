#include "solvers/linear/cholesky/cholesky_solve.h"

#include <algorithm>

#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_solve_kernels.h"

MERGANSER_BEGIN

LevelSolver::LevelSolver(const FrontTree& tree) {
  const int depth = tree.fronts() == 0 ? 0 : *std::max_element(tree.level.begin(), tree.level.end()) + 1;
  std::vector<std::vector<int>> fronts(static_cast<size_t>(depth));
  for (int s = 0; s < tree.fronts(); ++s) fronts[size_t(tree.level[s])].push_back(s);
  std::vector<FrontStrip> tiles, blocks;
  std::vector<FrontPiece> tile_pieces, block_pieces;
  const auto add = [](std::vector<FrontStrip>& strips, std::vector<FrontPiece>& pieces, int front, int strip,
                      int begin, int end, int step) {
    strips.push_back({front, strip, static_cast<int>(pieces.size()), (end - begin + step - 1) / step});
    for (; begin < end; begin += step) pieces.push_back({front, strip, begin});
  };
  const auto since = [](int first, size_t now) { return Range{first, static_cast<int>(now) - first}; };
  for (const auto& of_level : fronts) {
    const Level start{{int(tiles.size()), 0},
                      {int(tile_pieces.size()), 0},
                      {int(blocks.size()), 0},
                      {int(block_pieces.size()), 0}};
    for (int s : of_level) {
      const FrontShape shape{tree.columns(s), tree.below(s)};
      for (int t = 0; t < shape.tiles(); ++t)
        add(tiles, tile_pieces, s, t, 0, shape.tile(t).columns, ForwardProduct<1>::columns);
      for (int b = 0; b < shape.own_tiles(); ++b)  // rows above a column block are zero
        add(blocks, block_pieces, s, b, b, shape.tiles(), BackwardProduct<1>::tiles);
    }
    levels_.push_back(
        {since(start.tiles.first, tiles.size()), since(start.tile_pieces.first, tile_pieces.size()),
         since(start.blocks.first, blocks.size()), since(start.block_pieces.first, block_pieces.size())});
    most_pieces_ =
        std::max({most_pieces_, levels_.back().tile_pieces.count, levels_.back().block_pieces.count});
  }
  tiles_.assign(tiles);
  blocks_.assign(blocks);
  tile_pieces_.assign(tile_pieces);
  block_pieces_.assign(block_pieces);
}

void LevelSolver::solve(const FactorView& factor, View<const float> right_side, View<float> solution,
                        int right_sides) {
  // No more than 24 at once: a thread keeps that many sums in registers.
  const auto group_of = [](int left) { return left >= 24 ? 24 : left >= 8 ? 8 : left >= 3 ? 3 : 1; };
  const int widest = group_of(right_sides);
  const auto at_least = [](Array<float>& array, int count) { array.resize(std::max(array.size(), count)); };
  at_least(assembled_, factor.order.count * widest);
  at_least(forward_, factor.order.count * widest);
  at_least(update_, factor.row.count * widest);
  at_least(partial_, most_pieces_ * tile_rows * widest);
  const LaunchKey key = {factor.stored.data, right_side.data,
                         solution.data,      assembled_.data(),
                         forward_.data(),    update_.data(),
                         partial_.data(),    reinterpret_cast<const void*>(std::uintptr_t(right_sides))};
  graph_.run(key, [&] {
    for (int side = 0, group; side < right_sides; side += group) {
      group = group_of(right_sides - side);
      const auto solve_some = group == 24  ? &LevelSolver::solve_group<24>
                              : group == 8 ? &LevelSolver::solve_group<8>
                              : group == 3 ? &LevelSolver::solve_group<3>
                                           : &LevelSolver::solve_group<1>;
      (this->*solve_some)(factor, right_side, solution, right_sides, side);
    }
  });
}

template <int group>
void LevelSolver::solve_group(const FactorView& factor, View<const float> right_side, View<float> solution,
                              int right_sides, int first_side) {
  const SideView<const float> b{right_side, right_sides, first_side};
  const SideView<float> x{solution, right_sides, first_side};
  const auto part = [](const auto& array, const Range& range) {
    return array.const_view().subview(range.first, range.count);
  };
  for (const Level& level : levels_) {
    launch(level.blocks.count * tile_rows, AssembleRightSide<group>{factor, part(blocks_, level.blocks), b,
                                                                    update_.const_view(), assembled_.view()});
    launch(level.tile_pieces.count * tile_rows,
           ForwardProduct<group>{factor, part(tile_pieces_, level.tile_pieces), assembled_.const_view(),
                                 partial_.view()});
    launch(level.tiles.count * tile_rows,
           ForwardSum<group>{factor, part(tiles_, level.tiles), level.tile_pieces.first,
                             partial_.const_view(), forward_.view(), update_.view()});
  }
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    launch(level->block_pieces.count * tile_rows,
           BackwardProduct<group>{factor,
                                  part(block_pieces_, level->block_pieces),
                                  forward_.const_view(),
                                  {View<const float>(solution), right_sides, first_side},
                                  partial_.view()});
    launch(level->blocks.count * tile_rows,
           BackwardSum<group>{factor, part(blocks_, level->blocks), level->block_pieces.first,
                              partial_.const_view(), x});
  }
}

MERGANSER_END
