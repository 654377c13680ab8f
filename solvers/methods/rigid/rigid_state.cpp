#include "solvers/methods/rigid/rigid_state.h"

#include "solvers/methods/rigid/body_pose.h"

MERGANSER_BEGIN

namespace {

template <class T>
std::vector<double> flat(const Array<T>& array) {
  const auto host = array.to_host();
  const auto* data = reinterpret_cast<const double*>(host.data());
  return {data, data + host.size() * sizeof(T) / sizeof(double)};
}
template <class T>
void assign_flat(Array<T>& array, const std::vector<double>& values) {
  std::vector<T> host(size_t(array.size()));
  if (values.size() * sizeof(double) != host.size() * sizeof(T))
    throw FileError("checkpoint: it was written with another number of rigid bodies");
  std::copy(values.begin(), values.end(), reinterpret_cast<double*>(host.data()));
  array.assign(host);
}

/// A cylinder's axis in the body's frame, wherever its particles are now: an eigenvector A of the moments of
/// the rest shape X gives sum m (x - x_c) (X - X_c).A along R A.
Vec3d round_axis(const SystemState& state, const RigidBodyState& body, const BodyPose& pose) {
  const auto& rest = state.rest_position.empty() ? state.position : state.rest_position;
  const Vec3d given = BodyPose::vector(body.round_axis);
  const auto mass = [&](int i) { return double(state.mass[size_t(i)]); };
  Vec3d rest_centre{0, 0, 0}, along{0, 0, 0};
  for (int i = body.first; i < body.first + body.count; ++i)
    rest_centre += (mass(i) / pose.mass) * BodyPose::vector(rest[size_t(i)]);
  for (int i = body.first; i < body.first + body.count; ++i)
    along += mass(i) * dot(BodyPose::vector(rest[size_t(i)]) - rest_centre, given) *
             (BodyPose::vector(state.position[size_t(i)]) - pose.centre);
  return rotated_back(pose.turn, normalized_or_zero(along));
}

}  // namespace

RigidState::RigidState(const SystemState& state, const std::vector<BodyInfo>& bodies) {
  std::vector<int> first, body_of;
  std::vector<Vec3> rest;
  std::vector<double> mass, round_radius;
  std::vector<Vec3d> inertia, offset, axis, round_axes, place, momentum, angular_momentum;
  std::vector<RigidJoint> joint;
  std::vector<Quaternion> turn;
  for (const RigidBodyState& body : state.parameters.of<RigidParameters>().bodies) {
    const BodyPose pose(state, body, bodies[size_t(body.body)].name);
    Twist start;
    first.push_back(body.first);
    for (int i = body.first; i < body.first + body.count; ++i) {
      const Vec3d arm = BodyPose::vector(state.position[size_t(i)]) - pose.place;
      body_of.push_back(static_cast<int>(mass.size()));
      rest.push_back(to_float(rotated_back(pose.turn, arm)));
      start += impulse_at(arm, double(state.mass[size_t(i)]) * BodyPose::vector(state.velocity[size_t(i)]));
    }
    const Vec3d along = normalized_or_zero(BodyPose::vector(body.axis));
    start = momenta_allowed(body.joint, along, start);
    mass.push_back(pose.mass);
    inertia.push_back(pose.inertia);
    offset.push_back(rotated_back(pose.turn, pose.centre - pose.place));
    axis.push_back(along);
    round_radius.push_back(body.round_radius);
    round_axes.push_back(round_axis(state, body, pose));
    place.push_back(pose.place);
    momentum.push_back(start.linear);
    angular_momentum.push_back(start.angular);
    joint.push_back(body.joint);
    start_.push_back({body.body, body.joint, start});
    turn.push_back(pose.turn);
    any_joint_ = any_joint_ || (body.joint != RigidJoint::free && body.joint != RigidJoint::held);
  }
  first.push_back(static_cast<int>(body_of.size()));
  if (body_of.size() != state.position.size())
    throw InputError("system '" + state.name + "': not every particle belongs to one of its rigid bodies");
  first_.assign(first);
  body_of_.assign(body_of);
  rest_.assign(rest);
  mass_.assign(mass);
  inertia_.assign(inertia);
  offset_.assign(offset);
  axis_.assign(axis);
  round_radius_.assign(round_radius);
  round_axis_.assign(round_axes);
  place_.assign(place);
  momentum_.assign(momentum);
  angular_momentum_.assign(angular_momentum);
  joint_.assign(joint);
  turn_.assign(turn);
  first_turn_.assign(turn);
}

namespace {
template <class T>
void set_element(Array<T>& array, size_t index, const T& value) {
  auto host = array.to_host();
  host[index] = value;
  array.assign(host);
}
}  // namespace

void RigidState::set_waiting(int body, bool waits) {
  for (size_t b = 0; b < start_.size(); ++b) {
    const Start& start = start_[b];
    if (start.body != body) continue;
    set_element(joint_, b, waits ? RigidJoint::held : start.joint);
    set_element(momentum_, b, waits ? Vec3d{0, 0, 0} : start.momenta.linear);
    set_element(angular_momentum_, b, waits ? Vec3d{0, 0, 0} : start.momenta.angular);
  }
}

RigidView RigidState::view() {
  return {.first = first_.view(),
          .body_of = body_of_.view(),
          .rest = rest_.view(),
          .mass = mass_.view(),
          .inertia = inertia_.view(),
          .offset = offset_.view(),
          .axis = axis_.view(),
          .round_radius = round_radius_.view(),
          .round_axis = round_axis_.view(),
          .joint = joint_.view(),
          .place = place_.view(),
          .turn = turn_.view(),
          .momentum = momentum_.view(),
          .angular_momentum = angular_momentum_.view()};
}

void RigidState::save(StateArchive& archive, const std::string& prefix) const {
  archive.put(prefix + "/place", flat(place_));
  archive.put(prefix + "/turn", flat(turn_));
  archive.put(prefix + "/first_turn", flat(first_turn_));
  archive.put(prefix + "/momentum", flat(momentum_));
  archive.put(prefix + "/angular_momentum", flat(angular_momentum_));
}

void RigidState::load(const StateArchive& archive, const std::string& prefix) {
  assign_flat(place_, archive.get<double>(prefix + "/place"));
  Array<Quaternion> saved_first(first_turn_.size());
  assign_flat(turn_, archive.get<double>(prefix + "/turn"));
  assign_flat(saved_first, archive.get<double>(prefix + "/first_turn"));
  std::vector<Quaternion> turn = turn_.to_host();
  const auto saved = saved_first.to_host(), own = first_turn_.to_host();
  for (size_t b = 0; b < turn.size(); ++b)
    if (!(saved[b] == own[b])) turn[b] = turn[b] * inverse(saved[b]) * own[b];
  turn_.assign(turn);
  assign_flat(momentum_, archive.get<double>(prefix + "/momentum"));
  assign_flat(angular_momentum_, archive.get<double>(prefix + "/angular_momentum"));
}

MERGANSER_END
