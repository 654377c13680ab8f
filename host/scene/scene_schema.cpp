/// The table of keys -> JSON Schema, draft 2020-12.
#include <nlohmann/json.hpp>

#include "host/scene/json_reader.h"
#include "host/scene/scene.h"
#include "host/scene/scene_keys.h"

namespace merganser {

namespace {

Json reference(const std::string& kind_or_family) { return {{"$ref", "#/$defs/" + kind_or_family}}; }

Json numbers(size_t count, double least, double most) {
  return {{"type", "array"},
          {"items", {{"type", "number"}, {"minimum", least}, {"maximum", most}}},
          {"minItems", count},
          {"maxItems", count}};
}

Json number(const SceneKey& key, const char* type) {
  Json schema{{"type", type}};
  if (key.range.low > -std::numeric_limits<double>::max())
    schema[key.range.above_low ? "exclusiveMinimum" : "minimum"] = key.range.low;
  if (key.range.high < std::numeric_limits<double>::max()) schema["maximum"] = key.range.high;
  return schema;
}

Json one_of_words(const std::string& words) { return {{"enum", split_words(words)}}; }

Json schema_of_value(const SceneKey& key) {
  const Json point =
      numbers(3, std::max(key.range.low, -largest_coordinate), std::min(key.range.high, largest_coordinate));
  switch (key.type) {
    case KeyType::number:
      return number(key, "number");
    case KeyType::integer:
      return number(key, "integer");
    case KeyType::boolean:
      return {{"type", "boolean"}};
    case KeyType::text:
      return {{"type", "string"}};
    case KeyType::file:
      return {{"type", "string"}, {"minLength", 1}};
    case KeyType::name:
      return {{"type", "string"}, {"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}};
    case KeyType::choice:
      return one_of_words(key.of);
    case KeyType::point:
    case KeyType::direction:
      return point;
    case KeyType::scale: {
      const Json positive{{"type", "number"}, {"exclusiveMinimum", 0}};
      return {
          {"anyOf", {positive, {{"type", "array"}, {"items", positive}, {"minItems", 3}, {"maxItems", 3}}}}};
    }
    case KeyType::corners:
      return {{"type", "array"}, {"items", point}, {"minItems", 2}, {"maxItems", 2}};
    case KeyType::group_limit: {
      const Json limits{{"type", "array"},
                        {"items", {{"type", "integer"}, {"minimum", 2}}},
                        {"minItems", 2},
                        {"maxItems", 2}};
      return {{"anyOf", Json::array({limits, one_of_words("unlimited")})}};
    }
    case KeyType::regions:
      return {{"anyOf",
               Json::array({one_of_words(key.of), Json{{"type", "array"}, {"items", reference("region")}}})}};
    case KeyType::object:
      return reference(key.of);
    case KeyType::free:
      return {{"type", "object"}};
    case KeyType::list:
      return {{"type", "array"}, {"items", reference(key.of)}};
  }
  return Json::object();
}

Json schema_of_key(const SceneKey& key) {
  Json schema = schema_of_value(key);
  const std::string fallback = key.fallback, unit = key.unit;
  std::string text = key.doc + (unit.empty() ? "" : " [" + unit + "]");
  if (!fallback.empty() && fallback[0] == '=') text += "; default " + fallback.substr(1);
  schema["description"] = text;
  if (!fallback.empty() && fallback[0] != '=' && fallback[0] != '?')
    schema["default"] = Json::parse(fallback);
  return schema;
}

Json schema_of_kind(const std::string& kind, const std::string& tag, const std::string& word) {
  Json properties = Json::object(), required = Json::array();
  if (!tag.empty()) {
    properties[tag] = {{"const", word}};
    required.push_back(tag);
  }
  for (const SceneKey* key : keys_of_kind(kind)) {
    properties[key->name] = schema_of_key(*key);
    if (key->fallback.empty()) required.push_back(key->name);
  }
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

/// The kind or family and everything that its keys lead to.
void define(const std::string& name, Json& definitions) {
  if (definitions.contains(name)) return;
  definitions[name] = nullptr;
  Json schema;
  std::vector<std::string> kinds{name};
  if (const KindFamily* family = find_family(name)) {
    kinds.clear();
    Json alternatives = Json::array();
    for (const std::string& word : split_words(family->words)) {
      kinds.push_back(name + "." + word);
      definitions[kinds.back()] = schema_of_kind(kinds.back(), family->tag, word);
      alternatives.push_back(reference(kinds.back()));
    }
    schema = {{"oneOf", alternatives}};
  } else {
    schema = schema_of_kind(name, "", "");
  }
  definitions[name] = schema;
  for (const std::string& kind : kinds)
    for (const SceneKey* key : keys_of_kind(kind)) {
      if (key->type == KeyType::object || key->type == KeyType::list) define(key->of, definitions);
      if (key->type == KeyType::regions) define("region", definitions);
    }
}

}  // namespace

std::string scene_schema() {
  Json definitions = Json::object();
  define("scene", definitions);
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "Merganser scene"},
              {"description",
               "SI units throughout. Comments are allowed. Relative paths are relative to the scene file."}};
  schema.update(definitions["scene"]);
  definitions.erase("scene");
  // A file with a base may leave anything out; what is missing is found when the two are merged.
  schema["properties"]["base"] = {{"type", "string"},
                                  {"description", "Base scene file; this file is merged over it (RFC 7386)"}};
  schema["properties"]["$schema"] = {{"type", "string"}, {"description", "Path of the schema, for editors"}};
  const Json required = schema["required"];
  schema.erase("required");
  schema["anyOf"] = Json::array({{{"required", {"base"}}}, {{"required", required}}});
  schema["$defs"] = definitions;
  return schema.dump(2) + "\n";
}

}  // namespace merganser
