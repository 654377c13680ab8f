#pragma once
/// The coarse levels of a multigrid cycle in one launch: down to the coarsest and up again, phase by phase,
/// by one block of threads. The phases are those of multigrid_kernels.h, in the order of Multigrid::cycle(),
/// so the bits are the same.
#include "device/block_phases.h"
#include "solvers/linear/multigrid/multigrid_kernels.h"

MERGANSER_BEGIN

/// One level's phases and how many cells they work on.
struct CycleLevel {
  int half = 0, inside[2] = {0, 0};  ///< cells of a color, and those that have all neighbors
  int sweeps = 0;
  FirstSweep first;
  Sweep sweep[2];
  Int3 coarse_cells{0, 0, 0};  ///< of the next level; the coarsest has none
  RedResidual residual;
  RestrictResidual restriction;
  ProlongCorrection prolongation;
};

/// True where a level of so many cells, and all coarser ones, are worked on in one launch.
inline bool fits_block(Int3 cells) { return cells.x <= 16 && cells.y <= 16 && cells.z <= 16; }

struct CoarseCycle {
  static constexpr const char* name = "multigrid coarse levels";
  static constexpr int most_levels = 3;  ///< 16^3, 8^3 and 4^3 cells
  int levels;
  const int* active;  ///< nothing is done where it is zero; nullptr: always
  CycleLevel level[most_levels]{};

  template <class Phases>
  MERGANSER_BLOCK_METHOD void operator()(Phases& block) const {
    if (active && !*active) return;
    for (int k = 0; k < levels; ++k) {
      const CycleLevel& at = level[k];
      on_runs(block, at.half, at.first);
      smooth(block, at, 1);
      for (int s = 1; s < at.sweeps; ++s)
        for (int color = 0; color < 2; ++color) smooth(block, at, color);
      if (k + 1 == levels) break;
      on_runs(block, at.inside[0], at.residual);
      on_cells(block, at.coarse_cells, at.restriction);
    }
    for (int k = levels - 1; k >= 0; --k) {
      const CycleLevel& at = level[k];
      if (k + 1 < levels) on_cells(block, at.coarse_cells, at.prolongation);
      for (int s = 0; s < at.sweeps; ++s)
        for (int color = 1; color >= 0; --color) smooth(block, at, color);
    }
  }

 private:
  template <class Phases>
  MERGANSER_BLOCK_METHOD static void smooth(Phases& block, const CycleLevel& at, int color) {
    on_runs(block, at.inside[color], at.sweep[color]);
  }
  template <class Phases, class Phase>
  MERGANSER_BLOCK_METHOD static void on_runs(Phases& block, int count, const Phase& phase) {
    block.run(runs_of_cells(count), CellRuns<Phase>{phase, count});
  }
  template <class Phases, class Phase>
  MERGANSER_BLOCK_METHOD static void on_cells(Phases& block, Int3 cells, const Phase& phase) {
    block.run(MERGANSER_GPU_HALF ? cells.x * cells.y * cells.z : cells.y * cells.z,
              BoxCells<Phase>{phase, cells});
  }
};

MERGANSER_END
