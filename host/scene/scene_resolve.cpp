#include "host/scene/scene_resolve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "device/errors.h"
#include "host/scene/input_files.h"
#include "host/scene/scene_bodies.h"
#include "host/scene/scene_keys.h"
#include "solvers/methods/dfsph/image_walls.h"

namespace merganser {

namespace {

class Resolver {
 public:
  explicit Resolver(const Json& scene) {
    if (scene.is_object() && scene.contains("simulation") && scene["simulation"].is_object() &&
        scene["simulation"].contains("particleRadius"))
      particle_radius_ = scene["simulation"]["particleRadius"];
  }

  /// The files that the scene names, as they are now.
  Json files() const {
    Json list = Json::array();
    for (const auto& [name, file] : files_)
      list.push_back({{"file", file.file}, {"bytes", file.bytes}, {"crc32", file.crc32}});
    return list;
  }

  /// An object of a kind or family.
  Json object(const Json& given, const std::string& kind_or_family, const std::string& path) {
    if (!given.is_object())
      fail_at(path.empty() ? "scene" : path, "is " + shown(given) + ", must be an object {...}");
    std::string kind = kind_or_family;
    Json resolved = Json::object();
    std::vector<std::string> known;
    if (const KindFamily* family = find_family(kind_or_family)) {
      const Parameter tag{.key = family->tag,
                          .type = ParameterType::choice,
                          .unit = "",
                          .meaning = "",
                          .words = family->words};
      known.push_back(tag.key);
      resolved[tag.key] = value(tag, given, resolved, path);
      kind += "." + resolved[tag.key].get<std::string>();
    }
    const ObjectKind& of_kind = find_kind(kind);
    for (const Parameter& key : of_kind.keys) known.push_back(key.key);
    for (const auto& [name, ignored] : given.items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        fail_at(join(path, printable(name)), "unknown key" + suggest(name, known));
    for (const Parameter& key : of_kind.keys) {
      Json item = value(key, given, resolved, path);
      if (!item.is_null()) resolved[key.key] = std::move(item);
    }
    for (const ParameterTable* table : of_kind.tables) expect_rules(resolved, *table, path);
    return resolved;
  }

 private:
  static std::string join(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
  }

  /// "2*particleRadius": of the same object or of "simulation".
  Json multiple(const std::string& rule, const Json& resolved) const {
    const std::string name = rule.substr(rule.find('*') + 1);
    const Json& other = resolved.contains(name) ? resolved[name] : particle_radius_;
    return std::stod(rule) * other.get<double>();
  }

  Json value(const Parameter& key, const Json& given, const Json& resolved, const std::string& path) {
    const std::string here = join(path, key.key);
    const auto said = given.find(key.key);
    if (said == given.end()) {
      if (key.rule == "?") return nullptr;
      if (!key.rule.empty()) return multiple(key.rule, resolved);
      if (!key.fallback) fail_at(here, "is missing, must be " + describe_allowed(key));
    }
    const Json found = said != given.end() ? *said : default_of(key);
    if (!is_allowed(key, found)) {
      const bool has_words = key.type == ParameterType::choice || key.type == ParameterType::regions;
      std::string hint;
      if (found.is_string() && has_words) hint = suggest(found.get<std::string>(), split_words(key.words));
      if (found.is_number() && std::abs(found.get<double>()) > largest_number)
        hint = "; no number may be beyond " + number_text(largest_number);
      fail_at(here,
              "is " + shown(found) + ", must be " + describe_allowed(key) + hint.substr(0, hint.find(" (")));
    }
    switch (key.type) {
      case ParameterType::integer:
        return found.get<long long>();
      case ParameterType::scale:
        return found.is_number() ? Json::array({found, found, found}) : found;
      case ParameterType::object:
        return object(found, key.words, here);
      case ParameterType::list:
        return list(found, key.words, here);
      case ParameterType::regions:
        return found.is_array() ? list(found, "region", here) : found;
      case ParameterType::file:
        check_file(found.get<std::string>(), here);
        return found;
      default:
        return found;
    }
  }

  Json list(const Json& given, const std::string& kind, const std::string& path) {
    Json resolved = Json::array();
    for (size_t i = 0; i < given.size(); ++i)
      resolved.push_back(object(given[i], kind, element_path(path, i, given[i])));
    return resolved;
  }

  void check_file(const std::string& file, const std::string& path) {
    if (files_.contains(file)) return;
    if (file.find('\0') != std::string::npos)
      fail_at(path, "is " + shown(file) + ", which no file can be called");
    try {
      files_[file] = describe_input_file(file);
    } catch (const InputError& error) {
      fail_at(path,
              std::string(error.what()) + "; give a path that is absolute or relative to the scene file");
    }
  }

  std::map<std::string, InputFile> files_;
  Json particle_radius_ = 0;
};

/// The list under a key; empty where there is none. What is wrong is said later.
Json list_in(const Json& object, const char* key) {
  const bool there = object.is_object() && object.contains(key) && object[key].is_array();
  return there ? object[key] : Json::array();
}

/// Rigid bodies in the pressure solve of a fluid displace as much of it as they have particles, whose number
/// is that of the volume where they are relaxed: 136 points of a lattice lie in a ball six spacings across
/// that has room for 113. Boxes keep the lattice, which fits where their sides are whole spacings, and so do
/// shells and meshes, which may be thinner than a relaxed particle.
void relax_bodies(Json& system) {
  const std::set<Json> round{"sphere", "cylinder", "torus"};
  if (list_in(system, "bodies").empty()) return;
  for (Json& body : system["bodies"])
    if (body.is_object() && round.contains(body.value("shape", Json())) && !body.contains("sampling"))
      body["sampling"] = "relaxed";
}

/// Particles resist shear by their packing, the less the more neighbors they have. What moves through them
/// (tools/benchmark/results/notebook_dfsph_packing.md) and drops that surface tension moves
/// (tools/benchmark/results/notebook_dfsph_tension.md) need a wider kernel.
void widen_kernel(Json& fluid, double factor) {
  if (!fluid.contains("smoothingLengthFactor")) fluid["smoothingLengthFactor"] = factor;
  if (!fluid.contains("kernel")) fluid["kernel"] = "wendlandC2";
}
constexpr double beside_solids = 1.2, with_tension = 1.5;

/// Defaults that are others where solids take part in the pressure solve of a fluid, or surface tension acts.
Json with_defaults_of_solves(Json scene) {
  std::map<Json, Json> system_of;
  for (const Json& system : list_in(scene, "systems"))
    if (system.is_object()) system_of[system.value("name", Json())] = system;
  std::set<Json> coupled;
  std::map<Json, double> factor;  // of all fluids of one solve
  for (const Json& system : list_in(scene, "systems")) {
    if (!system.is_object()) continue;
    const Json others = list_in(system, "coupledTo");
    coupled.insert(others.begin(), others.end());
    std::set<Json> together{others.begin(), others.end()};
    together.insert(system.value("name", Json()));
    double wide = 0;
    for (const Json& name : together) {
      if (!system_of.contains(name)) continue;
      const Json& member = system_of[name];
      if (member.value("type", Json()) != "dfsph") wide = std::max(wide, beside_solids);
      if (const Json tension = member.value("surfaceTension", Json()); tension.is_number() && tension > 0)
        wide = std::max(wide, with_tension);
    }
    for (const Json& name : together) factor[name] = std::max(factor[name], wide);
  }
  if (!scene.is_object() || !scene.contains("systems")) return scene;
  for (Json& system : scene["systems"]) {
    if (!system.is_object()) continue;
    const Json type = system.value("type", Json()), name = system.value("name", Json());
    if (type == "rigid" && coupled.contains(name)) relax_bodies(system);
    if (type == "dfsph" && factor[name] > 0) widen_kernel(system, factor[name]);
  }
  return scene;
}

/// DFSPH's pressure at walls where the scene does not say: that of a fluid of the same solve that does, else
/// images where fluid weighs and all walls can have them. Between mirrored walls water presses 3 % too
/// little. Without weight nothing is gained, and in a vessel that is full images leave particles no room to
/// shear (tools/benchmark/results/notebook_dfsph_walls.md).
void choose_wall_pressure(const Json& given, Json& resolved) {
  std::vector<WallParameters> walls;
  for (const Json& wall : resolved["walls"]) walls.push_back(read_wall(wall));
  const Json& simulation = resolved["simulation"];
  const Point3 gravity = point_of(simulation["gravitation"]);
  const bool weighs = gravity != Point3{0, 0, 0};
  const bool takes_images =
      weighs && !walls.empty() && why_no_images(walls, point_of(simulation["periodic"]["length"])).empty();
  std::map<Json, Json> said;
  for (const Json& system : list_in(given, "systems"))
    if (system.contains("wallPressure")) said[system["name"]] = system["wallPressure"];
  std::map<Json, Json> chosen = said;
  for (const Json& system : resolved["systems"]) {
    Json together = list_in(system, "coupledTo");
    together.push_back(system["name"]);
    for (const Json& name : together)
      if (said.contains(name))
        for (const Json& other : together) chosen.emplace(other, said[name]);
  }
  for (Json& system : resolved["systems"])
    if (const auto found = chosen.find(system["name"]); system["type"] == "dfsph")
      system["wallPressure"] = found != chosen.end() ? found->second
                               : takes_images        ? Json("images")
                                                     : system["wallPressure"];
}

}  // namespace

std::string element_path(const std::string& list, size_t index, const Json& element) {
  if (element.is_object() && element.contains("name") && element["name"].is_string() &&
      is_name(element["name"].get<std::string>()))
    return list + "." + element["name"].get<std::string>();
  return list + "." + std::to_string(index);
}

/// Implicit systems first: their particles follow each other in the store, as ImplicitCoupling wants.
Json resolve_scene(const Json& scene) {
  Resolver resolver(scene);
  Json resolved = resolver.object(with_defaults_of_solves(scene), "scene", "");
  choose_wall_pressure(scene, resolved);
  resolved["inputFiles"] = resolver.files();
  auto& systems = resolved["systems"].get_ref<Json::array_t&>();
  std::stable_partition(systems.begin(), systems.end(), [](const Json& system) {
    const SystemState state = read_system_keys(system);
    return state.method->is_implicit(state);
  });
  return resolved;
}

}  // namespace merganser
