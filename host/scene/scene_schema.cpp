/// The table of keys -> JSON Schema, draft 2020-12.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/scene/json_reader.h"
#include "host/scene/scene.h"
#include "host/scene/scene_keys.h"

namespace merganser {

namespace {

Json schema_of_key(const Parameter& key) {
  Json schema = schema_of_value(key);
  std::string text = key.meaning + (key.unit.empty() ? "" : " [" + key.unit + "]");
  if (key.rule.size() > 1) text += "; default " + key.rule;
  schema["description"] = text;
  if (!key.unit.empty()) schema["unit"] = key.unit;  // for pages; editors show the description
  if (key.fallback) schema["default"] = default_of(key);
  return schema;
}

Json schema_of_kind(const std::string& kind, const std::string& tag, const std::string& word) {
  Json properties = Json::object(), required = Json::array();
  if (!tag.empty()) {
    properties[tag] = {{"const", word}};
    required.push_back(tag);
  }
  for (const Parameter& key : find_kind(kind).keys) {
    properties[key.key] = schema_of_key(key);
    if (!key.fallback && key.rule.empty()) required.push_back(key.key);
  }
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

/// Where a base holds the rest: a key may also be null, which deletes it; an object over a list changes the
/// elements that it names (host/scene/json_reader.h).
Json partial_key(const Json& of_whole, const Parameter& key) {
  Json alternatives = Json::array({of_whole});
  if (key.type == ParameterType::object) alternatives[0] = schema_reference("partial." + key.words);
  if (key.type == ParameterType::list || key.type == ParameterType::regions) {
    const std::string of = key.type == ParameterType::list ? key.words : "region";
    alternatives.push_back({{"type", "object"}, {"additionalProperties", schema_reference("partial." + of)}});
  }
  alternatives.push_back({{"type", "null"}});
  return {{"anyOf", alternatives}};
}

/// The kinds as one object without required keys, for files with a base. Such a file may give the tag another
/// word, so the keys of all kinds are allowed.
Json schema_of_partial(const std::vector<std::string>& kinds, const KindFamily* family) {
  Json properties = Json::object();
  if (family) properties[family->tag] = {{"enum", split_words(family->words)}};
  for (const std::string& kind : kinds)
    for (const Parameter& key : find_kind(kind).keys) {
      const Json one = partial_key({{"$ref", "#/$defs/" + kind + "/properties/" + key.key}}, key);
      Json& all = properties[key.key]["anyOf"];
      for (const Json& alternative : one["anyOf"])
        if (std::find(all.begin(), all.end(), alternative) == all.end()) all.push_back(alternative);
    }
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
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
      alternatives.push_back(schema_reference(kinds.back()));
    }
    schema = {{"oneOf", alternatives}};
  } else {
    schema = schema_of_kind(name, "", "");
  }
  definitions[name] = schema;
  definitions["partial." + name] = schema_of_partial(kinds, find_family(name));
  for (const std::string& kind : kinds)
    for (const Parameter& key : find_kind(kind).keys) {
      if (key.type == ParameterType::object || key.type == ParameterType::list)
        define(key.words, definitions);
      if (key.type == ParameterType::regions) define("region", definitions);
    }
}

}  // namespace

std::string scene_schema() {
  Json definitions = Json::object();
  define("scene", definitions);
  const Json base{{"type", "string"},
                  {"description", "Base scene file; this file is merged over it (RFC 7396)"}};
  const Json path{{"type", "string"}, {"description", "Path of the schema, for editors"}};
  definitions["partial.scene"]["properties"]["base"] = base;
  for (const char* whole_or_partial : {"scene", "partial.scene"})
    definitions[whole_or_partial]["properties"]["$schema"] = path;
  const Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "Merganser scene"},
      {"description",
       "SI units throughout. Comments are allowed. Relative paths are relative to the scene file."},
      {"if", {{"required", Json::array({"base"})}}},
      {"then", schema_reference("partial.scene")},
      {"else", schema_reference("scene")},
      {"$defs", definitions}};
  return schema.dump(2) + "\n";
}

}  // namespace merganser
