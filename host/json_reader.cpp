#include "host/json_reader.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "device/errors.h"
#include "host/scene_keys.h"

namespace merganser {
namespace fs = std::filesystem;

namespace {

constexpr int deepest_nesting = 64;

/// Refuses a key said twice in one object, and nesting that no scene has.
class ParseWatch {
 public:
  explicit ParseWatch(const std::string& origin) : origin_(origin) {}
  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > deepest_nesting)
      throw InputError(origin_ + ": nested deeper than " + std::to_string(deepest_nesting) + " levels");
    if (event == Json::parse_event_t::object_start) seen_.emplace_back();
    if (event == Json::parse_event_t::object_end) seen_.pop_back();
    if (event == Json::parse_event_t::key && !seen_.back().insert(value.get<std::string>()).second)
      throw InputError(origin_ + ": the key \"" + value.get<std::string>() +
                       "\" stands twice in one object; remove one of them");
    return true;
  }

 private:
  std::string origin_;
  std::vector<std::set<std::string>> seen_;
};

std::string read_text(const fs::path& file, const std::string& said_by) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) throw InputError(said_by + "no such file: " + file.string());
  if (fs::is_directory(file, ignored))
    throw InputError(said_by + file.string() + " is a folder, not a scene file");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw InputError(said_by + "cannot read " + file.string() + "; check its permissions");
  return text.str();
}

void make_paths_absolute(Json& value, const fs::path& folder) {
  if (!value.is_structured()) return;
  for (auto& [key, item] : value.items()) {
    if (value.is_object() && key == "geometryFile" && item.is_string() &&
        !item.get_ref<const std::string&>().empty())
      item = (folder / fs::path(item.get<std::string>())).lexically_normal().string();
    else
      make_paths_absolute(item, folder);
  }
}

/// The element of a list that a word of a key path names.
Json& element(Json& list, const std::string& word, const std::string& where) {
  if (!word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string::npos) {
    const size_t index = std::stoul(word);
    if (index < list.size()) return list[index];
    throw InputError(where + "there is no element " + word + ", the list has " + std::to_string(list.size()));
  }
  std::vector<std::string> names;
  for (Json& item : list) {
    if (!item.is_object() || !item.contains("name") || !item["name"].is_string()) continue;
    if (item["name"] == word) return item;
    names.push_back(item["name"].get<std::string>());
  }
  throw InputError(where + "no element is called '" + word + "'" + suggest(word, names));
}

/// JSON merge patch (RFC 7396), and one rule more: an object over a list changes the elements that its keys
/// name.
void merge_over(Json& target, const Json& patch, const std::string& where) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (target.is_array()) {
    for (const auto& [name, value] : patch.items())
      merge_over(element(target, name, where), value, where + name + ": ");
    return;
  }
  if (!target.is_object()) target = Json::object();
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null())
      target.erase(key);
    else
      merge_over(target[key], value, where + key + ": ");
  }
}

Json read_with_bases(const fs::path& file, std::vector<fs::path>& chain, const std::string& said_by) {
  const fs::path whole = fs::weakly_canonical(fs::absolute(file));
  if (std::find(chain.begin(), chain.end(), whole) != chain.end()) {
    std::string circle;
    for (const fs::path& link : chain) circle += link.filename().string() + " -> ";
    throw InputError(said_by + "bases in a circle: " + circle + whole.filename().string() +
                     "; remove one \"base\"");
  }
  chain.push_back(whole);
  Json scene = parse_json(read_text(file, said_by), file.string());
  if (!scene.is_object())
    throw InputError(file.string() + ": is " + shown(scene) + ", must be an object {...}");
  scene.erase("$schema");  // for editors
  make_paths_absolute(scene, whole.parent_path());
  const auto base = scene.find("base");
  if (base == scene.end()) return scene;
  if (!base->is_string())
    throw InputError(file.string() + ": base: is " + shown(*base) +
                     ", must be the path of a scene file, relative to this one");
  const fs::path base_file = whole.parent_path() / base->get<std::string>();
  scene.erase("base");
  Json merged = read_with_bases(base_file, chain, file.string() + ": base: ");
  merge_over(merged, scene, file.string() + ": ");
  return merged;
}

}  // namespace

Json parse_json(const std::string& text, const std::string& origin) {
  try {
    return Json::parse(text, ParseWatch(origin), true, true);
  } catch (const Json::exception& e) {
    std::string reason = e.what();
    if (const size_t end = reason.find("] "); end != std::string::npos) reason = reason.substr(end + 2);
    throw InputError(origin + ": not valid JSON: " + reason);
  }
}

Json read_json_with_bases(const fs::path& file) {
  std::vector<fs::path> chain;
  try {
    return read_with_bases(file, chain, "");
  } catch (const fs::filesystem_error& e) {
    throw InputError(file.string() + ": " + e.what());
  }
}

void apply_setting(Json& root, const std::string& setting) {
  const std::string where = "--set " + setting + ": ";
  const size_t equals = setting.find('=');
  if (equals == 0 || equals == std::string::npos) throw InputError(where + "must be path.to.key=VALUE");
  std::istringstream path(setting.substr(0, equals) + ".");
  std::vector<std::string> words;
  for (std::string word; std::getline(path, word, '.');) words.push_back(word);
  if (words.size() > deepest_nesting) throw InputError(where + "the path is too long");

  Json *value = &root, *parent = nullptr;
  std::string done;
  for (const std::string& word : words) {
    if (word.empty()) throw InputError(where + "must be path.to.key=VALUE, with a word between any two dots");
    parent = value;
    if (value->is_array())
      value = &element(*value, word, where + (done.empty() ? "" : done + ": "));
    else if (value->is_object())
      value = &(*value)[word];
    else if (value->is_null())
      value = &(*value = Json::object())[word];
    else
      throw InputError(where + "unknown key: " + done + " is " + shown(*value) + " and has nothing called '" +
                       word + "'");
    done += (done.empty() ? "" : ".") + word;
  }
  const std::string text = setting.substr(equals + 1);
  Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_discarded()) parsed = text;
  if (words.back() == "geometryFile" && parsed.is_string())
    parsed = fs::absolute(parsed.get<std::string>()).lexically_normal().string();
  if (parsed.is_null() && parent->is_object())
    parent->erase(words.back());
  else
    *value = std::move(parsed);
}

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  constexpr size_t longest = 80;
  return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

}  // namespace merganser
