/// Particles of a frame, with what a picture needs. Compiled once per backend.
#include "device/host_buffer.h"
#include "host/simulation/stepped_simulation.h"
#include "solvers/core/topological_links.h"
#include "solvers/geometry/walls/rigid_pose.h"

MERGANSER_BEGIN

/// Host copies of all that a frame holds, in the order of the store.
struct FrameCopies {
  double time = 0;
  std::vector<Range> ranges;
  HostBuffer<Vec3> position, velocity;
  HostBuffer<float> radius, mass;
  HostBuffer<int> id, body, system;
  HostBuffer<int> group;  ///< of the first particles, where there are groups
  std::map<std::string, std::vector<float>> fields;
  std::vector<LinkedPairs> links;  ///< of each system; no rows where it keeps none
};

namespace {

/// The particles that are there in the order of a frame, by id.
std::vector<int> order_of(const FrameCopies& copies) {
  std::vector<int> order;
  for (size_t i = 0; i < copies.id.size(); ++i)
    if (copies.system[i] >= 0) order.push_back(int(i));  // bodies that wait for their start are not there
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return copies.id[size_t(a)] < copies.id[size_t(b)]; });
  return order;
}

template <class Values>
auto in_order(const Values& values, const std::vector<int>& order) {
  std::vector<std::decay_t<decltype(values[0])>> sorted;
  sorted.reserve(order.size());
  for (const int i : order) sorted.push_back(values[size_t(i)]);
  return sorted;
}
std::vector<Float3> in_order(const HostBuffer<Vec3>& values, const std::vector<int>& order) {
  std::vector<Float3> sorted;
  sorted.reserve(order.size());
  for (const int i : order) sorted.push_back(float3(values[size_t(i)]));
  return sorted;
}

/// Links of a system's particles from local indices to those in a frame; order[k] is the particle that comes
/// k-th in the frame, place[i] where particle i comes.
FrameLinks frame_links(const LinkedPairs& pairs, const Range& own, const std::vector<int>& order,
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
void add_triangles(const std::vector<Triangle>& triangles, const Range& own,
                   const std::vector<std::int32_t>& place, std::vector<Triangle>& all) {
  const auto at = [&](int local) { return place[size_t(own.first + local)]; };
  for (const Triangle& t : triangles) all.push_back({at(t[0]), at(t[1]), at(t[2])});
}

/// Rows of the matrix of x -> centre + displacement + rotation (x - centre).
std::array<double, 16> matrix_of(const RigidPose& pose) {
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

void copy_particles(const ParticleStore& particles, View<const int> groups, FrameCopies& copies) {
  copies.position.queue(particles.position.view());
  copies.velocity.queue(particles.velocity.view());
  copies.radius.queue(particles.radius.view());
  copies.mass.queue(particles.mass.view());
  copies.id.queue(particles.id.view());
  copies.body.queue(particles.body.view());
  copies.system.queue(particles.system.view());
  copies.group.queue(groups);
  synchronize();
  copies.ranges = particles.ranges();
}

/// Made on any thread: it looks at nothing that changes while the simulation goes on.
FrameData frame_of(const FrameCopies& copies, const InitialState& initial) {
  const std::vector<int> order = order_of(copies);
  std::vector<std::int32_t> place(copies.id.size(), -1);
  for (size_t k = 0; k < order.size(); ++k) place[size_t(order[k])] = static_cast<std::int32_t>(k);

  FrameData frame;
  frame.time = copies.time;
  frame.position = in_order(copies.position, order);
  frame.velocity = in_order(copies.velocity, order);
  frame.id = in_order(copies.id, order);
  frame.body = in_order(copies.body, order);
  frame.system = in_order(copies.system, order);
  std::vector<std::int32_t> group;
  for (const int i : order) group.push_back(size_t(i) < copies.group.size() ? copies.group[size_t(i)] : -1);
  frame.int_fields.emplace_back("group", std::move(group));
  for (const auto& [name, values] : copies.fields) frame.fields.emplace_back(name, in_order(values, order));
  frame.steady_fields.emplace_back("radius", in_order(copies.radius, order));
  frame.steady_fields.emplace_back("mass", in_order(copies.mass, order));
  for (size_t s = 0; s < initial.systems.size(); ++s) {
    const SystemState& state = initial.systems[s];
    add_triangles(state.triangles, copies.ranges[s], place, frame.triangles);
    if (!copies.links[s].first.empty())
      frame.links.push_back(frame_links(copies.links[s], copies.ranges[s], order, place, state.name));
    frame.system_names.push_back(state.name);
  }
  for (const BodyInfo& info : initial.bodies) frame.body_names.push_back(info.name);
  for (const WallParameters& wall : initial.walls)
    frame.wall_matrices.push_back(matrix_of(wall.motion.at(copies.time)));
  return frame;
}

}  // namespace

std::function<FrameData()> SteppedSimulation::frame_now() const {
  const auto unused = std::find_if(frame_copies_.begin(), frame_copies_.end(),
                                   [](const auto& copies) { return copies.use_count() == 1; });
  const std::shared_ptr<FrameCopies> copies =
      unused != frame_copies_.end() ? *unused : frame_copies_.emplace_back(std::make_shared<FrameCopies>());
  copies->time = time_;
  copy_particles(particles_, merge_split_.group_of(), *copies);
  copies->fields.clear();
  copies->links.assign(systems_.size(), {});
  for (size_t s = 0; s < systems_.size(); ++s) {
    const Range own = particles_.range(int(s));
    for (const auto& [name, values] : systems_[s]->frame_fields()) {
      if (values.size() != size_t(own.count))
        throw std::logic_error("system '" + initial_.systems[s].name + "' has " + std::to_string(own.count) +
                               " particles and " + std::to_string(values.size()) +
                               " values of the frame field " + name);
      auto& whole = copies->fields.try_emplace(name, copies->id.size(), 0.0f).first->second;
      std::copy(values.begin(), values.end(), whole.begin() + own.first);
    }
    if (const auto* links = dynamic_cast<const TopologicalLinks*>(systems_[s].get()))
      copies->links[s] = links->linked_pairs();
  }
  return [copies, &initial = initial_] { return frame_of(*copies, initial); };
}

MERGANSER_END
