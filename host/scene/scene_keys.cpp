/// The tables of everything that a scene may say, put together.
#include "host/scene/scene_keys.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "device/errors.h"
#include "host/checks/check_types.h"
#include "host/scene/scene.h"
#include "solvers/methods/all_methods.h"

namespace merganser {

namespace {

class Catalog {
 public:
  Catalog() {
    add(Scene::table());
    add_named("emitter", "Name, unique among all bodies and emitters", EmitterParameters::table());
    for (const ParameterTable& wall : WallParameters::tables()) add(wall, "shape");
    for (const ParameterTable& probe : ProbeParameters::tables()) add(probe, "type");
    for (const CheckType& check : check_types()) add(check.keys, "type");
    for (const Method& method : all_methods()) add_method(method);
  }
  std::map<std::string, KindFamily> families;
  std::map<std::string, ObjectKind> kinds;

 private:
  /// The kind and what its objects and lists hold; where there is a tag, a kind of a family.
  void add(const ParameterTable& table, const std::string& tag = "") {
    ObjectKind& kind = kinds[table.kind];
    if (std::find(kind.tables.begin(), kind.tables.end(), &table) != kind.tables.end()) return;
    kind.tables.push_back(&table);
    kind.keys.insert(kind.keys.end(), table.rows.begin(), table.rows.end());
    if (!tag.empty()) add_word(table.kind, tag);
    for (const Parameter& row : table.rows)
      if (row.element) add(*row.element);
  }
  void add_named(const std::string& kind, const char* meaning, const ParameterTable& table) {
    if (!kinds[kind].keys.empty()) return;  // a family of bodies that two methods share
    kinds[kind].keys.push_back({.key = "name", .type = ParameterType::name, .unit = "", .meaning = meaning});
    add(table);
  }
  void add_word(const std::string& kind, const std::string& tag) {
    KindFamily& family = families[kind.substr(0, kind.find('.'))];
    family.tag = tag;
    family.words += (family.words.empty() ? "" : " ") + kind.substr(kind.find('.') + 1);
  }
  void add_method(const Method& method) {
    const std::string kind = "system." + method.word;
    add_word(kind, "type");
    std::vector<Parameter>& keys = kinds[kind].keys;
    keys.push_back({.key = "name",
                    .type = ParameterType::name,
                    .unit = "",
                    .meaning = "Name, unique among all systems"});
    for (const Method::Keys& of_method : method.keys) {
      kinds[kind].tables.push_back(of_method.table);
      keys.insert(keys.end(), of_method.table->rows.begin(), of_method.table->rows.end());
    }
    const auto add_list = [&](const char* key, const std::string& of, const std::string& meaning) {
      keys.push_back({.key = key, .type = ParameterType::list, .unit = "", .meaning = meaning, .words = of});
      if (method.emits) keys.back().fallback = "";
    };
    add_list("bodies", method.bodies.front().family, method.bodies_meaning);
    if (method.emits) add_list("emitters", "emitter", "Discs that emit fluid");
    for (const BodyKind& body : method.bodies) {
      if (kinds.contains(body.table.kind)) continue;  // of another method, too
      add_named(body.table.kind, "Name, unique among all bodies and emitters", body.table);
      add_word(body.table.kind, "shape");
    }
  }
};

const Catalog& catalog() {
  static const Catalog made;
  return made;
}

/// Number of insertions, deletions and substitutions that turn a into b, case ignored.
size_t edit_distance(const std::string& a, const std::string& b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (lower(a[i]) != lower(b[j]));
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The text with the values of the object's keys in the places of "{key}".
std::string with_values(std::string text, const Json& object) {
  for (size_t open; (open = text.find('{')) != text.npos;) {
    const size_t close = text.find('}', open);
    text.replace(open, close - open + 1, shown(object[text.substr(open + 1, close - open - 1)]));
  }
  return text;
}

}  // namespace

const KindFamily* find_family(const std::string& name) {
  const auto found = catalog().families.find(name);
  return found == catalog().families.end() ? nullptr : &found->second;
}

const ObjectKind& find_kind(const std::string& name) { return catalog().kinds.at(name); }

bool is_file_key(const std::string& name) {
  static const auto file_keys = [] {
    std::set<std::string> names;
    for (const auto& [kind, object] : catalog().kinds)
      for (const Parameter& key : object.keys)
        if (key.type == ParameterType::file) names.insert(key.key);
    return names;
  }();
  return file_keys.contains(name);
}

void expect_rules(const Json& object, const ParameterTable& table, const std::string& path) {
  if (table.rules.empty()) return;
  const std::shared_ptr<void> made = table.make();
  read_parameters(object, table, made.get());
  for (const ParameterRule& rule : table.rules)
    if (!rule.holds(made.get()))
      throw InputError(path + "." + rule.key + ": is " + shown(object[rule.key]) +
                       with_values(rule.text, object));
}

std::vector<std::string> split_words(const std::string& words) {
  std::istringstream stream(words);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::string suggest(const std::string& given, const std::vector<std::string>& candidates) {
  constexpr int most_listed = 30;
  std::string nearest, all;
  size_t least = std::max<size_t>(2, given.size() / 3) + 1;
  int listed = 0;
  for (const std::string& candidate : candidates) {
    if (++listed <= most_listed)
      all += (all.empty() ? "" : ", ") + candidate;
    else if (listed == most_listed + 1)
      all += ", ...";
    const size_t distance = given.size() > 100 ? least : edit_distance(given, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return (nearest.empty() ? "" : ", did you mean '" + nearest + "'?") +
         (all.empty() ? " (there is none)" : " (allowed: " + all + ")");
}

}  // namespace merganser
