#pragma once
/// Everything a scene file may say: reading, defaults, error messages and the JSON Schema all come from the
/// tables that stand beside the structs (solvers/base/parameter_table.h); here they are put together.
#include <map>
#include <string>
#include <vector>

#include "host/scene/json_reader.h"
#include "solvers/base/parameter_table.h"

namespace merganser {

/// Coordinates and components beyond this are refused: 32-bit positions would not resolve a particle there.
constexpr double largest_coordinate = 1e6;
constexpr size_t longest_name = 100;

/// Kinds told apart by the word under `tag`: family "wall", tag "shape", kinds "wall.plane", "wall.box", ...
struct KindFamily {
  std::string tag;
  std::string words;  ///< separated by blanks
};
/// A kind of object.
struct ObjectKind {
  std::vector<Parameter> keys;                ///< in the order of the resolved scene; not the family's tag
  std::vector<const ParameterTable*> tables;  ///< that they come from, and whose rules hold
};
/// The JSON Schema's reference to a kind or family.
Json schema_reference(const std::string& kind_or_family);
/// The family of that name, or nullptr where the name is that of a single kind.
const KindFamily* find_family(const std::string& name);
const ObjectKind& find_kind(const std::string& name);
/// True for a key that names a file wherever it stands.
bool is_file_key(const std::string& name);

/// Writes the values of a resolved object into the struct that the table is made for.
void read_parameters(const Json& object, const ParameterTable& table, void* into);
/// Throws InputError where a rule of the table does not hold of a resolved object; `path` names it.
void expect_rules(const Json& object, const ParameterTable& table, const std::string& path);

/// True where the value is of the key's type and in its range. Lists and objects: the outermost level only.
bool is_allowed(const Parameter& key, const Json& value);
/// What a key may hold, for messages: "a number greater than 0 [m]".
std::string describe_allowed(const Parameter& key);
/// What a key may hold, as JSON Schema.
Json schema_of_value(const Parameter& key);
/// The default of a key that has one.
Json default_of(const Parameter& key);
bool is_name(const std::string& text);

/// "a b c" -> {"a", "b", "c"}
std::vector<std::string> split_words(const std::string& words);
/// ", did you mean 'x'?" where a candidate is near, and the list of candidates, cut where it is long.
std::string suggest(const std::string& given, const std::vector<std::string>& candidates);

}  // namespace merganser
