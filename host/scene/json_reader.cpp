#include "host/scene/json_reader.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "device/errors.h"
#include "host/scene/input_files.h"
#include "host/scene/scene_keys.h"

namespace merganser {
namespace fs = std::filesystem;

namespace {

constexpr size_t deepest_nesting = 64, most_bases = 64, most_keys = 10000;

void make_paths_absolute(Json& value, const fs::path& folder) {
  if (!value.is_structured()) return;
  for (auto& [key, item] : value.items()) {
    if (value.is_object() && is_file_key(key) && item.is_string() &&
        !item.get_ref<const std::string&>().empty())
      item = (folder / fs::path(item.get<std::string>())).lexically_normal().string();
    else
      make_paths_absolute(item, folder);
  }
}

using Places = std::map<std::string, size_t>;

/// Places of named elements in a list; of equal names the first.
Places places_of(const Json& list) {
  Places places;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].is_object() && list[i].contains("name") && list[i]["name"].is_string())
      places.emplace(list[i]["name"].get<std::string>(), i);
  return places;
}

/// The element of a list that a word of a key path names.
Json& element(Json& list, const Places& places, const std::string& word, const std::string& where) {
  if (!word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string::npos) {
    const size_t index = std::stoul(word);
    if (index < list.size()) return list[index];
    throw InputError(where + "there is no element " + word + ", the list has " + std::to_string(list.size()));
  }
  if (const auto found = places.find(word); found != places.end()) return list[found->second];
  std::vector<std::string> names;
  for (const auto& [name, place] : places) names.push_back(name);
  throw InputError(where + "no element is called '" + printable(word) + "'" + suggest(word, names));
}

/// What a key path leads to, and the object or list that holds it.
struct Target {
  Json *value, *parent;
};

/// Adds where `word` leads from `value`, which `done` led to: a word with * to every element of a list whose
/// name matches, any other to one.
void step_down(Json& value, const std::string& word, const std::string& where, const std::string& done,
               std::vector<Target>& next) {
  if (value.is_array()) {
    const std::string in_list = where + (done.empty() ? "" : done + ": ");
    const Places places = places_of(value);
    if (word.find('*') == std::string::npos || places.count(word) > 0) {
      next.push_back({&element(value, places, word, in_list), &value});
      return;
    }
    const size_t before = next.size();
    if (word == "*")
      for (Json& item : value) next.push_back({&item, &value});
    else
      for (const auto& [name, place] : places)
        if (fnmatch(word.c_str(), name.c_str(), FNM_NOESCAPE) == 0) next.push_back({&value[place], &value});
    if (next.size() == before) element(value, places, word, in_list);  // throws
  } else if (word.find('*') != std::string::npos) {
    throw InputError(where + (done.empty() ? "the scene" : done) + " is " +
                     (value.is_null() ? "not there" : "no list") + ", * names elements of a list");
  } else if (value.is_object()) {
    next.push_back({&value[word], &value});
  } else if (value.is_null()) {
    value = Json::object();
    next.push_back({&value[word], &value});
  } else {
    throw InputError(where + "unknown key: " + done + " is " + shown(value) + " and has nothing called '" +
                     printable(word) + "'");
  }
}

/// Null takes keys away; in a list others would move to its place.
[[noreturn]] void refuse_null_element(const std::string& where) {
  throw InputError(
      where +
      "is an element of a list, which null cannot take out; null takes out keys of objects, and a "
      "list is replaced by one without the element: [...]");
}

/// JSON merge patch (RFC 7396), and one rule more: an object over a list changes the elements that its keys
/// name.
void merge_over(Json& target, const Json& patch, const std::string& where) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (target.is_array()) {
    const Places places = places_of(target);
    for (const auto& [name, value] : patch.items()) {
      Json& changed = element(target, places, name, where);
      if (value.is_null()) refuse_null_element(where + printable(name) + ": ");
      merge_over(changed, value, where + printable(name) + ": ");
    }
    return;
  }
  if (!target.is_object()) target = Json::object();
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null())
      target.erase(key);
    else
      merge_over(target[key], value, where + printable(key) + ": ");
  }
}

std::string text_of(const fs::path& file, const std::string& said_by) {
  try {
    return utf8_of(read_input_file(file), file.string());
  } catch (const InputError& error) {
    throw InputError(said_by + error.what());
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
  if (chain.size() > most_bases)
    throw InputError(said_by + "more than " + std::to_string(most_bases) +
                     " bases, one of the other; merge some of these files");
  chain.push_back(whole);
  Json scene = parse_json(text_of(file, said_by), file.string());
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

/// Text that is no JSON at all.
struct NotJson : InputError {
  using InputError::InputError;
};

/// What the parser says, in words of users: the place, and what stands there or is missing.
std::string fault_of(std::string_view what) {
  std::string said = without_tag(what);
  const auto cut_before = [&](std::string_view front) {
    if (const size_t at = said.find(front); at != said.npos) said.erase(0, at + front.size());
  };
  cut_before("parse error at ");
  const size_t rule = said.find(": syntax error while parsing"),
               dash = said.find(" - ", std::min(rule, said.size()));
  if (dash != said.npos) said.replace(rule, dash + 3 - rule, ": ");
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"'[', '{', or a literal", "a value"},
      {"string literal", "text in double quotes"},
      {"number literal", "number"},
      {"invalid literal", "an unknown word"},
      {"last read:", "it ends"},
      {"end of input", "end of the text"}};
  for (const auto& [theirs, ours] : words)
    if (const size_t at = said.find(theirs); at != said.npos) said.replace(at, theirs.size(), ours);
  return said;
}

/// Looks through JSON text before it is read: nesting and counts that no scene has, keys said twice in one
/// object, numbers out of range. (The parser's own callback would search a list for each of its elements.)
class TextCheck : public nlohmann::json_sax<Json> {
 public:
  TextCheck(const std::string& text, const std::string& origin) : text_(text), origin_(origin) {}
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (!seen_.back().insert(name).second)
      throw InputError(origin_ + ": the key \"" + printable(name) +
                       "\" stands twice in one object; remove one of them");
    if (seen_.back().size() > most_keys)
      throw InputError(origin_ + ": more than " + std::to_string(most_keys) + " keys in one object");
    last_key_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    const std::string reason = fault_of(e.what());
    const std::string where = last_key_.empty() ? "" : "\"" + printable(last_key_) + "\": ";
    constexpr int number_overflow = 406;
    if (e.id == number_overflow)
      throw InputError(origin_ + ": not valid JSON: " + where + printable(reason, 120) +
                       "; numbers go up to 1.8e308");
    const std::string word = not_finite_word(position);
    if (!word.empty())
      throw NotJson(origin_ + ": not valid JSON: " + where + "is " + word + ", must be a finite number (" +
                    printable(reason, 200) + ")");
    throw NotJson(origin_ + ": not valid JSON: " + printable(reason, 300) +
                  "; look there for a comma, quote or bracket too many or too few");
  }

 private:
  bool enter() {
    seen_.emplace_back();
    if (seen_.size() <= deepest_nesting) return true;
    throw InputError(origin_ + ": nested deeper than " + std::to_string(deepest_nesting) + " levels");
  }
  bool leave() {
    seen_.pop_back();
    return true;
  }
  /// NaN or Infinity, however written, around a place in the text; else "".
  std::string not_finite_word(size_t position) const {
    const auto in_word = [&](size_t at) { return std::isalpha(static_cast<unsigned char>(text_[at])); };
    size_t begin = std::min(position > 0 ? position - 1 : 0, text_.size());
    if (begin < text_.size() && text_[begin] == '-') ++begin;
    while (begin > 0 && in_word(begin - 1)) --begin;
    size_t end = begin;
    while (end < text_.size() && end < begin + 9 && in_word(end)) ++end;
    const std::string word = text_.substr(begin, end - begin);
    std::string lower = word;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower == "nan" || lower == "inf" || lower == "infinity" ? word : "";
  }

  const std::string &text_, &origin_;
  std::string last_key_;
  std::vector<std::set<std::string>> seen_;  ///< keys of the objects around the place
};

Json parse_checked(const std::string& text, const std::string& origin, bool comments) {
  TextCheck check(text, origin);
  Json::sax_parse(text, &check, Json::input_format_t::json, true, comments);
  return Json::parse(text, nullptr, true, comments);
}

}  // namespace

Json parse_json(const std::string& text, const std::string& origin) {
  return parse_checked(text, origin, true);
}

Json read_json_with_bases(const fs::path& file) {
  std::vector<fs::path> chain;
  try {
    return read_with_bases(file, chain, "");
  } catch (const fs::filesystem_error& e) {
    throw InputError(file.string() + ": cannot look up " + e.path1().string() + " (" + e.code().message() +
                     "); check names and permissions");
  }
}

void apply_setting(Json& root, const std::string& setting) {
  const std::string where = "--set " + printable(setting) + ": ";
  const size_t equals = setting.find('=');
  if (equals == 0 || equals == std::string::npos) throw InputError(where + "must be path.to.key=VALUE");
  std::istringstream path(setting.substr(0, equals) + ".");
  std::vector<std::string> words;
  for (std::string word; std::getline(path, word, '.');) words.push_back(word);
  if (words.size() > deepest_nesting)
    throw InputError(where + "the path has " + std::to_string(words.size()) + " words, at most " +
                     std::to_string(deepest_nesting) + " are allowed");

  std::vector<Target> targets{{&root, nullptr}};
  std::string done;
  for (const std::string& word : words) {
    if (word.empty()) throw InputError(where + "must be path.to.key=VALUE, with a word between any two dots");
    std::vector<Target> next;
    for (const Target& target : targets) step_down(*target.value, word, where, done, next);
    targets = std::move(next);
    done += (done.empty() ? "" : ".") + printable(word);
  }
  const std::string text = setting.substr(equals + 1);
  Json parsed;
  try {
    parsed = parse_checked(text, where.substr(0, where.size() - 2), false);
  } catch (const NotJson&) {
    parsed = text;
  }
  if (is_file_key(words.back()) && parsed.is_string())
    parsed = fs::absolute(parsed.get<std::string>()).lexically_normal().string();
  for (const Target& target : targets) {
    if (parsed.is_null() && target.parent->is_array()) refuse_null_element(where + done + ": ");
    if (parsed.is_null() && target.parent->is_object())
      target.parent->erase(words.back());
    else
      *target.value = parsed;
  }
}

void fail_at(const std::string& path, const std::string& what) { throw InputError(path + ": " + what); }

std::string shown(const Json& value) {
  if (value.is_string()) return "\"" + printable(value.get_ref<const std::string&>()) + "\"";
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return std::to_string(value.get<double>());  // JSON has no word for it
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace merganser
