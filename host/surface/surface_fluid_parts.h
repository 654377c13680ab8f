#pragma once
/// From the particles of a frame to those that one surface is made of.
#include "host/output/run_frames.h"
#include "host/surface/surface_scene.h"

namespace merganser {

/// Some particles of a frame.
struct FluidPart {
  std::vector<int> index;  ///< in the frame, ascending
  FluidPoints points;
  std::vector<int> id, body;
};

/// The particles of a fluid; those of one body where `body` is not negative.
FluidPart select_part(const FrameParticles& frame, const SurfaceFluid& fluid, int body = -1);
/// Links among the part's particles, in its own indices. `place` says where in `links` its particles stand.
TopologyLinks select_links(const TopologyLinks& links, const std::vector<int>& place);
/// Bodies that a fluid's particles belong to, ascending.
std::vector<int> bodies_of(const FluidPart& part);

}  // namespace merganser
