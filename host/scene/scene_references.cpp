/// What the table of keys cannot say of a scene.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "device/errors.h"
#include "host/checks/check_types.h"
#include "host/scene/scene_keys.h"
#include "host/scene/scene_resolve.h"

namespace merganser {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError(path + ": " + what);
}

void expect_ordered_times(const Json& timed, const std::string& path) {
  if (timed["startTime"] >= timed["endTime"])
    fail(path + ".endTime",
         "is " + shown(timed["endTime"]) + ", must be greater than startTime, " + shown(timed["startTime"]));
}

void expect_corners(const Json& object, const char* low, const char* high, const std::string& path) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (object[low][axis] >= object[high][axis])
      fail(path + "." + high, "is " + shown(object[high]) + ", must be greater than " + low + ", " +
                                  shown(object[low]) + ", on every axis; here it is not in " + "xyz"[axis]);
}

void expect_new_name(std::set<std::string>& names, const Json& named, const std::string& path,
                     const char* among) {
  if (!names.insert(named["name"].get<std::string>()).second)
    fail(path + ".name", "the name " + shown(named["name"]) + " is taken; names are unique among " + among);
}

/// The edges of a parallelogram are not parallel.
void expect_area(const Json& parallelogram, const std::string& path) {
  const Json &u = parallelogram["edgeU"], &v = parallelogram["edgeV"];
  double square = 0;
  for (size_t a = 0; a < 3; ++a) {
    const size_t b = (a + 1) % 3;
    const double part = u[a].get<double>() * v[b].get<double>() - u[b].get<double>() * v[a].get<double>();
    square += part * part;
  }
  if (!(square > 0)) fail(path + ".edgeV", "is " + shown(v) + ", must not be parallel to edgeU, " + shown(u));
}

void check_body(const Json& body, const std::string& path) {
  const std::string shape = body["shape"];
  if (shape == "box") expect_corners(body, "start", "end", path);
  if ((shape == "cylinder" || shape == "rope") && body["start"] == body["end"])
    fail(path + ".end", "is " + shown(body["end"]) + ", the same as start; must be another point");
  if (shape == "torus" && body["minorRadius"] > body["majorRadius"])
    fail(path + ".minorRadius",
         "is " + shown(body["minorRadius"]) + ", must be at most majorRadius, " + shown(body["majorRadius"]));
  if (shape == "bowl" && body["thickness"] > body["outerRadius"])
    fail(path + ".thickness",
         "is " + shown(body["thickness"]) + ", must be at most outerRadius, " + shown(body["outerRadius"]));
  if (body.contains("criticalStretch") && body["criticalStretch"] > 0 && body["fractureEnergy"] > 0)
    fail(path + ".criticalStretch", "is " + shown(body["criticalStretch"]) + " and fractureEnergy is " +
                                        shown(body["fractureEnergy"]) +
                                        "; one follows from the other: give only one of them");
  if (body.contains("preCracks"))
    for (size_t i = 0; i < body["preCracks"].size(); ++i)
      expect_area(body["preCracks"][i], path + ".preCracks." + std::to_string(i));
  if (body.contains("loads"))
    for (size_t i = 0; i < body["loads"].size(); ++i)
      expect_ordered_times(body["loads"][i], path + ".loads." + std::to_string(i));
  if (body.contains("prescribed"))
    for (size_t i = 0; i < body["prescribed"].size(); ++i)
      expect_ordered_times(body["prescribed"][i], path + ".prescribed." + std::to_string(i));
}

struct Names {
  std::set<std::string> crossing_systems, sheets, bodies, elastic_bodies;
  std::map<std::string, const Json*> system_of;  ///< by name of body
};

Names check_systems(const Json& systems) {
  Names names;
  std::set<std::string> system_names, body_names;
  if (systems.empty()) fail("systems", "is empty; a scene needs at least one system");
  for (size_t s = 0; s < systems.size(); ++s) {
    const Json& system = systems[s];
    const std::string path = element_path("systems", s, system);
    const bool fluid = system["type"] == "sph" || system["type"] == "flip";
    expect_new_name(system_names, system, path, "the systems");
    if (system["type"] != "massSpring") names.crossing_systems.insert(system["name"]);
    for (size_t b = 0; b < system["bodies"].size(); ++b) {
      const Json& body = system["bodies"][b];
      const std::string body_path = element_path(path + ".bodies", b, body);
      expect_new_name(body_names, body, body_path, "the bodies and emitters of all systems");
      check_body(body, body_path);
      names.bodies.insert(body["name"]);
      if (system["type"] == "elasticSph") names.elastic_bodies.insert(body["name"]);
      names.system_of[body["name"]] = &system;
      if (body["shape"] == "sheet" || body["shape"] == "clothMesh") names.sheets.insert(body["name"]);
    }
    const bool emits = fluid && !system["emitters"].empty();
    if (system["bodies"].empty() && !emits)
      fail(path + ".bodies",
           std::string("is empty; the system needs at least one body") + (fluid ? " or emitter" : ""));
    for (size_t e = 0; emits && e < system["emitters"].size(); ++e) {
      const Json& emitter = system["emitters"][e];
      const std::string emitter_path = element_path(path + ".emitters", e, emitter);
      expect_new_name(body_names, emitter, emitter_path, "the bodies and emitters of all systems");
      expect_ordered_times(emitter, emitter_path);
    }
  }
  return names;
}

void expect_known(const Json& check, const char* key, const std::set<std::string>& names,
                  const std::string& path, const char* what) {
  const std::string name = check[key];
  if (!names.contains(name))
    fail(path + "." + key, "no " + std::string(what) + " is called '" + name + "'" +
                               suggest(name, {names.begin(), names.end()}));
}

/// FLIP fluids and topological neighborhoods know no period.
void expect_open_domain(const Json& resolved) {
  const Json& length = resolved["simulation"]["periodic"]["length"];
  if (length == Json{0, 0, 0}) return;
  for (const Json& system : resolved["systems"]) {
    const std::string path = "systems." + system["name"].get<std::string>();
    if (system.value("neighborhood", "") == "topological")
      fail(path + ".neighborhood",
           "is \"topological\", which knows no periodic domain, but simulation.periodic.length is " +
               shown(length) + "; use euclidean or an open domain");
    if (system["type"] == "flip")
      fail("simulation.periodic.length",
           "is " + shown(length) + ", but " + path +
               " is of type \"flip\", which knows no periodic domain; set it to "
               "[0, 0, 0] or use type \"sph\"");
  }
}

/// Two different bodies of one SPH system; with links only where that keeps topological neighborhoods.
void expect_pair(const Json& check, const char* key, bool topological, const Names& names,
                 const std::string& path) {
  expect_known(check, "body", names.bodies, path, "body");
  expect_known(check, key, names.bodies, path, "body");
  const Json& system = *names.system_of.at(check["body"]);
  if (check[key] == check["body"] || names.system_of.at(check[key]) != &system || system["type"] != "sph")
    fail(path + "." + key, "is " + shown(check[key]) + ", must be another body of the SPH system that has " +
                               shown(check["body"]));
  if (topological && system["neighborhood"] != "topological")
    fail(path + ".type", "is \"noLinks\", but the neighborhood of system " + shown(system["name"]) + " is " +
                             shown(system["neighborhood"]) + "; leave the check out or use topological");
}

/// Whom a check speaks of.
void expect_subject(const Json& check, const Names& names, const std::string& path) {
  switch (check_type(check["type"]).subject) {
    case CheckSubject::none:
      break;
    case CheckSubject::sheet:
      expect_known(check, "system", names.crossing_systems, path, "SPH or peridynamics system");
      expect_known(check, "sheet", names.sheets, path, "sheet or clothMesh");
      break;
    case CheckSubject::body:
      expect_known(check, "body", names.bodies, path, "body");
      break;
    case CheckSubject::elastic_body:
      expect_known(check, "body", names.elastic_bodies, path, "body of an elasticSph system");
      break;
    case CheckSubject::copy:
      expect_pair(check, "copy", false, names, path);
      break;
    case CheckSubject::linked_pair:
      expect_pair(check, "other", true, names, path);
      break;
  }
}

}  // namespace

void check_scene_references(const Json& resolved) {
  const Names names = check_systems(resolved["systems"]);
  expect_open_domain(resolved);
  for (size_t i = 0; i < resolved["walls"].size(); ++i)
    if (resolved["walls"][i]["shape"] == "box")
      expect_corners(resolved["walls"][i], "low", "high", "walls." + std::to_string(i));
  for (size_t i = 0; i < resolved["checks"].size(); ++i)
    expect_subject(resolved["checks"][i], names, "checks." + std::to_string(i));
}

}  // namespace merganser
