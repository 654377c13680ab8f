#include "solvers/linear/cholesky/cholesky_block_solve.h"

#include <algorithm>

#include "solvers/linear/cholesky/cholesky_backward_strips.h"
#include "solvers/linear/cholesky/cholesky_forward_tiles.h"

MERGANSER_BEGIN

void BlockSolver::solve(const FactorView& factor, View<const float> right_side, View<float> solution,
                        int right_sides) {
  // No more than 12 at once: a thread keeps four times that many sums in registers.
  const auto group_of = [](int left) { return left >= 12 ? 12 : left >= 6 ? 6 : left >= 3 ? 3 : 1; };
  const int widest = group_of(right_sides);
  const auto at_least = [](Array<float>& array, int count) { array.resize(std::max(array.size(), count)); };
  at_least(forward_, factor.order.count * widest);
  at_least(update_, factor.row.count * widest);
  const LaunchKey key = {factor.stored.data,
                         factor.halves.data,
                         right_side.data,
                         solution.data,
                         forward_.data(),
                         update_.data(),
                         reinterpret_cast<const void*>(std::uintptr_t(right_sides))};
  graph_.run(key, [&] {
    for (int side = 0, group; side < right_sides; side += group) {
      group = group_of(right_sides - side);
      if (factor.halves.data)
        solve_some<Half>(group, factor, right_side, solution, right_sides, side);
      else
        solve_some<float>(group, factor, right_side, solution, right_sides, side);
    }
  });
}

template <class Number>
void BlockSolver::solve_some(int group, const FactorView& factor, View<const float> right_side,
                             View<float> solution, int right_sides, int first_side) {
  const auto solve = group == 12  ? &BlockSolver::solve_group<12, Number>
                     : group == 6 ? &BlockSolver::solve_group<6, Number>
                     : group == 3 ? &BlockSolver::solve_group<3, Number>
                                  : &BlockSolver::solve_group<1, Number>;
  (this->*solve)(factor, right_side, solution, right_sides, first_side);
}

template <int group, class Number>
void BlockSolver::solve_group(const FactorView& factor, View<const float> right_side, View<float> solution,
                              int right_sides, int first_side) {
  const SideView<const float> b{right_side, right_sides, first_side};
  const SideView<float> x{solution, right_sides, first_side};
  const auto sweep = [&](const SweepPlan& plan, const BlockLaunch& launch, auto kernel) {
    kernel.factor = factor;
    kernel.first_block = launch.first;
    kernel.width = launch.width;
    kernel.first_round = plan.first_round.const_view();
    kernel.round = plan.rounds.const_view();
    kernel.task = plan.tasks.const_view();
    launch_blocks(launch.blocks, kernel);
  };
  for (const BlockLaunch& launch : plan_.forward.launches)
    if (launch.team == small_team)
      sweep(plan_.forward, launch,
            ForwardTiles<group, small_team, Number>{{}, b, forward_.view(), update_.view()});
    else
      sweep(plan_.forward, launch,
            ForwardTiles<group, block_threads, Number>{{}, b, forward_.view(), update_.view()});
  for (const BlockLaunch& launch : plan_.backward.launches)
    if (launch.team == small_team)
      sweep(plan_.backward, launch,
            BackwardStrips<group, small_team, Number>{{}, forward_.const_view(), solution, x});
    else
      sweep(plan_.backward, launch,
            BackwardStrips<group, block_threads, Number>{{}, forward_.const_view(), solution, x});
}

MERGANSER_END
