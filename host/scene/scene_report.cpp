#include "host/scene/scene_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include <fmt/format.h>

#include "device/errors.h"
#include "device/gpu_devices.h"
#include "host/memory_limit.h"
#include "host/scene/estimate.h"
#include "host/scene/json_reader.h"
#include "solvers/core/start_notes.h"
#include "solvers/core/step_estimate.h"
#include "solvers/geometry/walls/wall_mesh.h"

namespace merganser {

namespace {

/// Beyond these overlaps are not looked for, and particles not made: both would take longer than a look at a
/// scene should (about 1 s and 15 s).
constexpr double most_looked_at = 8e6, most_made = 1e8;
/// Beyond these the particles of relaxed bodies stay where they start: their number is right, their places by
/// a part of a spacing. A few seconds on two cores.
constexpr double most_relaxed = 2e4;
/// [bytes] Beyond these the solvers are not set up: factors of matrices and tables of mesh walls would take
/// more than some seconds.
constexpr double most_set_up = 1 << 30, most_of_tables = 1 << 26;

/// "" where the step is not fixed or keeps to the bounds.
std::string note_on(const InitialState& initial, const StepEstimate& estimate) {
  const double step = initial.time_step;
  std::ostringstream text;
  text << "simulation.timeStepSize is " << step << " s; ";
  if (step > estimate.cfl_step)
    text << "at the speed to be expected, " << estimate.speed
         << " m/s, contacts can be missed in steps above " << estimate.cfl_step
         << " s, in which a particle moves further than its radius times simulation.cflFactor; ";
  if (step > estimate.method_step)
    text << "steps above about " << estimate.method_step << " s (" << estimate.method_limited_by
         << ") can make the simulation diverge; ";
  if (!(step > std::min(estimate.cfl_step, estimate.method_step))) return "";
  text << "set it to " << std::min(estimate.cfl_step, estimate.method_step)
       << " s or less, or to 0 for steps that adapt";
  return text.str();
}

/// The bodies of system s, as they were made.
Json bodies_json(const InitialState& initial, size_t s) {
  const SystemState& system = initial.systems[s];
  struct Figures {
    long long particles = 0, held = 0;
    double mass = 0, start_time = 0;
  };
  std::vector<Figures> of_body(initial.bodies.size());
  for (size_t i = 0; i < system.body.size(); ++i) {
    Figures& figures = of_body[size_t(system.body[i])];
    ++figures.particles;
    figures.held += system.immobile[i];
    figures.mass += system.mass[i];
  }
  for (const LateBody& late : system.late) of_body[size_t(late.body)].start_time = late.start_time;
  Json bodies = Json::array();
  for (size_t b = 0; b < of_body.size(); ++b)
    if (initial.bodies[b].system == static_cast<int>(s))
      bodies.push_back({{"name", initial.bodies[b].name},
                        {"particles", of_body[b].particles},
                        {"held", of_body[b].held},
                        {"mass", of_body[b].mass},
                        {"start_time", of_body[b].start_time}});
  return bodies;
}

/// `initial`: nullptr where no particle was made.
Json systems_json(const SceneEstimate& estimate, const InitialState* initial) {
  Json systems = Json::array();
  for (size_t s = 0; s < estimate.systems.size(); ++s) {
    const SystemEstimate& system = estimate.systems[s];
    Json bodies = Json::array();
    if (initial) {
      bodies = bodies_json(*initial, s);
    } else {
      for (const BodyEstimate& body : system.bodies)
        bodies.push_back({{"name", body.name},
                          {"particles", body.particles},
                          {"held", nullptr},
                          {"mass", body.mass},
                          {"start_time", nullptr}});
    }
    const SystemState* made = initial ? &initial->systems[s] : nullptr;
    systems.push_back({{"name", system.name},
                       {"type", system.type},
                       {"particles", made ? double(made->position.size()) : system.particles},
                       {"springs", made ? double(made->springs.size()) : system.springs},
                       {"bonds", std::round(system.bonds)},
                       {"triangles", made ? double(made->triangles.size()) : system.triangles},
                       {"emitters", system.emitters},
                       {"emitted_flow", system.flow},
                       {"bodies", bodies}});
  }
  return systems;
}

double particles_of(const InitialState& initial) {
  double particles = 0;
  for (const SystemState& system : initial.systems) particles += double(system.position.size());
  return particles;
}

Json overlaps_json(const InitialState& initial) {
  Json overlaps = Json::array();
  for (const BodyOverlap& overlap : find_overlaps(initial))
    overlaps.push_back(
        {{"bodies",
          {initial.bodies[size_t(overlap.body_a)].name, initial.bodies[size_t(overlap.body_b)].name}},
         {"pairs", overlap.pairs},
         {"more", overlap.more},
         {"deepest", overlap.deepest}});
  return overlaps;
}

/// What is allowed, and seldom meant.
std::vector<std::string> notes_on_arrangement(const InitialState& initial) {
  std::vector<std::string> notes = notes_on_emitters(initial);
  for (const auto& more :
       {notes_on_emission_into_bodies(initial), notes_on_late_bodies(initial), notes_on_kill_boxes(initial),
        notes_on_flat_bodies(initial), notes_on_meeting_fluids(initial), notes_on_far_places(initial),
        notes_on_masses(initial), notes_on_cloths(initial), notes_on_units(initial),
        notes_on_floating_bodies(initial), notes_on_sliding_walls(initial), notes_on_walls_in_walls(initial),
        notes_on_keys_without_effect(initial), notes_of_methods(initial)})
    notes.insert(notes.end(), more.begin(), more.end());
  return notes;
}

std::vector<std::string> notes_on_thin_walls(const InitialState& initial) {
  std::vector<std::string> notes;
  for (size_t w = 0; w < initial.walls.size(); ++w) {
    const WallParameters& wall = initial.walls[w];
    if (!wall.mesh) continue;
    const std::string note = note_on_thin_parts(*wall.mesh, 2 * initial.particle_radius / initial.resolution);
    if (!note.empty()) notes.push_back("walls." + std::to_string(w) + ".geometryFile: " + note);
  }
  return notes;
}

/// What needs the particles, but for overlaps.
void add_particle_figures(Json& report, const InitialState& initial) {
  Json walls = Json::array();
  for (long long count : count_behind_walls(initial)) walls.push_back(count);
  const StepEstimate step = estimate_step(initial);
  report["particles"] = particles_of(initial);
  report["particles_behind_walls"] = walls;
  report["wall_notes"] = notes_on_thin_walls(initial);
  report["start_notes"] = notes_on_arrangement(initial);
  report["largest_speed"] = step.speed;
  report["time_step"] = step.step;
  report["time_step_limited_by"] = step.limited_by;
  report["time_step_note"] = note_on(initial, step);
  report["steps"] = step.steps;
}

/// `initial`: nullptr where no particle was made. `unlooked`: why overlaps were not looked for, "" where they
/// were. `unrelaxed`: bodies whose particles stay where they start.
Json report(const Scene& scene, const SceneEstimate& estimate, const InitialState* initial,
            const std::string& unlooked, const std::vector<std::string>& unrelaxed = {}) {
  Json made{{"scene", scene.file.string()},
            {"title", scene.title},
            {"resolution", scene.resolution},
            {"particles", estimate.particles},
            {"particles_emitted_at_most", estimate.emitted},
            {"systems", systems_json(estimate, initial)},
            {"overlaps", nullptr},
            {"particles_behind_walls", nullptr},
            {"wall_notes", Json::array()},
            {"start_notes", Json::array()},
            {"not_relaxed", unrelaxed},
            {"setup_notes", Json::array()},
            {"not_set_up", nullptr},
            {"memory_bytes", estimate.host_bytes + estimate.device_bytes},
            {"memory_bytes_device", estimate.device_bytes},
            {"frames", estimate.frames},
            {"disk_bytes", estimate.disk_bytes},
            {"largest_speed", nullptr},
            {"time_step", nullptr},
            {"time_step_limited_by", nullptr},
            {"steps", nullptr}};
  if (initial) add_particle_figures(made, *initial);
  if (initial && unlooked.empty())
    made["overlaps"] = overlaps_json(*initial);
  else
    made["not_looked_at"] = unlooked;
  return made;
}

std::string count_text(const Json& value) { return fmt::format("{:.0f}", value.get<double>()); }

std::string readable(const Json& r) {
  std::ostringstream text;
  text << r["title"].get<std::string>() << " (" << r["scene"].get<std::string>() << ", resolution "
       << r["resolution"].get<double>() << ")\n"
       << "particles     " << count_text(r["particles"]);
  if (r["particles_emitted_at_most"] > 0)
    text << ", and at most " << count_text(r["particles_emitted_at_most"]) << " emitted";
  text << '\n';
  for (const Json& system : r["systems"]) {
    text << "  " << system["name"].get<std::string>() << " (" << system["type"].get<std::string>()
         << "): " << count_text(system["particles"]) << " particles";
    for (const char* what : {"springs", "bonds", "triangles", "emitters"})
      if (system[what] > 0) text << ", " << count_text(system[what]) << ' ' << what;
    if (system["emitters"] > 0) text << " of " << system["emitted_flow"].get<double>() << " m^3/s";
    text << '\n';
    for (const Json& body : system["bodies"]) {
      text << "    " << body["name"].get<std::string>() << ": " << count_text(body["particles"])
           << " particles, " << body["mass"].get<double>() << " kg";
      if (body["held"].is_number() && body["held"] > 0) text << ", " << count_text(body["held"]) << " held";
      if (body["start_time"].is_number() && body["start_time"] > 0)
        text << ", starts at " << body["start_time"].get<double>() << " s";
      text << '\n';
    }
  }
  const bool looked_at = !r.contains("not_looked_at");
  text << "overlaps      "
       << (!looked_at              ? "not looked at: " + r["not_looked_at"].get<std::string>()
           : r["overlaps"].empty() ? "none"
                                   : "")
       << '\n';
  for (const Json& overlap : r["overlaps"])
    text << "  " << overlap["bodies"][0].get<std::string>() << " and "
         << overlap["bodies"][1].get<std::string>() << ": " << count_text(overlap["pairs"])
         << (overlap["more"] ? " pairs or more" : " pairs") << ", the deepest "
         << overlap["deepest"].get<double>() << " m\n";
  if (!r["overlaps"].empty() && r["overlaps"][0]["more"])
    text << "  and others: too many particles lie in each other to count them all\n";
  for (size_t w = 0; w < r["particles_behind_walls"].size(); ++w)
    if (r["particles_behind_walls"][w] > 0)
      text << "behind wall   walls." << w << ": " << count_text(r["particles_behind_walls"][w])
           << " particles\n";
  if (!r["not_relaxed"].empty())
    text << fmt::format(
        "not relaxed   {}: check relaxes up to {:.0f} particles; in a run these move by up to a spacing, and "
        "overlaps, walls and held boxes may differ\n",
        fmt::join(r["not_relaxed"].get<std::vector<std::string>>(), ", "), most_relaxed);
  if (r["not_set_up"].is_string())
    text << "not set up    " << r["not_set_up"].get<std::string>()
         << "; what the solvers refuse then, merganser run --steps 0 finds\n";
  text << "memory        about " << bytes_text(r["memory_bytes"]) << '\n'
       << "disk          about " << bytes_text(r["disk_bytes"]) << " for " << count_text(r["frames"])
       << " frames\n";
  if (r["time_step"].is_number())
    text << "time step     about " << r["time_step"].get<double>() << " s ("
         << r["time_step_limited_by"].get<std::string>() << ", speeds up to "
         << r["largest_speed"].get<double>() << " m/s)\n"
         << "steps         about " << count_text(r["steps"]) << '\n';
  for (const Json& note : r["setup_notes"]) text << note.get<std::string>() << '\n';
  for (const char* notes : {"wall_notes", "start_notes"})
    for (const Json& note : r[notes]) text << "warning: " << note.get<std::string>() << '\n';
  if (r["time_step_note"].is_string() && !r["time_step_note"].get<std::string>().empty())
    text << "warning: " << r["time_step_note"].get<std::string>() << '\n';
  return text.str();
}

/// Sets up what a run does, where that is quick and the particles are those of a run.
void add_setup(Json& report, const Scene& scene, const SceneEstimate& estimate, const InitialState& initial,
               const MakeRun& make_run) {
  if (report["memory_bytes"] > most_set_up)
    report["not_set_up"] = "the scene takes more than " + bytes_text(most_set_up);
  else if (estimate.table_bytes > most_of_tables)
    report["not_set_up"] = "tables of mesh walls take more than " + bytes_text(most_of_tables);
  else if (!report["not_relaxed"].empty())
    report["not_set_up"] = "the particles are not relaxed";
  else if (make_run)
    try {
      report["setup_notes"] = make_run(scene, initial);
    } catch (const InputError& error) {  // solvers do not know whose they are
      throw InputError(scene.file.string() + ": " + error.what());
    }
}

std::string text_of(const Json& made, bool json) {
  return json ? made.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : readable(made);
}

/// Why neither the CPU nor any GPU can hold the scene; empty where one can.
std::string why_nothing_holds(const Scene& scene, const SceneEstimator& estimator,
                              const SceneEstimate& estimate) {
  const std::string why = why_too_large(scene, estimator, estimate, {});
  if (why.empty()) return "";
  for (const gpu::DeviceInfo& gpu : gpu::list_devices()) {
    Device device;
    device.backend = Backend::cuda;
    device.index = gpu.index;
    if (why_too_large(scene, estimator, estimate, device).empty()) return "";
  }
  return why;
}

/// Where contacts are not treated: bodies of two systems that one pressure solve counts.
bool pressed_apart(const InitialState& initial, const BodyOverlap& found) {
  const int a = initial.bodies[size_t(found.body_a)].system, b = initial.bodies[size_t(found.body_b)].system;
  return a != b && solved_together(initial, a, b);
}

std::vector<std::string> notes_on_places(const InitialState& initial) {
  std::vector<std::string> notes;
  const std::vector<long long> behind = count_behind_walls(initial);
  for (size_t w = 0; w < behind.size(); ++w) {
    if (behind[w] == 0) continue;
    const WallParameters& wall = initial.walls[w];
    const bool tank = wall.inside && wall.shape != WallShape::plane;
    notes.push_back(fmt::format(
        "{} particle{} behind walls.{}{}; the first step puts back those that are not held{}", behind[w],
        behind[w] == 1 ? " starts" : "s start", w, wall.name.empty() ? "" : " ('" + wall.name + "')",
        tank ? fmt::format("; if bodies are to stay outside of it, set walls.{}.inside to false", w) : ""));
  }
  for (const auto& more : {notes_on_thin_walls(initial), notes_on_arrangement(initial)})
    notes.insert(notes.end(), more.begin(), more.end());
  if (particles_of(initial) > most_looked_at) return notes;
  constexpr size_t most_named = 3;
  std::vector<BodyOverlap> overlaps = find_overlaps(initial);
  if (initial.coupling.method == ContactMethod::none)
    std::erase_if(overlaps, [&](const BodyOverlap& found) { return !pressed_apart(initial, found); });
  for (size_t k = 0; k < std::min(overlaps.size(), most_named); ++k) {
    const BodyOverlap& found = overlaps[k];
    const std::string &a = initial.bodies[size_t(found.body_a)].name,
                      &b = initial.bodies[size_t(found.body_b)].name;
    notes.push_back(fmt::format("{} at the start: {} pairs of particles, the deepest by {:.3g} m",
                                found.body_a == found.body_b
                                    ? fmt::format("body '{}' overlaps itself across the period", a)
                                    : fmt::format("bodies '{}' and '{}' overlap", a, b),
                                found.pairs, found.deepest));
  }
  if (overlaps.size() > most_named)
    notes.push_back(fmt::format("{} more pairs of bodies overlap; merganser check lists them",
                                overlaps.size() - most_named));
  return notes;
}

}  // namespace

std::string note_on_fixed_step(const InitialState& initial) {
  return note_on(initial, estimate_step(initial));
}

std::string notes_on_start(const InitialState& initial) {
  std::vector<std::string> notes = notes_on_places(initial);
  if (const std::string step = note_on_fixed_step(initial); !step.empty()) notes.insert(notes.begin(), step);
  return fmt::format("{}", fmt::join(notes, "\n"));
}

std::string check_report(const Scene& scene, const InitialState& initial, bool json) {
  return text_of(report(scene, SceneEstimator(scene).estimate(), &initial, ""), json);
}

CheckedScene check_scene(const Scene& scene, bool json, const MakeRun& make_run) {
  const SceneEstimator estimator(scene);
  const SceneEstimate estimate = estimator.estimate();
  const std::string refusal = why_nothing_holds(scene, estimator, estimate);
  if (!refusal.empty())
    return {text_of(report(scene, estimate, nullptr, "the scene does not fit into the memory"), json),
            refusal};
  if (estimate.particles > most_made)
    return {text_of(report(scene, estimate, nullptr, "the scene has more than 100 million particles"), json),
            ""};
  std::vector<std::string> unrelaxed;
  const InitialState initial =
      build_initial_state(scene, {.most_relaxed = most_relaxed,
                                  .unrelaxed = [&](const std::string& body) { unrelaxed.push_back(body); }});
  const bool many = particles_of(initial) > most_looked_at;
  Json made =
      report(scene, estimate, &initial, many ? "the scene has more than 8 million particles" : "", unrelaxed);
  add_setup(made, scene, estimate, initial, make_run);
  return {text_of(made, json), ""};
}

}  // namespace merganser
