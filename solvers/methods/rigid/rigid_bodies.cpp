#include "solvers/methods/rigid/rigid_bodies.h"

#include "device/launch.h"
#include "solvers/methods/rigid/rigid_exchange.h"
#include "solvers/methods/rigid/rigid_wall_load.h"

MERGANSER_BEGIN

RigidBodies::RigidBodies(const SystemState& state, const std::vector<BodyInfo>& bodies, int system_index,
                         const std::vector<WallParameters>& walls)
    : system_index_(system_index),
      parameters_(state.parameters.of<RigidParameters>()),
      state_(state, bodies),
      wall_loads_(walls) {
  const auto vector = [](const Point3& p) { return Vec3d{p[0], p[1], p[2]}; };
  std::vector<int> first{0};
  std::vector<ToldMotion> motions;
  for (const RigidBodyState& body : parameters_.bodies) {
    for (const RigidMotion& m : body.motions)
      motions.push_back(
          {vector(m.velocity), vector(m.angular_velocity), vector(m.centre), m.start_time, m.end_time});
    first.push_back(static_cast<int>(motions.size()));
  }
  motion_first_.assign(first);
  motion_.assign(motions);
  const int count = state_.count();
  next_place_.resize(count);
  next_turn_.resize(count);
  for (Array<Twist>* twists : {&given_, &momenta_, &velocity_}) twists->resize(count);
  for (Array<TwistMatrix>* matrices : {&ties_, &inner_}) matrices->resize(count);
  for (Array<Twist>* twists : {&drive_, &change_, &carried_twice_, &pressed_by_walls_}) twists->resize(count);
  members_.resize(count);
  tied_.resize(state_.body_of().size());
  arm_.resize(state_.body_of().size());
  impulse_.resize(state_.body_of().size());
  stiffness_.resize(count);
  member_moments_.resize(count);
  gradient_.resize(count);
}

RigidStepView RigidBodies::step_view() { return {given_.view(), momenta_.view(), velocity_.view()}; }

void RigidBodies::prepare(const StepContext& step) {
  follow_motions(step);
  members_.zero();
  walls_met_ = walls_hold_ = false;
  in_groups_ = false;
  statistics_ = {};
  pushed_.resize(state_.count());
  pushed_.zero();
  is_pressed_ = false;
}

void RigidBodies::follow_motions(const StepContext& step) {
  launch(state_.count(), FollowMotions{.bodies = state_.view(),
                                       .first = motion_first_.view(),
                                       .motion = motion_.view(),
                                       .time = step.time,
                                       .dt = step.dt,
                                       .next_place = next_place_.view(),
                                       .next_turn = next_turn_.view()});
  const View<Vec3> velocity = own(step.particles.velocity, step.particles);
  launch(velocity.count, HeldVelocity{.bodies = state_.view(),
                                      .next_place = next_place_.view(),
                                      .next_turn = next_turn_.view(),
                                      .dt = step.dt,
                                      .velocity = velocity});
}

void RigidBodies::find_touches(const StepContext& step) {
  const int rows = state_.count() * step.walls.count;
  touch_.resize(rows * touches_of_wall);
  launch_group_sums(rows, FindWallTouches{.bodies = state_.view(),
                                          .walls = step.walls,
                                          .position = own(step.particles.position, step.particles),
                                          .velocity = own(step.particles.velocity, step.particles),
                                          .radius = own(step.particles.radius, step.particles),
                                          .gravity = step.gravity,
                                          .dt = step.dt,
                                          .touch = touch_.view()});
}

void RigidBodies::move_without_groups(const StepContext& step) {
  if (walls_met_ && !given_by_groups_) return;
  if (!walls_met_) find_touches(step);
  given_.zero();
  meet_walls(step);
  walls_met_ = true;
  given_by_groups_ = false;
}

void RigidBodies::meet_walls(const StepContext& step, bool from_pressed) {
  launch(state_.count(), MeetWalls{.bodies = state_.view(),
                                   .step = step_view(),
                                   .walls = step.walls,
                                   .touch = touch_.view(),
                                   .gravity = to_double(step.gravity),
                                   .dt = step.dt,
                                   .iterations = parameters_.wall_iterations,
                                   .from_pressed = from_pressed});
}

void RigidBodies::integrate(const StepContext& step, const MetaParticleView& groups, int stage,
                            View<Vec3> end_velocity) {
  if (groups.group_count > 0) {
    // Where there were none in the first stage, the second one has no solution to start from.
    integrate_groups(step, groups, in_groups_ ? stage : 0, end_velocity);
    return;
  }
  move_without_groups(step);
  in_groups_ = false;  // also where the last stage had some
  const Range range = step.particles.range(system_index_);
  launch(range.count, RigidEndVelocity{.bodies = state_.view(),
                                       .twist = velocity_.view(),
                                       .velocity = own(step.particles.velocity, step.particles),
                                       .end_velocity = end_velocity.subview(range.first, range.count)});
}

void RigidBodies::record_exchange(const StepContext& step, const MetaParticleView& groups,
                                  View<const Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  tie_exchange_.run(in_groups_ ? range.count : 0,
                    sum_of(TieExchange{.bodies = state_.view(),
                                       .held = {step.particles.inverse_mass.const_view(), groups},
                                       .first_particle = range.first,
                                       .tied = tied_.view(),
                                       .arm = arm_.view(),
                                       .impulse = impulse_.view(),
                                       .end_velocity = end_velocity.subview(range.first, range.count),
                                       .velocity = velocity_.view()}));
  exchange_.run(state_.count(), sum_of(RigidExchange{.bodies = state_.view(),
                                                     .step = step_view(),
                                                     .touches = step.walls.count * touches_of_wall,
                                                     .touch = touch_.view(),
                                                     .gravity = to_double(step.gravity),
                                                     .dt = step.dt}));
  record_pressure();
}

void RigidBodies::write_held_impulses(const StepContext& step, const MetaParticleView& groups,
                                      View<const Vec3>, View<Vec3> impulse) {
  if (!in_groups_) {
    fill_zero(impulse.data, sizeof(Vec3) * size_t(impulse.count));
    return;
  }
  launch(impulse.count, HeldTies{.held = {step.particles.inverse_mass.const_view(), groups},
                                 .first_particle = step.particles.range(system_index_).first,
                                 .tied = tied_.view(),
                                 .tie_impulse = impulse_.const_view(),
                                 .impulse = impulse});
}

void RigidBodies::finish(const StepContext& step, View<const Vec3> end_velocity) {
  const Range range = step.particles.range(system_index_);
  wall_loads_.sum(touch_.size(), step.time, [&](const MeasuredWall& wall) {
    return RigidWallLoad{state_.view(), step.walls, touch_.const_view(), wall};
  });
  if (in_groups_)
    launch_group_sums(state_.count(),
                      CollectMembers{.bodies = state_.view(),
                                     .tied = tied_.view(),
                                     .mass = own(step.particles.mass, step.particles),
                                     .twist = velocity_.view(),
                                     .end_velocity = end_velocity.subview(range.first, range.count),
                                     .velocity = own(step.particles.velocity, step.particles),
                                     .members = members_.view()});
  launch(state_.count(), AdvanceBodies{.bodies = state_.view(),
                                       .step = step_view(),
                                       .members = members_.view(),
                                       .next_place = next_place_.view(),
                                       .next_turn = next_turn_.view(),
                                       .walls = step.walls,
                                       .touch = touch_.view(),
                                       .radius = own(step.particles.radius, step.particles),
                                       .dt = step.dt});
  launch(state_.count(), BodyVelocities{state_.view(), velocity_.view()});
  placed_.run(range.count, sum_of(PlaceParticles{.bodies = state_.view(),
                                                 .velocity_of_body = velocity_.view(),
                                                 .mass = own(step.particles.mass, step.particles),
                                                 .gravity = to_double(step.gravity),
                                                 .position = own(step.particles.position, step.particles),
                                                 .velocity = own(step.particles.velocity, step.particles)}));
}

SystemStatistics RigidBodies::measured() const {
  SystemStatistics result = statistics_;
  result.exchange = exchange_.fetched();
  result.exchange += placed_.fetched();
  result.exchange += pressed_exchange_.fetched();
  result.exchange += tie_exchange_.fetched();
  return result;
}

std::vector<std::pair<std::string, std::vector<float>>> RigidBodies::frame_fields() const {
  std::vector<std::pair<std::string, std::vector<float>>> fields{
      {"rotation_w", {}}, {"rotation_x", {}}, {"rotation_y", {}}, {"rotation_z", {}}};
  const auto turn = state_.turn().to_host();
  for (const int b : state_.body_of().to_host()) {
    const Quaternion& q = turn[size_t(b)];
    const double parts[4] = {q.w, q.v.x, q.v.y, q.v.z};
    for (size_t k = 0; k < 4; ++k) fields[k].second.push_back(static_cast<float>(parts[k]));
  }
  return fields;
}

void RigidBodies::save(StateArchive& archive, const std::string& prefix) const {
  state_.save(archive, prefix);
}

void RigidBodies::load(const StateArchive& archive, const std::string& prefix) {
  state_.load(archive, prefix);
}

std::unique_ptr<System> make_rigid(const SystemState& state, const InitialState& initial, int system_index,
                                   const ParticleStore&) {
  return std::make_unique<RigidBodies>(state, initial.bodies, system_index, initial.walls);
}

MERGANSER_END
