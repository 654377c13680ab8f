#include "host/scene/scene_keys.h"

#include "host/checks/check_types.h"
#include "solvers/methods/all_methods.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace merganser {

const KindFamily* find_family(const std::string& name) {
  static const std::vector<KindFamily> families = [] {
    std::vector<KindFamily> made = {{"system", "type", ""}, {"wall", "shape", ""}, {"check", "type", ""}};
    const auto add_word = [&](const std::string& family, const std::string& word) {
      auto found =
          std::find_if(made.begin(), made.end(), [&](const KindFamily& f) { return f.name == family; });
      if (found == made.end()) found = made.insert(made.end(), {family, "shape", ""});
      if ((" " + found->words + " ").find(" " + word + " ") == std::string::npos)
        found->words += (found->words.empty() ? "" : " ") + word;
    };
    for (const Method& method : all_methods()) {
      add_word("system", method.word);
      for (const BodyKind& body : method.bodies) add_word(body.family, body.word);
    }
    for (const ParameterTable& wall : WallParameters::tables()) add_word("wall", wall.kind.substr(5));
    for (const CheckType& check : check_types()) add_word("check", check.word);
    return made;
  }();
  for (const KindFamily& family : families)
    if (name == family.name) return &family;
  return nullptr;
}

std::vector<std::string> split_words(const std::string& words) {
  std::istringstream stream(words);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

const std::vector<const SceneKey*>& keys_of_kind(const std::string& kind) {
  static const auto of_kinds = [] {
    std::map<std::string, std::vector<const SceneKey*>> made;
    for (const SceneKey& key : scene_keys())
      for (const std::string& owner : split_words(key.owner)) {
        const size_t star = owner.find(".*");
        if (star == std::string::npos) {
          made[owner].push_back(&key);
          continue;
        }
        const std::string family = owner.substr(0, star);
        for (const std::string& word : split_words(find_family(family)->words))
          made[family + "." + word].push_back(&key);
      }
    return made;
  }();
  static const std::vector<const SceneKey*> none;
  const auto found = of_kinds.find(kind);
  return found == of_kinds.end() ? none : found->second;
}

bool is_file_key(const std::string& name) {
  static const auto file_keys = [] {
    std::set<std::string> names;
    for (const SceneKey& key : scene_keys())
      if (key.type == KeyType::file) names.insert(key.name);
    return names;
  }();
  return file_keys.contains(name);
}

namespace {

std::string quoted_words(const std::string& words) {
  std::string text;
  for (const std::string& word : split_words(words)) text += (text.empty() ? "\"" : ", \"") + word + "\"";
  return text;
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

}  // namespace

std::string describe_allowed(const SceneKey& key) {
  std::string text;
  switch (key.type) {
    case KeyType::number:
      text = "a number" + describe(key.range);
      break;
    case KeyType::integer:
      text = "a whole number" + describe(key.range);
      break;
    case KeyType::boolean:
      text = "true or false";
      break;
    case KeyType::text:
      text = "a string";
      break;
    case KeyType::name:
      text = "a name of letters, digits, _ and -, beginning with a letter, at most " +
             std::to_string(longest_name) + " long";
      break;
    case KeyType::point:
      text = key.range.low == 0 ? "three numbers [x, y, z] from 0 to 1e6"
                                : "three numbers [x, y, z] from -1e6 to 1e6";
      break;
    case KeyType::direction:
      text = "three numbers [x, y, z], not all zero";
      break;
    case KeyType::scale:
      text = "a positive number or three of them";
      break;
    case KeyType::choice:
      text = "one of " + quoted_words(key.of);
      break;
    case KeyType::file:
      text = "the path of a file, absolute or relative to the scene file";
      break;
    case KeyType::corners:
      text = "two points [low, high], low at most high on every axis";
      break;
    case KeyType::group_limit:
      text = "[least, greatest], whole numbers with 2 <= least <= greatest, or \"unlimited\"";
      break;
    case KeyType::regions:
      text = "one of " + quoted_words(key.of) + ", or a list of {\"box\": [low, high]}";
      break;
    case KeyType::object:
    case KeyType::free:
      text = "an object {...}";
      break;
    case KeyType::list:
      text = "a list [...] of objects";
      break;
  }
  return key.unit.empty() ? text : text + " [" + key.unit + "]";
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
