/// Checks of a scene that the table of keys cannot express.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "device/errors.h"
#include "host/checks/check_types.h"
#include "host/scene/scene_bodies.h"
#include "host/scene/scene_keys.h"
#include "host/scene/scene_resolve.h"
#include "solvers/core/probe_quantities.h"
#include "solvers/methods/all_methods.h"

namespace merganser {

namespace {

void expect_new_name(std::set<std::string>& names, const Json& named, const std::string& path,
                     const char* among) {
  if (!names.insert(named["name"].get<std::string>()).second)
    fail_at(path + ".name",
            "the name " + shown(named["name"]) + " is taken; names are unique among " + among);
}

struct Names {
  std::set<std::string> walls, crossing_systems, fluids, sheets, bodies, elastic_bodies, probe_columns;
  std::map<std::string, const Json*> system_of;  ///< by name of body
};

Names check_systems(const Json& systems) {
  Names names;
  std::set<std::string> system_names, body_names;
  if (systems.empty()) fail_at("systems", "is empty; a scene needs at least one system");
  for (size_t s = 0; s < systems.size(); ++s) {
    const Json& system = systems[s];
    const std::string path = element_path("systems", s, system);
    const bool fluid = find_method(system["type"])->is_fluid;
    if (fluid) names.fluids.insert(system["name"]);
    expect_new_name(system_names, system, path, "the systems");
    if (system["type"] != "massSpring") names.crossing_systems.insert(system["name"]);
    for (size_t b = 0; b < system["bodies"].size(); ++b) {
      const Json& body = system["bodies"][b];
      const std::string body_path = element_path(path + ".bodies", b, body);
      expect_new_name(body_names, body, body_path, "the bodies and emitters of all systems");
      names.bodies.insert(body["name"]);
      if (system["type"] == "elasticSph") names.elastic_bodies.insert(body["name"]);
      names.system_of[body["name"]] = &system;
      if (body["shape"] == "sheet" || body["shape"] == "clothMesh") names.sheets.insert(body["name"]);
    }
    const bool emits = fluid && !system["emitters"].empty();
    if (system["bodies"].empty() && !emits)
      fail_at(path + ".bodies",
              std::string("is empty; the system needs at least one body") + (fluid ? " or emitter" : ""));
    for (size_t e = 0; emits && e < system["emitters"].size(); ++e) {
      const Json& emitter = system["emitters"][e];
      const std::string emitter_path = element_path(path + ".emitters", e, emitter);
      expect_new_name(body_names, emitter, emitter_path, "the bodies and emitters of all systems");
    }
  }
  return names;
}

void expect_known(const Json& check, const char* key, const std::set<std::string>& names,
                  const std::string& path, const char* what) {
  const std::string name = check[key];
  if (!names.contains(name))
    fail_at(path + "." + key, "no " + std::string(what) + " is called '" + name + "'" +
                                  suggest(name, {names.begin(), names.end()}));
}

/// Not every method knows a period.
void expect_open_domain(const Json& resolved) {
  const Json& length = resolved["simulation"]["periodic"]["length"];
  if (length == Json{0, 0, 0}) return;
  for (const Json& given : resolved["systems"]) {
    const SystemState system = read_system_keys(given);
    const std::string refusal = system.method->refuse_period(system, shown(length));
    if (!refusal.empty()) throw InputError(refusal);
  }
}

/// Two different bodies of one SPH system; with links only where that keeps topological neighborhoods.
void expect_pair(const Json& check, const char* key, bool topological, const Names& names,
                 const std::string& path) {
  expect_known(check, "body", names.bodies, path, "body");
  expect_known(check, key, names.bodies, path, "body");
  const Json& system = *names.system_of.at(check["body"]);
  if (check[key] == check["body"] || names.system_of.at(check[key]) != &system || system["type"] != "sph")
    fail_at(path + "." + key, "is " + shown(check[key]) +
                                  ", must be another body of the SPH system that has " +
                                  shown(check["body"]));
  if (topological && system["neighborhood"] != "topological")
    fail_at(path + ".type", "is \"noLinks\", but the neighborhood of system " + shown(system["name"]) +
                                " is " + shown(system["neighborhood"]) +
                                "; leave the check out or use topological");
}

/// The columns of the scene's probes.
std::set<std::string> columns_of_probes(const Json& probes) {
  std::set<std::string> columns;
  for (const Json& probe : probes) {
    ProbeParameters parameters;
    parameters.type = probe["type"];
    parameters.name = probe["name"];
    for (const std::string& column : probe_columns(parameters)) columns.insert(column);
  }
  return columns;
}

/// Whom a check speaks of.
void expect_subject(const Json& check, const Names& names, const std::string& path) {
  switch (check_type(check["type"]).subject) {
    case CheckSubject::none:
      break;
    case CheckSubject::sheet:
      expect_known(check, "system", names.crossing_systems, path, "system of another type than massSpring");
      expect_known(check, "sheet", names.sheets, path, "sheet or clothMesh");
      break;
    case CheckSubject::body:
      expect_known(check, "body", names.bodies, path, "body");
      break;
    case CheckSubject::elastic_body:
      expect_known(check, "body", names.elastic_bodies, path, "body of an elasticSph system");
      break;
    case CheckSubject::probe:
      expect_known(check, "column", names.probe_columns, path, "column of probes.csv");
      break;
    case CheckSubject::copy:
      expect_pair(check, "copy", false, names, path);
      break;
    case CheckSubject::linked_pair:
      expect_pair(check, "other", true, names, path);
      break;
  }
}

/// Whom a probe speaks of.
void expect_probe(const Json& probe, const Names& names, const std::string& path) {
  if (probe["type"] == "force" && probe.contains("body") == probe.contains("wall"))
    fail_at(path + ".body", "a force is that on a body or on a wall with a name: say \"body\" or \"wall\"");
  if (probe.contains("wall")) return expect_known(probe, "wall", names.walls, path, "wall");
  if (probe.contains("body")) return expect_known(probe, "body", names.bodies, path, "body");
  if (probe.contains("system")) expect_known(probe, "system", names.fluids, path, "fluid");
  if (names.fluids.empty())
    fail_at(path + ".type",
            "is " + shown(probe["type"]) + ", but the scene has no fluid; leave the probe out");
}

}  // namespace

void check_scene_references(const Json& resolved) {
  Names names = check_systems(resolved["systems"]);
  names.probe_columns = columns_of_probes(resolved["probes"]);
  for (size_t w = 0; w < resolved["walls"].size(); ++w)
    if (const Json& wall = resolved["walls"][w]; wall.contains("name"))
      expect_new_name(names.walls, wall, element_path("walls", w, wall), "the walls");
  expect_open_domain(resolved);
  std::set<std::string> probe_names;
  for (size_t i = 0; i < resolved["probes"].size(); ++i) {
    const Json& probe = resolved["probes"][i];
    const std::string path = element_path("probes", i, probe);
    expect_new_name(probe_names, probe, path, "the probes");
    expect_probe(probe, names, path);
  }
  for (size_t i = 0; i < resolved["checks"].size(); ++i)
    expect_subject(resolved["checks"][i], names, "checks." + std::to_string(i));
}

}  // namespace merganser
