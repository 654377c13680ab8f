#include "host/scene/scene_resolve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/input_files.h"
#include "host/scene/scene_keys.h"
#include "solvers/methods/all_methods.h"

namespace merganser {

namespace {

bool is_name(const std::string& text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.size() > longest_name || !letter(text[0])) return false;
  for (char c : text)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  return true;
}

bool is_numbers(const Json& value, size_t count) {
  if (!value.is_array() || value.size() != count) return false;
  for (const Json& item : value)
    if (!item.is_number()) return false;
  return true;
}

bool is_point(const Json& value) {
  if (!is_numbers(value, 3)) return false;
  for (const Json& item : value)
    if (!(std::abs(item.get<double>()) <= largest_coordinate)) return false;
  return true;
}

bool has_word(const SceneKey& key, const Json& value) {
  if (!value.is_string()) return false;
  const std::string words = std::string(" ") + key.of + " ", word = value.get<std::string>();
  return !word.empty() && word.find(' ') == std::string::npos && words.find(" " + word + " ") != words.npos;
}

/// True where the value is of the key's type and in its range. Lists and objects: the outermost level only.
bool is_allowed(const SceneKey& key, const Json& value) {
  switch (key.type) {
    case KeyType::number:
      return value.is_number() && key.range.holds(value.get<double>());
    case KeyType::integer:
      return value.is_number() && key.range.holds(value.get<double>()) &&
             value.get<double>() == std::floor(value.get<double>());
    case KeyType::boolean:
      return value.is_boolean();
    case KeyType::text:
      return value.is_string();
    case KeyType::file:
      return value.is_string() && !value.get_ref<const std::string&>().empty();
    case KeyType::name:
      return value.is_string() && is_name(value.get<std::string>());
    case KeyType::choice:
      return has_word(key, value);
    case KeyType::point:
      return is_point(value) && key.range.holds(value[0]) && key.range.holds(value[1]) &&
             key.range.holds(value[2]);
    case KeyType::direction:
      return is_point(value) && (value[0] != 0 || value[1] != 0 || value[2] != 0);
    case KeyType::scale:
      if (value.is_number()) return value.get<double>() > 0;
      return is_numbers(value, 3) && value[0] > 0 && value[1] > 0 && value[2] > 0;
    case KeyType::corners:
      if (!value.is_array() || value.size() != 2 || !is_point(value[0]) || !is_point(value[1])) return false;
      return value[0][0] <= value[1][0] && value[0][1] <= value[1][1] && value[0][2] <= value[1][2];
    case KeyType::group_limit: {
      if (value == "unlimited") return true;
      if (!is_numbers(value, 2) || !value[0].is_number_integer() || !value[1].is_number_integer())
        return false;
      const double least = value[0], greatest = value[1];
      return least >= 2 && least <= greatest && greatest <= 1e9;
    }
    case KeyType::regions:
      return value.is_array() || has_word(key, value);
    case KeyType::object:
    case KeyType::free:
      return value.is_object();
    case KeyType::list:
      return value.is_array();
  }
  return false;
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError(path + ": " + what);
}

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
      fail(path.empty() ? "scene" : path, "is " + shown(given) + ", must be an object {...}");
    std::string kind = kind_or_family;
    Json resolved = Json::object();
    std::vector<std::string> known;
    const KindFamily* family = find_family(kind_or_family);
    if (family) {
      const SceneKey tag{.owner = "",
                         .name = family->tag,
                         .type = KeyType::choice,
                         .unit = "",
                         .fallback = "",
                         .of = family->words};
      known.push_back(tag.name);
      resolved[tag.name] = value(tag, given, resolved, path);
      kind += "." + resolved[tag.name].get<std::string>();
    }
    const std::vector<const SceneKey*>& keys = keys_of_kind(kind);
    for (const SceneKey* key : keys) known.push_back(key->name);
    for (const auto& [name, ignored] : given.items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        fail(join(path, printable(name)), "unknown key" + suggest(name, known));
    for (const SceneKey* key : keys) {
      Json item = value(*key, given, resolved, path);
      if (!item.is_null()) resolved[key->name] = std::move(item);
    }
    return resolved;
  }

 private:
  static std::string join(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
  }

  /// "=2*particleRadius": of the same object or of "simulation".
  Json multiple(const std::string& expression, const Json& resolved) const {
    const size_t star = expression.find('*');
    const std::string name = expression.substr(star + 1);
    const Json& other = resolved.contains(name) ? resolved[name] : particle_radius_;
    return std::stod(expression.substr(1, star - 1)) * other.get<double>();
  }

  Json value(const SceneKey& key, const Json& given, const Json& resolved, const std::string& path) {
    const std::string here = join(path, key.name);
    const std::string fallback = key.fallback;
    const auto said = given.find(key.name);
    if (said == given.end() && fallback == "?") return nullptr;
    if (said == given.end() && fallback.empty()) fail(here, "is missing, must be " + describe_allowed(key));
    if (said == given.end() && fallback[0] == '=') return multiple(fallback, resolved);
    const Json found = said != given.end() ? *said : Json::parse(fallback);
    if (!is_allowed(key, found)) {
      std::string hint;
      if (found.is_string() && !key.of.empty()) hint = suggest(found.get<std::string>(), split_words(key.of));
      fail(here,
           "is " + shown(found) + ", must be " + describe_allowed(key) + hint.substr(0, hint.find(" (")));
    }
    switch (key.type) {
      case KeyType::integer:
        return found.get<long long>();
      case KeyType::scale:
        return found.is_number() ? Json::array({found, found, found}) : found;
      case KeyType::object:
        return object(found, key.of, here);
      case KeyType::list:
        return list(found, key.of, here);
      case KeyType::regions:
        return found.is_array() ? list(found, "region", here) : found;
      case KeyType::file:
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
      fail(path, "is " + shown(file) + ", which no file can be called");
    try {
      files_[file] = describe_input_file(file);
    } catch (const InputError& error) {
      fail(path, std::string(error.what()) + "; give a path that is absolute or relative to the scene file");
    }
  }

  std::map<std::string, InputFile> files_;
  Json particle_radius_ = 0;
};

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
  Json resolved = resolver.object(scene, "scene", "");
  resolved["inputFiles"] = resolver.files();
  auto& systems = resolved["systems"].get_ref<Json::array_t&>();
  std::stable_partition(systems.begin(), systems.end(), [](const Json& system) {
    const Method& method = *find_method(system["type"]);
    SystemState state;
    state.use(method);
    for (const Method::Keys& keys : method.keys) read_parameters(system, *keys.table, keys.bound_to(state));
    return method.is_implicit(state);
  });
  return resolved;
}

}  // namespace merganser
