/// Particles of a frame, with what a picture needs. Compiled once per backend.
#include "host/simulation/stepped_simulation.h"
#include "solvers/core/topological_links.h"
#include "solvers/geometry/walls/rigid_pose.h"

MERGANSER_BEGIN

/// Links of a system's particles from local indices to those in a frame; order[k] is the particle that comes
/// k-th in the frame, place[i] where particle i comes.
static FrameLinks frame_links(const LinkedPairs& pairs, const Range& own, const std::vector<int>& order,
                              const std::vector<std::int32_t>& place, const std::string& system) {
  FrameLinks links{system, {}, {}, {}};
  for (int i : order) {
    links.first.push_back(static_cast<std::int32_t>(links.neighbor.size()));
    if (!own.contains(i)) continue;
    const size_t row = size_t(i - own.first);
    for (size_t e = size_t(pairs.first[row]); e < size_t(pairs.first[row + 1]); ++e) {
      links.neighbor.push_back(place[size_t(own.first + pairs.neighbor[e])]);
      links.age.push_back(pairs.age[e]);
    }
  }
  links.first.push_back(static_cast<std::int32_t>(links.neighbor.size()));
  return links;
}

/// Triangles of a system from local indices to those in a frame, whose particles stand at `place`.
static void add_triangles(const std::vector<Triangle>& triangles, const Range& own,
                          const std::vector<std::int32_t>& place, std::vector<Triangle>& all) {
  const auto at = [&](int local) { return place[size_t(own.first + local)]; };
  for (const Triangle& t : triangles) all.push_back({at(t[0]), at(t[1]), at(t[2])});
}

/// Rows of the matrix of x -> centre + displacement + rotation (x - centre).
static std::array<double, 16> matrix_of(const RigidPose& pose) {
  const Point3 origin = pose({0, 0, 0});
  std::array<double, 16> rows{};
  for (size_t k = 0; k < 3; ++k) {
    Point3 axis{0, 0, 0};
    axis[k] = 1;
    const Point3 turned = pose.rotation(axis);
    for (size_t row = 0; row < 3; ++row) rows[4 * row + k] = turned[row];
    rows[4 * k + 3] = origin[k];
  }
  rows[15] = 1;
  return rows;
}

FrameData SteppedSimulation::frame() const {
  const auto id = particles_.id.to_host(), system = particles_.system.to_host();
  const size_t count = id.size();
  std::vector<int> order;
  for (size_t i = 0; i < count; ++i)
    if (system[i] >= 0) order.push_back(int(i));  // bodies that wait for their start are not there
  std::sort(order.begin(), order.end(), [&](int a, int b) { return id[size_t(a)] < id[size_t(b)]; });
  const auto in_order = [&](const auto& values) {
    std::decay_t<decltype(values)> sorted;
    sorted.reserve(order.size());
    for (const int i : order) sorted.push_back(values[size_t(i)]);
    return sorted;
  };
  const auto vectors = [&](const Array<Vec3>& values) {
    const auto host = values.to_host();
    std::vector<Float3> sorted;
    sorted.reserve(order.size());
    for (const int i : order) sorted.push_back(float3(host[size_t(i)]));
    return sorted;
  };

  FrameData frame;
  frame.time = time_;
  frame.position = vectors(particles_.position);
  frame.velocity = vectors(particles_.velocity);
  frame.id = in_order(id);
  frame.body = in_order(particles_.body.to_host());
  frame.system = in_order(system);
  auto group_of = to_host(merge_split_.group_of());
  group_of.resize(count, -1);
  frame.int_fields.emplace_back("group", in_order(group_of));
  std::map<std::string, std::vector<float>> fields;
  for (size_t s = 0; s < systems_.size(); ++s)
    for (const auto& [name, values] : systems_[s]->frame_fields()) {
      auto& whole = fields.try_emplace(name, count, 0.0f).first->second;
      std::copy(values.begin(), values.end(), whole.begin() + particles_.range(int(s)).first);
    }
  for (const auto& [name, values] : fields) frame.fields.emplace_back(name, in_order(values));
  frame.steady_fields.emplace_back("radius", in_order(particles_.radius.to_host()));
  frame.steady_fields.emplace_back("mass", in_order(particles_.mass.to_host()));

  std::vector<std::int32_t> place(count, -1);
  for (size_t k = 0; k < order.size(); ++k) place[size_t(order[k])] = static_cast<std::int32_t>(k);
  for (size_t s = 0; s < systems_.size(); ++s) {
    const Range own = particles_.range(int(s));
    add_triangles(initial_.systems[s].triangles, own, place, frame.triangles);
    if (const auto* links = dynamic_cast<const TopologicalLinks*>(systems_[s].get()))
      if (const LinkedPairs pairs = links->linked_pairs(); !pairs.first.empty())
        frame.links.push_back(frame_links(pairs, own, order, place, initial_.systems[s].name));
  }
  for (const SystemState& state : initial_.systems) frame.system_names.push_back(state.name);
  for (const BodyInfo& info : initial_.bodies) frame.body_names.push_back(info.name);
  for (const WallParameters& wall : initial_.walls)
    frame.wall_matrices.push_back(matrix_of(wall.motion.at(time_)));
  return frame;
}

MERGANSER_END
