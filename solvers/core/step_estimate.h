#pragma once
/// The size of the steps, from the start and from what is told and falls later.
#include <string>

#include "solvers/core/initial_state.h"

namespace merganser {

struct StepEstimate {
  double speed = 0;  ///< [m/s] largest to be expected: at the start, behind an impact, of the fall through
                     ///< the scene's height, of free falls, motions and loads
  double step = 0;   ///< [s] at that speed
  std::string limited_by;
  double steps = 0;            ///< until the end, each frame a whole number of them
  double cfl_step = 1e300;     ///< [s] bound of [MS] sec. 5.1 at that speed
  double method_step = 1e300;  ///< [s] bound of the methods, also where the step is fixed
  std::string method_limited_by;
};

StepEstimate estimate_step(const InitialState& initial);

}  // namespace merganser
