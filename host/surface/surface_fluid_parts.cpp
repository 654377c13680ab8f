#include "host/surface/surface_fluid_parts.h"

#include <algorithm>

namespace merganser {

FluidPart select_part(const FrameParticles& frame, const SurfaceFluid& fluid, int body) {
  FluidPart part;
  for (size_t i = 0; i < frame.position.size(); ++i) {
    if (frame.system[i] != fluid.system || (body >= 0 && frame.body[i] != body)) continue;
    part.index.push_back(static_cast<int>(i));
    part.points.position.push_back(frame.position[i]);
    part.points.velocity.push_back(frame.velocity[i]);
    part.points.mass.push_back(static_cast<float>(fluid.mass));
    part.id.push_back(frame.id[i]);
    part.body.push_back(frame.body[i]);
  }
  return part;
}

TopologyLinks select_links(const TopologyLinks& links, const std::vector<int>& place) {
  std::vector<int> local(links.first.size() - 1, -1);
  for (size_t k = 0; k < place.size(); ++k) local[size_t(place[k])] = static_cast<int>(k);
  TopologyLinks selected;
  selected.first.push_back(0);
  for (const int i : place) {
    for (int e = links.first[size_t(i)]; e < links.first[size_t(i) + 1]; ++e) {
      const int j = local[size_t(links.neighbor[size_t(e)])];
      if (j < 0) continue;
      selected.neighbor.push_back(j);
      selected.age.push_back(links.age[size_t(e)]);
    }
    selected.first.push_back(static_cast<int>(selected.neighbor.size()));
  }
  return selected;
}

std::vector<int> bodies_of(const FluidPart& part) {
  std::vector<int> bodies = part.body;
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

}  // namespace merganser
