#include "solvers/geometry/surface/topology_tracker.h"

#include <algorithm>

#include "device/kernel_profile.h"
#include "solvers/geometry/topology/topological_neighborhoods.h"

MERGANSER_BEGIN

namespace {

class DeviceTopologyTracker : public TopologyTracker {
 public:
  TopologyLinks next_frame(const FluidPoints& points, const std::vector<int>& id,
                           const std::vector<int>& body, double h, double elapsed, double gamma) override {
    std::vector<Vec3> position;
    for (const Float3& x : points.position) position.push_back({x[0], x[1], x[2]});
    position_.assign(position);
    mass_.assign(points.mass);
    id_.assign(id);
    body_.assign(body);
    const FluidParticles particles{position_.view(), mass_.view(), id_.view(), body_.view()};
    synchronize();
    const long long start = now_nanoseconds();
    const size_t before = last_id_.size();
    const bool goes_on =
        neighborhoods_ && id.size() >= before && std::equal(last_id_.begin(), last_id_.end(), id.begin());
    if (!goes_on) {
      neighborhoods_ = std::make_unique<TopologicalNeighborhoods>();
      neighborhoods_->start(particles, static_cast<float>(h));
    } else {
      if (id.size() > before) neighborhoods_->particles_added(static_cast<int>(id.size() - before));
      neighborhoods_->update(particles, static_cast<float>(elapsed), static_cast<float>(gamma));
    }
    last_id_ = id;
    synchronize();
    update_milliseconds_ = 1e-6 * static_cast<double>(now_nanoseconds() - start);
    return linked_rows();
  }
  double update_milliseconds() const override { return update_milliseconds_; }

 private:
  TopologyLinks linked_rows() const {
    const NeighborGraphView graph = neighborhoods_->view();
    const auto first = to_host(graph.first), neighbor = to_host(graph.neighbor);
    const auto linked = to_host(graph.linked);
    const auto age = to_host(graph.age);
    TopologyLinks links;
    links.first.push_back(0);
    for (size_t i = 0; i + 1 < first.size(); ++i) {
      for (size_t e = size_t(first[i]); e < size_t(first[i + 1]); ++e)
        if (linked[e]) links.neighbor.push_back(neighbor[e]), links.age.push_back(age[e]);
      links.first.push_back(static_cast<int>(links.neighbor.size()));
    }
    return links;
  }

  std::unique_ptr<TopologicalNeighborhoods> neighborhoods_;
  std::vector<int> last_id_;
  double update_milliseconds_ = 0;
  Array<Vec3> position_;
  Array<float> mass_;
  Array<int> id_, body_;
};

}  // namespace

std::unique_ptr<TopologyTracker> make_topology_tracker() { return std::make_unique<DeviceTopologyTracker>(); }

MERGANSER_END
