/// The step, as a list of stages ([MS] sec. 3-5). Compiled once per backend. coupling.method decides which of
/// the contact stages have something to do: merge_split_ or pairwise_contacts_.
#include <algorithm>
#include <cmath>

#include "device/profiler_range.h"
#include "host/simulation/stepped_simulation.h"
#include "solvers/core/advance.h"

MERGANSER_BEGIN

/// Positions are written by "advance" and "boundaries" (walls, periodic axes). Besides, "prepare" sorts the
/// particles of fluids and re-seeds those of FLIP, and "finish" takes back what rounding moved in elastic
/// bodies and puts the particles of rigid ones where the bodies have gone. Nobody else writes them.
const std::vector<SteppedSimulation::Stage> SteppedSimulation::stages = {
    {"prepare", &SteppedSimulation::prepare},
    {coupled_pressure_stage, &SteppedSimulation::prepare_coupled},
    {"contacts", &SteppedSimulation::detect_contacts},
    {"merge", &SteppedSimulation::merge},
    {"integrate_1", &SteppedSimulation::integrate_first},
    {coupled_pressure_stage, &SteppedSimulation::couple_first},
    {"synchronize", &SteppedSimulation::synchronize},
    {second_integration, &SteppedSimulation::integrate_second},
    {"ledger", &SteppedSimulation::observe_before_advance},
    {"advance", &SteppedSimulation::advance_positions},
    {"split", &SteppedSimulation::split},
    {"ledger", &SteppedSimulation::observe_after_split},
    {"boundaries", &SteppedSimulation::apply_walls},
    {"finish", &SteppedSimulation::finish},
    {statistics_stage, &SteppedSimulation::measure},
};

StepStatistics SteppedSimulation::advance(double stop_time, bool row) {
  emit();
  const double dt = step_size(stop_time);
  const bool frame_end = reaches(stop_time, dt);
  Step step{{particles_, report_, gravity_, time_, dt, step_, walls_.view(), walls_.move(), frame_end,
             late_bodies_.waiting(particles_)},
            row || frame_end};
  end_velocity_.resize(particles_.count());
  for (Observable* observable : observing(step.has_row)) observable->begin(parts_, step.context);
  clock_.start(step.has_row);
  for (const Stage& stage : stages) {
    const ProfilerRange range(stage.name);
    (this->*stage.run)(step);
    clock_.end_of(stage.name);
  }
  time_ = frame_end ? stop_time : time_ + dt;
  ++step_;
  fetch_results();
  throw_on_report();
  StepStatistics result = statistics(step);
  limit_next_step();
  return result;
}

void SteppedSimulation::emit() {
  std::vector<Emission> emissions;
  remove_outside(emissions);
  for (size_t e = 0; e < emitters_.size(); ++e) {
    const Emitter::Emitted emitted = emitters_[e].emit(time_, gravity_, particles_);
    const int count = emitted.brings.particles;
    if (count == 0) continue;
    emissions.push_back(emitted.brings);
    systems_[size_t(emitter_system_[e])]->particles_added(particles_, count, emitted.box);
  }
  late_bodies_.start(time_, particles_, systems_, emissions);
  for (const auto& observable : observables_) observable->emitted(parts_, emissions);
}

void SteppedSimulation::remove_outside(std::vector<Emission>& emissions) {
  for (KillBox& box : kill_boxes_) {
    std::vector<Emitter*> emitters;
    std::vector<int> bodies;
    for (size_t e = 0; e < emitters_.size(); ++e)
      if (emitter_system_[e] == box.system_index()) {
        emitters.push_back(&emitters_[e]);
        bodies.push_back(emitters_[e].body());
      }
    const auto removal = box.remove_outside(particles_, gravity_, bodies);
    if (!removal) continue;
    systems_[size_t(box.system_index())]->particles_removed(removal->kept);
    emissions.push_back(-removal->particles);
    for (size_t k = 0; k < emitters.size(); ++k) emitters[k]->removed(removal->of_body[k]);
  }
}

void SteppedSimulation::prepare(Step& step) {
  for (auto& system : systems_) system->prepare(step.context);
}
void SteppedSimulation::prepare_coupled(Step& step) {
  for (auto& system : systems_) system->prepare_coupled(step.context);
}

/// Empty where groups have no use for them.
View<const Vec3> SteppedSimulation::half_kicks(const Step& step) {
  const bool any = std::any_of(systems_.begin(), systems_.end(),
                               [](const auto& system) { return system->half_step_behind(); });
  if (!any || initial_.coupling.method != ContactMethod::merging_and_splitting) return {};
  half_kick_.resize(particles_.count());
  half_kick_.zero();
  for (auto& system : systems_)
    if (system->half_step_behind()) system->write_half_kick(step.context, false, half_kick_.view());
  return half_kick_.const_view();
}

void SteppedSimulation::detect_contacts(Step& step) {
  if (looks_for_contacts_)
    merge_split_.detect(particles_, contact_rules(), step_, half_kicks(step));
  else
    merge_split_.detect_none(particles_);
}

void SteppedSimulation::merge(Step& step) {
  merge_split_.merge(particles_);
  pairwise_contacts_.before_integration(particles_, merge_split_.contacts(), step.context.dt);
  for (Observable* observable : observing(step.has_row)) observable->after_contacts(parts_, step.context);
}

/// All systems' end-of-step velocities; implicit solids are solved as one. Rigid bodies come last: they take
/// what others give to the groups.
void SteppedSimulation::integrate(const Step& step, int stage) {
  const MetaParticleView groups = merge_split_.groups();
  for (const bool rigid : {false, true})
    for (auto& system : systems_)
      if (system->has_rigid_bodies() == rigid && (!implicit_coupling_ || !system->implicit_system()))
        system->integrate(step.context, groups, stage, end_velocity_.view());
  if (implicit_coupling_) implicit_coupling_->integrate(step.context, groups, stage, end_velocity_.view());
}
/// Pressure solves over several systems, which change end-of-step velocities.
void SteppedSimulation::couple(const Step& step, int stage) {
  const MetaParticleView groups = merge_split_.groups();
  for (auto& system : systems_) system->integrate_coupled(step.context, groups, stage, end_velocity_.view());
}
void SteppedSimulation::integrate_first(Step& step) {
  walls_.begin_step(time_, step.context.dt);
  integrate(step, 0);
}
void SteppedSimulation::couple_first(Step& step) { couple(step, 0); }

void SteppedSimulation::synchronize(Step& step) {
  merge_split_.synchronize(end_velocity_.view(), step.free_change());
  step.second_stage = merge_split_.second_stage(particles_, end_velocity_.const_view());
  pairwise_contacts_.after_integration(particles_, merge_split_.contacts(), end_velocity_.view());
}

void SteppedSimulation::integrate_again(Step& step) {
  integrate(step, 1);
  clock_.end_of(second_integration);
  couple(step, 1);
  clock_.end_of(coupled_pressure_stage);
  merge_split_.synchronize(end_velocity_.view(), step.free_change());
}

/// [MS] has two stages. Of bodies that lie on one another each stage brings further pairs to approach, which
/// press on the next ones: where all systems are rigid stages follow until none does, else heaps creep.
void SteppedSimulation::integrate_second(Step& step) {
  constexpr int most_rigid_stages = 10;
  const bool rigid = std::all_of(systems_.begin(), systems_.end(),
                                 [](const auto& system) { return system->has_rigid_bodies(); });
  const int most = rigid ? most_rigid_stages : 2;
  const auto merge_more = [&](bool more) {
    for (int stage = 2; more; ++stage) {
      integrate_again(step);
      more = stage < most && merge_split_.second_stage(particles_, end_velocity_.const_view());
    }
  };
  merge_more(step.second_stage);
  // A group does not know that its particles would part: what tips over an edge is let go there.
  for (int pass = 0; pass < most && systems_.size() == 1 && !systems_[0]->group_impulses().empty(); ++pass) {
    if (!merge_split_.release_pulled(particles_, systems_[0]->group_impulses(), pass > 0)) break;
    merge_more(true);
  }
}

void SteppedSimulation::observe_before_advance(Step& step) {
  for (Observable* observable : observing(step.has_row))
    observable->before_advance(parts_, step.context, end_velocity_.const_view());
}

void SteppedSimulation::advance_positions(Step& step) {
  advance_particles(particles_, end_velocity_.const_view(), float(step.context.dt), report_.view());
  for (auto& system : systems_) system->advanced(step.context);
}

/// Whoever looks at walls from here on sees where they end.
void SteppedSimulation::split(Step& step) {
  if (!merge_split_.groups().half_kick.empty())
    for (auto& system : systems_)
      if (system->half_step_behind()) system->write_half_kick(step.context, true, half_kick_.view());
  merge_split_.split(particles_.velocity.view());
  walls_.end_step();
}

void SteppedSimulation::observe_after_split(Step& step) {
  for (Observable* observable : observing(step.has_row))
    observable->after_split(parts_, step.context, end_velocity_.const_view());
}

void SteppedSimulation::apply_walls(Step&) { walls_.apply(particles_, gravity_); }

void SteppedSimulation::finish(Step& step) {
  for (auto& system : systems_) system->finish(step.context, end_velocity_.const_view());
  if (implicit_coupling_) implicit_coupling_->look_ahead(step.context);
}

/// Launches all that the host wants to know at the end of a step.
void SteppedSimulation::measure(Step& step) {
  measure_next_step(step.has_row);
  for (Observable* observable : observing(step.has_row)) observable->after_step(parts_, step.context);
}

StepStatistics SteppedSimulation::statistics(const Step& step) {
  StepStatistics result(columns_);
  result.has_row = step.has_row;
  result.step = step_;
  result.time = time_;
  result.dt = step.context.dt;
  result.cfl_time_step = cfl_time_step_;
  for (const auto& system : systems_) result.tolerance_met = result.tolerance_met && system->tolerance_met();
  bool wants_more = false;
  for (Observable* observable : observing(step.has_row))
    wants_more = observable->after_fetch(parts_, step.context) || wants_more;
  const StepOutcome outcome{step_, time_, step.context.dt, step.second_stage};
  for (const auto& observable : observables_) observable->write_known(parts_, outcome, result);
  if (!step.has_row) return result;
  if (wants_more) {
    clock_.end_of(statistics_stage);
    fetch_results();
  }
  for (const auto& observable : observables_) observable->write(parts_, outcome, result);
  throw_on_rows();
  if (!MERGANSER_GPU_HALF) clock_.end_of(statistics_stage);
  auto& times = result.stage_milliseconds;
  for (const Stage& stage : stages)
    if (std::none_of(times.begin(), times.end(),
                     [&](const auto& known) { return known.first == stage.name; }))
      times.emplace_back(stage.name, clock_.milliseconds(stage.name));
  return result;
}

MERGANSER_END
