#include "solvers/methods/fluid/full_vessel.h"

#include <algorithm>

MERGANSER_BEGIN

bool keeps_its_vessel(const SystemState& state, const InitialState& initial) {
  const bool walls_move = std::any_of(initial.walls.begin(), initial.walls.end(),
                                      [](const WallParameters& wall) { return wall.motion.moves(); });
  return initial.systems.size() == 1 && state.emitters.empty() && state.fluid.kill_box.boxes.empty() &&
         state.prescribed.empty() && state.late.empty() && !walls_move;
}

bool has_gap(const UniformGridView& grid, const WallView& walls, float spacing) {
  Reduction<int> gaps;
  gaps.run(grid.position.count, sum_of(HasGap{grid, walls, spacing}));
  return gaps.read() > 0;
}

MERGANSER_END
