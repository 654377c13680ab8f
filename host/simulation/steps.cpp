/// The step, as a list of stages ([MS] sec. 3-5; DESIGN, "How data flows in a step"). Compiled once per
/// backend. coupling.method decides which of the contact stages have something to do: merge_split_ or
/// pairwise_contacts_.
#include <cmath>

#include "host/simulation/stepped_simulation.h"
#include "solvers/advance/advance.h"

MERGANSER_BEGIN

std::vector<int> SteppedSimulation::particles_per_system() const {
  std::vector<int> counts;
  for (const Range& range : particles_.ranges()) counts.push_back(range.count);
  return counts;
}

void SteppedSimulation::emit() {
  emitted_energy_ = 0;
  for (size_t e = 0; e < emitters_.size(); ++e) {
    const HostParticles emitted = emitters_[e].emit(time_, next_id_);
    if (emitted.size() == 0) continue;
    next_id_ += emitted.size();
    double energy = 0;
    Vec3d momentum{0, 0, 0};
    Bounds box;
    for (size_t i = 0; i < emitted.mass.size(); ++i) {
      const double m = emitted.mass[i];
      const Vec3d v = to_double(emitted.velocity[i]);
      energy += m * (0.5 * norm_squared(v) - dot(to_double(gravitation_), to_double(emitted.position[i])));
      momentum += m * v;
      box = joined(box, {emitted.position[i], emitted.position[i]});
    }
    ledger_.emit(energy, momentum);
    emitted_energy_ += energy;
    particles_.append(emitter_system_[e], emitted);
    systems_[size_t(emitter_system_[e])]->particles_added(particles_, emitted.size(), box);
    for (CrossingCounter& counter : crossings_) counter.meet(particles_);
  }
}

/// The step of at most `limit` [s] in which nothing moves further than cfl_factor times the least radius,
/// [MS] sec. 5.1.
double SteppedSimulation::cfl_limited(double limit) const {
  const double reach = initial_.cfl_factor * least_radius_;
  double speed = max_speed_ + norm(gravitation_) * limit;
  for (const Emitter& emitter : emitters_) speed = std::max(speed, emitter.speed());
  return speed * limit > reach ? reach / speed : limit;
}

void SteppedSimulation::limit_next_step() {
  max_speed_ = summation_.max_speed();
  double limit = initial_.max_time_step;
  for (const auto& system : systems_) limit = std::min(limit, system->time_step_limit());
  cfl_time_step_ = cfl_limited(initial_.time_step > 0 ? initial_.time_step : limit);
  time_step_limit_ = initial_.time_step > 0 ? initial_.time_step : cfl_time_step_;
}

/// Steps that would leave a sliver before stop_time are evened out, so that frames do not force tiny steps.
double SteppedSimulation::step_size(double stop_time) const {
  const double remaining = stop_time - time_;
  if (remaining <= time_step_limit_ * (1 + 1e-9)) return remaining;
  if (initial_.time_step > 0) return time_step_limit_;
  return remaining < 3 * time_step_limit_ ? remaining / std::ceil(remaining / time_step_limit_)
                                          : time_step_limit_;
}

std::vector<SystemContacts> SteppedSimulation::system_contacts() const {
  std::vector<SystemContacts> contacts;
  for (size_t s = 0; s < systems_.size(); ++s)
    contacts.push_back({systems_[s]->implicit(), initial_.systems[s].self_contact, systems_[s]->bond_first(),
                        systems_[s]->bond_neighbor(), systems_[s]->moves_in_prepare()});
  return contacts;
}

void SteppedSimulation::integrate(StepContext& step, int stage) {
  const MetaParticleView groups = merge_split_->groups();
  for (auto& system : systems_)
    if (!implicit_solids_ || !system->implicit_part())
      system->integrate(step, groups, stage, end_velocity_.view());
  if (implicit_solids_) implicit_solids_->integrate(step, groups, stage, end_velocity_.view());
}

StepStatistics SteppedSimulation::step(double stop_time) {
  for (auto& [stage, milliseconds] : stages_) milliseconds = 0;
  emit();
  const double dt = step_size(stop_time);
  StepContext step{particles_, report_, gravitation_, time_, dt, step_};
  step.walls = walls_.view();
  end_velocity_.resize(particles_.count());
  const Vec3 free_change = float(dt) * gravitation_;
  {
    StageTimer timer(stages_, "prepare");
    for (auto& system : systems_) system->prepare(step);
  }
  {
    StageTimer timer(stages_, "contacts");
    merge_split_->detect(particles_, system_contacts(), step_);
    deepest_overlap_.measure(particles_, merge_split_->contacts(), vec3(initial_.periodic_length));
  }
  {
    StageTimer timer(stages_, "merge");
    merge_split_->merge(particles_);
    pairwise_contacts_.before_integration(particles_, merge_split_->contacts(), dt);
  }
  {
    StageTimer timer(stages_, "integrate_1");
    integrate(step, 0);
  }
  bool second_stage = false;
  {
    StageTimer timer(stages_, "synchronize");
    merge_split_->synchronize(end_velocity_.view(), free_change);
    second_stage = merge_split_->second_stage(particles_, end_velocity_.const_view());
    pairwise_contacts_.after_integration(particles_, merge_split_->contacts(), end_velocity_.view());
  }
  if (second_stage) {
    StageTimer timer(stages_, "integrate_2");
    integrate(step, 1);
    merge_split_->synchronize(end_velocity_.view(), free_change);
  }
  step.end_velocity = end_velocity_.const_view();
  {
    StageTimer timer(stages_, "ledger");
    const MetaParticleView groups = merge_split_->groups();
    step_ledger_.before_advance(step, groups, step.end_velocity);
    for (auto& system : systems_) system->account(step, groups, step.end_velocity);
  }
  {
    StageTimer timer(stages_, "advance");
    advance_particles(particles_, end_velocity_.const_view(), float(dt), report_.view());
  }
  {
    StageTimer timer(stages_, "split");
    merge_split_->split(particles_.velocity.view());
    step_ledger_.after_split(step, merge_split_->groups());
  }
  {
    StageTimer timer(stages_, "ledger");
    measure_energy_before_walls(step);
  }
  {
    StageTimer timer(stages_, "boundaries");
    walls_.apply(particles_, gravitation_);
    step.frame_end = reaches(stop_time, dt);
    for (auto& system : systems_) system->finish(step);
  }
  time_ = reaches(stop_time, dt) ? stop_time : time_ + dt;
  ++step_;
  StageTimer timer(stages_, "statistics");
  measure();
  throw_on_report();
  for (CrossingCounter& counter : crossings_) counter.follow(particles_);
  StepStatistics row = statistics(dt, second_stage);
  limit_next_step();
  timer.stop();
  for (const char* stage : {"prepare", "contacts", "merge", "integrate_1", "synchronize", "integrate_2",
                            "ledger", "advance", "split", "boundaries", "statistics"})
    row.stage_milliseconds.emplace_back(stage, stages_[stage]);
  return row;
}

void SteppedSimulation::measure() {
  for (auto& system : systems_) system->measure(particles_, Measures::all);
  summation_.measure(particles_.const_view(), {0, particles_.count()}, gravitation_);
  merge_split_->measure_bounds(particles_, system_contacts());
  merge_split_->measure();
  for (TrackedBody& body : tracked_) body.centre.measure(particles_);
  for (ShapeError& body : shaped_) body.measure(particles_);
  for (CopiedBody& copied : copied_) copied.motion.measure(particles_);
  for (CrossingCounter& counter : crossings_) counter.measure(particles_);
  fetch_results();
}

StepStatistics SteppedSimulation::statistics(double dt, bool second_stage) {
  const ParticleSums sums = summation_.sums();
  StepStatistics row;
  row.step = step_;
  row.time = time_;
  row.dt = dt;
  row.second_stage = second_stage;
  row.emitted_energy = emitted_energy_;
  row.cfl_time_step = cfl_time_step_;
  const MergeStatistics merged = merge_split_->measured();
  row.contacts = merged.contacts;
  row.groups = merged.groups;
  row.largest_group = merged.largest_group;
  row.ignored_contacts = merged.ignored_contacts;
  row.deepest_overlap = deepest_overlap_.measured();
  row.momentum = point(sums.momentum);
  row.angular_momentum = point(sums.angular_momentum);
  row.kinetic_energy = sums.kinetic_energy;
  row.potential_energy = sums.potential_energy;
  row.max_speed = sums.max_speed;
  StepExchange exchange;
  double fracture = 0;
  for (size_t s = 0; s < systems_.size(); ++s) {
    const SystemStatistics of_system = systems_[s]->measured();
    exchange += of_system.exchange;
    fracture += of_system.fracture_energy;
    if (measured_before_walls_[s] && walls_.moved_solid(int(s)))
      exchange.walls +=
          systems_[s]->energy_before_walls() - of_system.elastic_energy - of_system.fracture_energy;
    row.elastic_energy += of_system.elastic_energy;
    row.density_error = std::max(row.density_error, of_system.density_error);
    row.broken_bonds += of_system.broken_bonds;
    row.bonds += of_system.bonds;
    for (int stage = 0; stage < 2; ++stage) row.iterations[stage] += of_system.iterations[stage];
    row.tolerance_met = row.tolerance_met && of_system.tolerance_met;
  }
  close_ledger(exchange, fracture, merged, sums, row);
  add_checked_values(row);
  return row;
}

/// What only checks ask for.
void SteppedSimulation::add_checked_values(StepStatistics& row) {
  if (!crossings_.empty()) fetch_results();  // of the paths that were followed since
  for (const CrossingCounter& counter : crossings_) {
    const CrossingCounts counts = counter.fetched_counts();
    row.penetrations += counts.passages;
    row.crossed_particles += counts.particles;
    row.followed_particles += counts.followed;
  }
  for (const TrackedBody& body : tracked_)
    row.travel.push_back(std::sqrt(norm_squared(body.centre.measured() - body.start)));
  for (const ShapeError& body : shaped_) row.shape_error.push_back(body.measured());
  for (const CopiedBody& copied : copied_)
    row.deviation.push_back(copied.motion.largest_deviation() / copied.smoothing_length);
  for (const auto& [body, other] : initial_.unlinked_bodies)
    row.links.push_back(
        systems_[size_t(initial_.bodies[size_t(body)].system)]->links_between(particles_, body, other));
}

MERGANSER_END
