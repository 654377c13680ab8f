/// The step, as a list of stages ([MS] sec. 3-5; DESIGN, "How data flows in a step"). Compiled once per
/// backend. coupling.method decides which of the contact stages have something to do: merge_split_ or
/// pairwise_contacts_.
#include <cmath>
#include <limits>

#include "host/simulation/stepped_simulation.h"
#include "solvers/core/advance.h"

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
      energy += m * (0.5 * norm_squared(v) - dot(to_double(gravity_), to_double(emitted.position[i])));
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
  double speed = max_speed_ + norm(gravity_) * limit;
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

std::vector<ContactRules> SteppedSimulation::contact_rules() const {
  std::vector<ContactRules> contacts;
  for (size_t s = 0; s < systems_.size(); ++s)
    contacts.push_back({systems_[s]->implicit(), initial_.systems[s].self_contact, systems_[s]->bond_first(),
                        systems_[s]->bond_neighbor(), systems_[s]->moves_in_prepare()});
  return contacts;
}

void SteppedSimulation::integrate(StepContext& step, int stage) {
  const MetaParticleView groups = merge_split_->groups();
  for (auto& system : systems_)
    if (!implicit_coupling_ || !system->implicit_system())
      system->integrate(step, groups, stage, end_velocity_.view());
  if (implicit_coupling_) implicit_coupling_->integrate(step, groups, stage, end_velocity_.view());
}

void SteppedSimulation::detect_contacts() {
  if (looks_for_contacts_)
    merge_split_->detect(particles_, contact_rules(), step_);
  else
    merge_split_->detect_none(particles_);
}

StepStatistics SteppedSimulation::advance(double stop_time, bool row) {
  emit();
  const double dt = step_size(stop_time);
  row = row || reaches(stop_time, dt);
  if (row && !ledger_is_current_) {
    const auto [energy, momentum] = energy_now();
    ledger_.skip_to(energy, momentum);
  }
  StepContext step{particles_, report_, gravity_, time_, dt, step_};
  step.walls = walls_.view();
  end_velocity_.resize(particles_.count());
  const Vec3 free_change = float(dt) * gravity_;
  stages_.start(row);

  for (auto& system : systems_) system->prepare(step);
  stages_.end_of("prepare");

  detect_contacts();
  if (row) deepest_overlap_.measure(particles_, merge_split_->contacts(), vec3(initial_.periodic_length));
  stages_.end_of("contacts");

  merge_split_->merge(particles_);
  pairwise_contacts_.before_integration(particles_, merge_split_->contacts(), dt);
  stages_.end_of("merge");

  integrate(step, 0);
  stages_.end_of("integrate_1");

  merge_split_->synchronize(end_velocity_.view(), free_change);
  const bool second_stage = merge_split_->second_stage(particles_, end_velocity_.const_view());
  pairwise_contacts_.after_integration(particles_, merge_split_->contacts(), end_velocity_.view());
  stages_.end_of("synchronize");

  if (second_stage) {
    integrate(step, 1);
    merge_split_->synchronize(end_velocity_.view(), free_change);
    stages_.end_of("integrate_2");
  }
  step.end_velocity = end_velocity_.const_view();
  if (row) record_exchange(step);
  stages_.end_of("ledger");

  advance_particles(particles_, end_velocity_.const_view(), float(dt), report_.view());
  stages_.end_of("advance");

  merge_split_->split(particles_.velocity.view());
  stages_.end_of("split");

  if (row) {
    step_ledger_.after_split(step, merge_split_->groups());
    measure_energy_before_walls(step);
  }
  stages_.end_of("ledger");

  walls_.apply(particles_, gravity_);
  step.frame_end = reaches(stop_time, dt);
  for (auto& system : systems_) system->finish(step);
  stages_.end_of("boundaries");

  time_ = step.frame_end ? stop_time : time_ + dt;
  ++step_;
  measure(row);
  throw_on_report();
  bool more = false;  // to be fetched
  for (CrossingCounter& counter : crossings_) more |= counter.complete(particles_);
  if (more && row) fetch_results();
  StepStatistics result = outcome(dt, second_stage);
  if (row) add_row(result);
  ledger_is_current_ = row;
  limit_next_step();
  return result;
}

void SteppedSimulation::measure(bool row) {
  const ParticleConstView particles = particles_.const_view();
  const Range all{0, particles_.count()};
  for (auto& system : systems_) system->measure(particles_, row ? Measures::all : Measures::time_step);
  if (looks_for_contacts_) merge_split_->measure_bounds(particles_, contact_rules());
  for (CrossingCounter& counter : crossings_) counter.measure(particles_);
  if (row) {
    summation_.measure(particles, all, gravity_);
    merge_split_->measure();
    for (TrackedBody& body : tracked_) body.centre.measure(particles_);
    for (ShapeError& body : shaped_) body.measure(particles_);
    for (CopiedBody& copied : copied_) copied.motion.measure(particles_);
  } else {
    summation_.measure_speed(particles, all);
  }
  stages_.end_of("statistics");
  fetch_results();
}

StepStatistics SteppedSimulation::outcome(double dt, bool second_stage) const {
  StepStatistics known;
  known.has_row = false;
  known.step = step_;
  known.time = time_;
  known.dt = dt;
  known.second_stage = second_stage;
  known.cfl_time_step = cfl_time_step_;
  known.max_speed = summation_.max_speed();
  if (initial_.coupling.method != ContactMethod::none) known.contacts = merge_split_->contacts().pair_count();
  for (const auto& system : systems_) known.tolerance_met = known.tolerance_met && system->tolerance_met();
  return known;
}

void SteppedSimulation::add_row(StepStatistics& row) {
  const ParticleSums sums = summation_.sums();
  row.has_row = true;
  row.emitted_energy = emitted_energy_;
  const MergeStatistics merged = merge_split_->measured();
  row.groups = merged.groups;
  row.largest_group = merged.largest_group;
  row.ignored_contacts = merged.ignored_contacts;
  row.deepest_overlap =
      looks_for_contacts_ ? deepest_overlap_.measured() : std::numeric_limits<double>::quiet_NaN();
  row.momentum = point(sums.momentum);
  row.angular_momentum = point(sums.angular_momentum);
  row.kinetic_energy = sums.kinetic_energy;
  row.potential_energy = sums.potential_energy;
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
  }
  close_ledger(exchange, fracture, merged, sums, row);
  add_checked_values(row);
  if (!MERGANSER_GPU_HALF) stages_.end_of("statistics");
  for (const char* stage : {"prepare", "contacts", "merge", "integrate_1", "synchronize", "integrate_2",
                            "ledger", "advance", "split", "boundaries", "statistics"})
    row.stage_milliseconds.emplace_back(stage, stages_.milliseconds(stage));
}

/// What only checks ask for.
void SteppedSimulation::add_checked_values(StepStatistics& row) {
  for (const CrossingCounter& counter : crossings_) {
    const CrossingCounts counts = counter.fetched_counts();
    row.crossings += counts.passages;
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
