#include "tests/fuzz/json_changes.h"

namespace merganser::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using Path = Json::json_pointer;

void collect(const Json& value, const Path& here, std::vector<Path>& paths) {
  paths.push_back(here);
  if (value.is_object())
    for (const auto& [key, item] : value.items()) collect(item, here / key, paths);
  if (value.is_array())
    for (size_t i = 0; i < value.size(); ++i) collect(value[i], here / i, paths);
}

std::string repeated(const std::string& piece, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += piece;
  return text;
}

/// A text that stands in the JSON tree for one that JSON cannot hold, until it is written.
struct RawTexts {
  std::vector<std::string> texts;
  std::string stand_in(const std::string& raw) {
    texts.push_back(raw);
    return "@raw " + std::to_string(texts.size() - 1) + "@";
  }
  std::string put_into(std::string text) const {
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::string mark = "\"@raw " + std::to_string(i) + "@\"";
      for (size_t at = 0; (at = text.find(mark, at)) != text.npos; at += texts[i].size())
        text.replace(at, mark.size(), texts[i]);
    }
    return text;
  }
};

class Changer {
 public:
  Changer(Case& c, Json& scene) : c_(c), scene_(scene) {}

  void change() {
    std::vector<Path> paths;
    collect(scene_, Path(), paths);
    if (paths.size() < 2) return;
    const Path at = paths[1 + c_.draw.below(paths.size() - 1)];
    const Path other = paths[c_.draw.below(paths.size())];
    const Json before = scene_[at];
    switch (c_.draw.below(10)) {
      case 0:
        note("drop", at);
        drop(at);
        break;
      case 1:
        rename(at);
        break;
      case 2:
        note("copy " + other.to_string() + " to", at);
        scene_[at] = Json(scene_[other]);
        break;
      case 3:
        if (before.is_array()) return change_list(at);
        [[fallthrough]];
      case 4:
      case 5:
      case 6:
        if (before.is_number()) {
          scene_[at] = scaled(c_.draw, before);
          return note("scale to " + scene_[at].dump(), at);
        }
        [[fallthrough]];
      default: {
        const std::string raw = any_value(c_.draw);
        note("set " + shortened(raw), at);
        scene_[at] = raws.stand_in(raw);
      }
    }
  }
  RawTexts raws;

 private:
  void note(const std::string& what, const Path& at) { c_.note(what + " " + at.to_string()); }
  void drop(const Path& at) {
    Json& parent = scene_[at.parent_pointer()];
    if (parent.is_object())
      parent.erase(at.back());
    else
      parent.erase(std::stoul(at.back()));
  }
  void rename(const Path& at) {
    Json& parent = scene_[at.parent_pointer()];
    if (!parent.is_object()) return;
    std::vector<std::string> keys = {"x", "", "name", "type", "shape", "base", std::string(100000, 'k')};
    for (const auto& [key, ignored] : parent.items()) keys.push_back(key);  // then it stands there twice
    const std::string key = c_.draw.of(keys);
    note("rename to " + shortened(key), at);
    const Json value = parent[at.back()];
    parent.erase(at.back());
    parent[raws.stand_in(Json(key).dump())] = value;
  }
  void change_list(const Path& at) {
    Json& list = scene_[at];
    if (list.empty()) return;
    const Json item = list[c_.draw.below(list.size())];
    const size_t copies = c_.draw.one_in(8) ? 500 : 1;
    note("repeat an element " + std::to_string(copies) + " times in", at);
    for (size_t i = 0; i < copies; ++i) {
      list.push_back(item);
      if (copies > 1 && item.is_object() && item.contains("name"))
        list.back()["name"] = "copy" + std::to_string(i);
    }
  }

  Case& c_;
  Json& scene_;
};

}  // namespace

std::string any_value(Draw& draw) {
  static const std::vector<std::string> values = {"null",
                                                  "true",
                                                  "false",
                                                  "0",
                                                  "-0",
                                                  "-0.0",
                                                  "1",
                                                  "-1",
                                                  "2",
                                                  "3",
                                                  "0.5",
                                                  "1e-320",
                                                  "1e-30",
                                                  "1e-9",
                                                  "1e-3",
                                                  "1e3",
                                                  "1e6",
                                                  "1e9",
                                                  "1e19",
                                                  "1e30",
                                                  "1e38",
                                                  "1e39",
                                                  "1e300",
                                                  "1e308",
                                                  "-1e308",
                                                  "1e999",
                                                  "-1e999",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-2147483648",
                                                  "4294967295",
                                                  "4294967296",
                                                  "9223372036854775807",
                                                  "9223372036854775808",
                                                  "-9223372036854775808",
                                                  "18446744073709551616",
                                                  "NaN",
                                                  "nan",
                                                  "Infinity",
                                                  "-inf",
                                                  "0x10",
                                                  "1e",
                                                  "01",
                                                  "+1",
                                                  "\"\"",
                                                  "\"x\"",
                                                  "\"nan\"",
                                                  "\"none\"",
                                                  "\"all\"",
                                                  "\"1\"",
                                                  "\"a b\"",
                                                  "\"/\"",
                                                  "\"/dev/null\"",
                                                  "\"..\"",
                                                  "\"\\u0000\"",
                                                  "\"\\ud800\"",
                                                  "\"\\n\\u001b[31m\"",
                                                  "\"\xff\xfe\"",
                                                  "\"\xc3\xa4\xe2\x82\xac\"",
                                                  "[]",
                                                  "[[]]",
                                                  "{}",
                                                  "[null]",
                                                  "[1]",
                                                  "[1,2]",
                                                  "[0,0,0]",
                                                  "[1,0,0]",
                                                  "[0,0,1]",
                                                  "[1,2,3]",
                                                  "[1e308,1e308,1e308]",
                                                  "[-1e308,0,1e308]",
                                                  "[1e-300,0,0]",
                                                  "[1e9,0,0]",
                                                  "[1,2,3,4]",
                                                  "[[0,0,0],[1,1,1]]",
                                                  "[\"a\"]",
                                                  "{\"name\":3}",
                                                  "[{}]",
                                                  "[{\"box\":1}]",
                                                  "[{\"box\":[[0,0,0],[1,1,1]]}]",
                                                  "\"",
                                                  "{",
                                                  "]",
                                                  ",",
                                                  "/*"};
  switch (draw.below(30)) {
    case 0:
      return repeated("[", 100000);
    case 1:
      return repeated("[", 50) + repeated("]", 50);
    case 2:
      return repeated("{\"a\":", 3000) + "1" + repeated("}", 3000);
    case 3:
      return "\"" + std::string(200000, 'x') + "\"";
    case 4:
      return std::string(5000, '9');
    case 5:
      return "[1" + repeated(",1", 100000) + "]";
    default:
      return draw.of(values);
  }
}

Json scaled(Draw& draw, const Json& number) {
  const std::vector<double> factors = {-1, 0, 0.5, 0.9, 1.1, 2, 3, 10, 0.1, 100, 0.01, 1e4, 1e-4, 1e9, 1e-9};
  const double factor = draw.of(factors);
  if (number.is_number_integer() && draw.one_in(2))
    return static_cast<long long>(number.get<double>() * factor) + static_cast<long long>(draw.below(3)) - 1;
  return number.get<double>() * factor;
}

std::string changed_scene(Case& c, nlohmann::ordered_json scene) {
  Changer changer(c, scene);
  for (size_t k = 0, changes = 1 + c.draw.below(4); k < changes; ++k) changer.change();
  return changer.raws.put_into(scene.dump(1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace merganser::fuzz
