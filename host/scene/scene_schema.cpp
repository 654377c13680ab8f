/// The table of keys -> JSON Schema, draft 2020-12.
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
