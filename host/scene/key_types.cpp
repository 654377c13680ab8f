/// Values that each type of key may hold: for messages, as a check, in the JSON Schema, and as it is handed
/// to a member.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/scene/scene_bodies.h"
#include "host/scene/scene_keys.h"

namespace merganser {

Json schema_reference(const std::string& kind_or_family) { return {{"$ref", "#/$defs/" + kind_or_family}}; }

namespace {

bool is_numbers(const Json& value, size_t count) {
  if (!value.is_array() || value.size() != count) return false;
  for (const Json& item : value)
    if (!item.is_number()) return false;
  return true;
}

/// 1e6 -> "1e6"
std::string power_text(double value) {
  std::string text = fmt::format("{:g}", value);
  for (const std::string_view sign : {"+0", "+"})
    if (const size_t at = text.find(sign); at != text.npos) text.erase(at, sign.size());
  return text;
}

/// Of coordinates of a point: its own where it has one, else that of all points.
Range range_of_point(const Parameter& key) {
  if (key.range.high < largest_number) return key.range;
  return {std::max(key.range.low, -largest_coordinate), largest_coordinate};
}

bool is_point(const Json& value, const Range& range = {-largest_coordinate, largest_coordinate}) {
  if (!is_numbers(value, 3)) return false;
  for (const Json& item : value)
    if (!range.holds(item.get<double>())) return false;
  return true;
}

bool has_word(const Parameter& key, const Json& value) {
  if (!value.is_string()) return false;
  const std::string words = " " + key.words + " ", word = value.get<std::string>();
  return !word.empty() && word.find(' ') == std::string::npos && words.find(" " + word + " ") != words.npos;
}

bool is_in_range(const Parameter& key, const Json& value) {
  return value.is_number() && key.range.holds(value.get<double>());
}

bool is_string(const Parameter&, const Json& value) { return value.is_string(); }
bool is_object(const Parameter&, const Json& value) { return value.is_object(); }

bool any_but_zero(const Json& point) { return point[0] != 0 || point[1] != 0 || point[2] != 0; }
bool is_edge(const Parameter&, const Json& value) { return is_point(value) && any_but_zero(value); }
/// Of any length.
bool is_direction(const Parameter&, const Json& value) {
  return is_point(value, Range{}) && any_but_zero(value);
}

bool is_corners(const Parameter&, const Json& value) {
  if (!value.is_array() || value.size() != 2 || !is_point(value[0]) || !is_point(value[1])) return false;
  return value[0][0] <= value[1][0] && value[0][1] <= value[1][1] && value[0][2] <= value[1][2];
}

bool is_names(const Parameter&, const Json& value) {
  if (!value.is_array()) return false;
  for (const Json& item : value)
    if (!item.is_string() || !is_name(item.get<std::string>())) return false;
  return true;
}

bool is_limits(const Parameter&, const Json& value) {
  if (value == "unlimited") return true;
  if (!is_numbers(value, 2) || !value[0].is_number_integer() || !value[1].is_number_integer()) return false;
  const double least = value[0], greatest = value[1];
  return least >= 2 && least <= greatest && greatest <= 1e9;
}

std::string quoted_words(const Parameter& key) {
  std::string text;
  for (const std::string& word : split_words(key.words)) text += (text.empty() ? "\"" : ", \"") + word + "\"";
  return text;
}

Json one_of_words(const std::string& words) { return {{"enum", split_words(words)}}; }

Json list_schema(const Json& items, size_t count) {
  return {{"type", "array"}, {"items", items}, {"minItems", count}, {"maxItems", count}};
}

Json numbers_schema(const Range& range) {
  return list_schema({{"type", "number"}, {"minimum", range.low}, {"maximum", range.high}}, 3);
}
Json point_schema(const Parameter& key) { return numbers_schema(range_of_point(key)); }

Json number_schema(const Parameter& key) {
  Json schema{{"type", key.type == ParameterType::integer ? "integer" : "number"}};
  schema[key.range.above_low ? "exclusiveMinimum" : "minimum"] = key.range.low;
  schema["maximum"] = key.range.high;
  return schema;
}

ParameterValue number_value(const Json& value) { return value.get<double>(); }
ParameterValue text_value(const Json& value) { return value.get<std::string>(); }
ParameterValue point_value(const Json& value) { return point_of(value); }
Json name_schema(const Parameter&) { return {{"type", "string"}, {"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}}; }

ParameterValue direction_value(const Json& value) {
  Point3 point = point_of(value);
  const double largest = std::max({std::abs(point[0]), std::abs(point[1]), std::abs(point[2])});
  for (double& x : point) x /= largest;  // no length overflows, or has few digits
  const double length = std::hypot(point[0], point[1], point[2]);
  for (double& x : point) x /= length;
  return point;
}

struct TypeRules {
  std::string (*text)(const Parameter& key);
  bool (*holds)(const Parameter& key, const Json& value);
  Json (*schema)(const Parameter& key);
  ParameterValue (*value)(const Json& value);  ///< nullptr: nothing but what is in it
};
using Key = const Parameter&;
using Value = const Json&;

const TypeRules& rules_of(ParameterType type) {
  using enum ParameterType;
  static const std::map<ParameterType, TypeRules> rules = {
      {number,
       {[](Key key) { return "a number" + describe(key.range); }, is_in_range, number_schema, number_value}},
      {integer,
       {[](Key key) { return "a whole number" + describe(key.range); },
        [](Key key, Value value) {
          return is_in_range(key, value) && value.get<double>() == std::floor(value.get<double>());
        },
        number_schema, number_value}},
      {boolean,
       {[](Key) -> std::string { return "true or false"; },
        [](Key, Value value) { return value.is_boolean(); },
        [](Key) -> Json {
          return {{"type", "boolean"}};
        },
        [](Value value) -> ParameterValue { return value.get<bool>(); }}},
      {text,
       {[](Key) -> std::string { return "a string"; }, is_string,
        [](Key) -> Json {
          return {{"type", "string"}};
        },
        text_value}},
      {name,
       {[](Key) {
          return "a name of letters, digits, _ and -, beginning with a letter, at most " +
                 std::to_string(longest_name) + " long";
        },
        [](Key, Value value) { return value.is_string() && is_name(value.get<std::string>()); }, name_schema,
        text_value}},
      {names,
       {[](Key) -> std::string { return "a list [...] of names"; }, is_names,
        [](Key key) -> Json {
          return {{"type", "array"}, {"items", name_schema(key)}};
        },
        [](Value value) -> ParameterValue { return value.get<std::vector<std::string>>(); }}},
      {point,
       {[](Key key) -> std::string {
          const Range range = range_of_point(key);
          return "three numbers [x, y, z] from " + power_text(range.low) + " to " + power_text(range.high);
        },
        [](Key key, Value value) { return is_point(value, range_of_point(key)); }, point_schema,
        point_value}},
      {direction,
       {[](Key) -> std::string { return "three numbers [x, y, z] from -1e30 to 1e30, not all zero"; },
        is_direction, [](Key) { return numbers_schema(Range{}); }, direction_value}},
      {edge,
       {[](Key) -> std::string { return "three numbers [x, y, z] from -1e6 to 1e6, not all zero"; }, is_edge,
        point_schema, point_value}},
      {scale,
       {[](Key) -> std::string { return "a positive number or three of them"; },
        [](Key, Value value) {
          const auto holds = [](const Json& factor) { return above(0).holds(factor.get<double>()); };
          if (value.is_number()) return holds(value);
          return is_numbers(value, 3) && holds(value[0]) && holds(value[1]) && holds(value[2]);
        },
        [](Key) -> Json {
          const Json positive{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", largest_number}};
          return {{"anyOf", {positive, list_schema(positive, 3)}}};
        },
        point_value}},
      {corners,
       {[](Key) -> std::string { return "two points [low, high], low at most high on every axis"; },
        is_corners, [](Key key) { return list_schema(point_schema(key), 2); },
        [](Value value) -> ParameterValue {
          return std::array{point_of(value[0]), point_of(value[1])};
        }}},
      {choice,
       {[](Key key) { return "one of " + quoted_words(key); }, has_word,
        [](Key key) { return one_of_words(key.words); }, text_value}},
      {file,
       {[](Key) -> std::string { return "the path of a file, absolute or relative to the scene file"; },
        [](Key, Value value) { return value.is_string() && !value.get_ref<const std::string&>().empty(); },
        [](Key) -> Json {
          return {{"type", "string"}, {"minLength", 1}};
        },
        text_value}},
      {regions,
       {[](Key key) { return "one of " + quoted_words(key) + ", or a list of {\"box\": [low, high]}"; },
        [](Key key, Value value) { return value.is_array() || has_word(key, value); },
        [](Key key) -> Json {
          return {{"anyOf", Json::array({one_of_words(key.words),
                                         Json{{"type", "array"}, {"items", schema_reference("region")}}})}};
        },
        text_value}},
      {limits,
       {[](Key) -> std::string {
          return "[least, greatest], whole numbers with 2 <= least <= greatest, or \"unlimited\"";
        },
        is_limits,
        [](Key) -> Json {
          return {{"anyOf", Json::array({list_schema({{"type", "integer"}, {"minimum", 2}}, 2),
                                         one_of_words("unlimited")})}};
        },
        [](Value value) -> ParameterValue {
          if (value.is_string()) return value.get<std::string>();
          return std::array{value[0].get<double>(), value[1].get<double>()};
        }}},
      {object,
       {[](Key) -> std::string { return "an object {...}"; }, is_object,
        [](Key key) { return schema_reference(key.words); }, nullptr}},
      {list,
       {[](Key) -> std::string { return "a list [...] of objects"; },
        [](Key, Value value) { return value.is_array(); },
        [](Key key) -> Json {
          return {{"type", "array"}, {"items", schema_reference(key.words)}};
        },
        nullptr}},
      {free,
       {[](Key) -> std::string { return "an object {...}"; }, is_object,
        [](Key) -> Json {
          return {{"type", "object"}};
        },
        nullptr}}};
  return rules.at(type);
}

Json json_of(double number) {
  const bool whole = number == std::floor(number) && std::abs(number) < 1e15;
  return whole ? Json(static_cast<long long>(number)) : Json(number);
}

}  // namespace

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.size() > longest_name || !letter(text[0])) return false;
  for (char c : text)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  return true;
}

bool is_allowed(const Parameter& key, const Json& value) { return rules_of(key.type).holds(key, value); }
Json schema_of_value(const Parameter& key) { return rules_of(key.type).schema(key); }
std::string describe_allowed(const Parameter& key) {
  return rules_of(key.type).text(key) + (key.unit.empty() ? "" : " [" + key.unit + "]");
}

Json default_of(const Parameter& key) {
  if (key.type == ParameterType::list) return Json::array();
  if (key.type == ParameterType::object || key.type == ParameterType::free) return Json::object();
  if (const double* number = std::get_if<double>(&*key.fallback)) return json_of(*number);
  if (const bool* flag = std::get_if<bool>(&*key.fallback)) return *flag;
  if (const std::string* text = std::get_if<std::string>(&*key.fallback)) return *text;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&*key.fallback)) return *texts;
  Json numbers = Json::array();
  if (const Point3* point = std::get_if<Point3>(&*key.fallback))
    for (double x : *point) numbers.push_back(json_of(x));
  else
    for (double x : std::get<std::array<double, 2>>(*key.fallback)) numbers.push_back(json_of(x));
  return numbers;
}

void read_parameters(const Json& object, const ParameterTable& table, void* into) {
  for (const Parameter& row : table.rows) {
    const auto found = object.find(row.key);
    if (found == object.end()) continue;  // it may be missing
    if (row.append && found->is_array())
      for (const Json& element : *found) read_parameters(element, *row.element, row.append(into));
    else if (row.append && found->is_object())
      read_parameters(*found, *row.element, row.append(into));
    else if (row.set)
      row.set(into, rules_of(row.type).value(*found));
  }
}

}  // namespace merganser
