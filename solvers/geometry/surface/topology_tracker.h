#pragma once
/// Topological neighborhoods of a recorded run: followed from frame to frame where the run itself did not
/// keep them. Behind a backend-neutral interface; compiled once per backend.
#include <memory>

#include "solvers/geometry/surface/surface_parameters.h"

namespace merganser {

class TopologyTracker {
 public:
  virtual ~TopologyTracker() = default;
  /// The neighborhoods in the next frame, `elapsed` [s] after the last one, of particles ordered by id (new
  /// ones at the end). Starts anew at the first frame and where particles have vanished. `h` [m]; `gamma` [s]
  /// as in [TN] eq. 6.
  virtual TopologyLinks next_frame(const FluidPoints& points, const std::vector<int>& id,
                                   const std::vector<int>& body, double h, double elapsed, double gamma) = 0;
  /// Wall time of the last update itself, without copies.
  virtual double update_milliseconds() const = 0;
};

namespace cpu {
std::unique_ptr<TopologyTracker> make_topology_tracker();
}
namespace gpu {
/// Throws DeviceError where this build has no CUDA half.
std::unique_ptr<TopologyTracker> make_topology_tracker();
}  // namespace gpu

}  // namespace merganser
