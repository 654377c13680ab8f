/// State that leaves and enters a simulation: checkpoints, notes and warnings, the report of a divergence.
/// Compiled once per backend.
#include "host/simulation/stepped_simulation.h"
#include "solvers/base/parameter_table.h"
#include "solvers/core/coordinate_range.h"
#include "solvers/core/method.h"
#include "solvers/core/setup_report.h"

MERGANSER_BEGIN

std::vector<int> SteppedSimulation::particles_per_system() const {
  std::vector<int> counts;
  for (const Range& range : particles_.ranges()) counts.push_back(range.count);
  return counts;
}

/// What else than the step may be changed, of what this simulation has.
static std::string what_steadies(const InitialState& initial) {
  std::string advice;
  for (const SystemState& system : initial.systems)
    if (!system.method->stabilizer.empty())
      advice += "; for '" + system.name + "' " + system.method->stabilizer;
  const ContactMethod contacts = initial.coupling.method;
  if (contacts == ContactMethod::penalty || contacts == ContactMethod::sph_force)
    advice += "; a smaller coupling.stiffness";
  return advice;
}

/// How many others a condition of Advance holds for.
static std::string more_text(const ParticleStore& particles, Condition condition) {
  const auto position = particles.position.to_host(), velocity = particles.velocity.to_host();
  const auto radius = particles.radius.to_host();
  int count = 0;
  for (size_t i = 0; i < position.size(); ++i) {
    const Vec3& x = position[i];
    const bool finite = is_finite(x) && is_finite(velocity[i]);
    const float reach = std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    count += condition == Condition::escape ? finite && reach > farthest_in_radii * radius[i] : !finite;
  }
  return count > 1 ? ", and " + std::to_string(count - 1) + " more" : "";
}

void SteppedSimulation::throw_on_report() {
  const KernelReport::Words first = report_.fetched();
  for (Condition condition : {Condition::not_a_number, Condition::escape}) {
    const int i = first[size_t(condition)];
    if (i < 0) continue;
    const int body = read_back(particles_.body.const_view(), i);
    const Vec3 x = read_back(particles_.position.const_view(), i),
               v = read_back(particles_.velocity.const_view(), i);
    auto text = [](const Vec3& a) {
      return "(" + std::to_string(a.x) + ", " + std::to_string(a.y) + ", " + std::to_string(a.z) + ")";
    };
    throw_divergence("particle " + std::to_string(read_back(particles_.id.const_view(), i)) + " of body '" +
                     initial_.bodies[size_t(body)].name + "' " +
                     (condition == Condition::escape
                          ? "is more than a million particle radii from the origin, where coordinates "
                            "no longer tell particles apart"
                          : "has a position or velocity that is not a number") +
                     ", position " + text(x) + " m, velocity " + text(v) + " m/s" +
                     more_text(particles_, condition));
  }
}

/// After the observables have written a row.
void SteppedSimulation::throw_on_rows() {
  for (const auto& observable : observables_)
    if (const std::string what = observable->divergence(); !what.empty()) throw_divergence(what);
}

void SteppedSimulation::throw_divergence(const std::string& what) const {
  throw DivergenceError("the simulation diverged in step " + std::to_string(step_) +
                        " (t = " + std::to_string(time_) + " s): " + what + "; try " +
                        (initial_.time_step > 0
                             ? "a smaller simulation.timeStepSize, or 0 for steps that adapt"
                             : "a smaller simulation.maxTimeStepSize or cflFactor") +
                        what_steadies(initial_));
}

std::vector<std::string> SteppedSimulation::notes() const {
  std::vector<std::string> all;
  for (const auto& system : systems_)
    if (const auto* report = dynamic_cast<const SetupReport*>(system.get()))
      for (std::string& note : report->notes()) all.push_back(std::move(note));
  return all;
}

std::vector<std::string> SteppedSimulation::setup_warnings() const {
  std::vector<std::string> all;
  for (const auto& system : systems_)
    if (const auto* report = dynamic_cast<const SetupReport*>(system.get()))
      for (std::string& warning : report->warnings()) all.push_back(std::move(warning));
  return all;
}

std::vector<std::string> SteppedSimulation::warnings_now() const {
  std::vector<std::string> all;
  for (const LateBody& late : late_bodies_.blocked(time_)) {
    const BodyInfo& body = initial_.bodies[size_t(late.body)];
    all.push_back("systems." + initial_.systems[size_t(body.system)].name + ".bodies." + body.name +
                  " has not appeared: since its startTime, " + number_text(late.start_time) +
                  " s, its place has not been free; move it or what stands there");
  }
  return all;
}

std::vector<std::string> SteppedSimulation::warnings_so_far() const {
  std::vector<std::string> all;
  for (const auto& observable : observables_)
    for (std::string& warning : observable->warnings()) all.push_back(std::move(warning));
  return all;
}

std::vector<std::pair<std::string, double>> SteppedSimulation::setup_metrics() const {
  std::vector<std::pair<std::string, double>> all;
  for (const auto& system : systems_)
    if (const auto* report = dynamic_cast<const SetupReport*>(system.get()))
      for (auto& figure : report->setup_metrics()) all.push_back(std::move(figure));
  return all;
}

StateArchive SteppedSimulation::save() const {
  StateArchive archive;
  const_cast<ParticleStore&>(particles_).for_each_field([&](const char* name, auto& array) {
    const auto host = array.to_host();
    using Element = typename std::decay_t<decltype(host)>::value_type;
    if constexpr (std::is_same_v<Element, Vec3>)
      archive.put(std::string("particles/") + name, reinterpret_cast<const float*>(host.data()),
                  3 * host.size());
    else
      archive.put(std::string("particles/") + name, host);
  });
  std::vector<std::int32_t> counts = particles_per_system();
  archive.put("particles/per_system", counts);
  archive.put("clock", std::vector<double>{time_, time_step_limit_, max_speed_});
  archive.put("steps", std::vector<std::int64_t>{step_, particles_.id_end()});
  for (size_t s = 0; s < systems_.size(); ++s) systems_[s]->save(archive, "systems/" + std::to_string(s));
  if (implicit_coupling_) implicit_coupling_->save(archive, "implicit_coupling");
  walls_.save(archive, "walls");
  late_bodies_.save(archive, "late_bodies");
  for (size_t e = 0; e < emitters_.size(); ++e) emitters_[e].save(archive, "emitters/" + std::to_string(e));
  for (size_t k = 0; k < observables_.size(); ++k)
    observables_[k]->save(archive, "observables/" + observable_names_[k]);
  return archive;
}

void SteppedSimulation::load(const StateArchive& archive) {
  const auto counts = archive.get<std::int32_t>("particles/per_system");
  if (counts.size() != systems_.size())
    throw FileError("checkpoint: it was written by a scene with other systems");
  size_t particles = 0;
  for (const int count : counts) {
    if (count < 0) throw FileError("checkpoint: a system has less than no particles");
    particles += static_cast<size_t>(count);
  }
  particles_.for_each_field([&](const char* name, auto& array) {
    using Element = typename std::decay_t<decltype(array.to_host())>::value_type;
    if constexpr (std::is_same_v<Element, Vec3>) {
      const auto flat = archive.get<float>(std::string("particles/") + name);
      std::vector<Vec3> values(flat.size() / 3);
      for (size_t i = 0; i < values.size(); ++i) values[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
      array.assign(values);
    } else {
      array.assign(archive.get<Element>(std::string("particles/") + name));
    }
    if (size_t(array.size()) != particles)
      throw FileError(std::string("checkpoint: there are not as many particles/") + name + " as particles");
  });
  std::vector<Range> ranges;
  for (int count : counts) ranges.push_back({ranges.empty() ? 0 : ranges.back().end(), count});
  for (size_t s = 0; s < systems_.size(); ++s)
    if (const int added = ranges[s].count - particles_.range(int(s)).count; added > 0) {
      particles_.set_ranges(ranges);
      systems_[s]->particles_added(particles_, added, {});
    }
  particles_.set_ranges(ranges);
  merge_split_.forget();
  const auto clock = archive.get<double>("clock");
  time_ = clock.at(0), time_step_limit_ = clock.at(1), max_speed_ = clock.at(2);
  walls_.load(archive, "walls");
  cfl_time_step_ = initial_.time_step > 0 ? cfl_limited(initial_.time_step) : time_step_limit_;
  const auto steps = archive.get<std::int64_t>("steps");
  step_ = steps.at(0);
  particles_.set_id_end(static_cast<int>(steps.at(1)));
  late_bodies_.load(archive, "late_bodies", systems_);
  for (size_t s = 0; s < systems_.size(); ++s) systems_[s]->load(archive, "systems/" + std::to_string(s));
  if (implicit_coupling_) implicit_coupling_->load(archive, "implicit_coupling");
  for (size_t e = 0; e < emitters_.size(); ++e) emitters_[e].load(archive, "emitters/" + std::to_string(e));
  for (size_t k = 0; k < observables_.size(); ++k)
    observables_[k]->load(archive, "observables/" + observable_names_[k]);
  // What the next step takes from measurements of the last one is no part of a checkpoint.
  measure_next_step(false);
  fetch_results();
}

std::map<std::string, std::pair<long long, double>> SteppedSimulation::kernel_times() const {
  std::map<std::string, std::pair<long long, double>> times;
  for (const auto& [name, time] : kernel_profile()) times[name] = {time.launches, time.milliseconds};
  return times;
}

MERGANSER_END
