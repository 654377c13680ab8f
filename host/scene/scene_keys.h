#pragma once
/// Everything a scene file may say: reading, defaults, error messages and the JSON Schema all come from it.
/// Keys of the methods, of coupling, walls and emitters stand beside their structs (solvers/core/
/// parameter_table.h), the others in scene_key_table.cpp.
#include <string>
#include <vector>

#include "host/scene/json_reader.h"
#include "solvers/base/parameter_table.h"

namespace merganser {

enum class KeyType {
  number,
  integer,
  boolean,
  text,
  name,         ///< at most 100 letters, digits, _ and -; begins with a letter: can be used in key paths
  point,        ///< three numbers
  direction,    ///< three numbers, not all zero
  scale,        ///< one positive number or three
  choice,       ///< one of the words in `of`
  file,         ///< path of an existing file, relative to the scene file that says it
  corners,      ///< [low, high], two points, low <= high on every axis
  group_limit,  ///< [least, greatest] or "unlimited"
  regions,      ///< one of the words in `of` or a list of {"box": [low, high]}
  object,       ///< an object of the kind in `of`
  list,         ///< a list of objects of the kind or family in `of`
  free,         ///< any object; not looked into
};

/// One key of one or more kinds of object.
struct SceneKey {
  std::string owner;  ///< kinds that have it, separated by blanks; "fluidBody.*" is a whole family
  std::string name;
  KeyType type;
  std::string unit;
  std::string
      fallback;  ///< JSON text; "" = required; "?" = may be missing; "=2*key" = a multiple of another key
  std::string of = "";  ///< choice, regions: words; object, list: kind or family
  Range range = {};
  std::string doc = "";
};

/// A family of kinds told apart by the word under `tag`: family "wall", tag "shape", kinds "wall.plane",
/// "wall.box", ...
struct KindFamily {
  std::string name;
  std::string tag;
  std::string words;
};

/// Coordinates and components beyond this are refused: 32-bit positions would not resolve a particle there.
constexpr double largest_coordinate = 1e6;
constexpr size_t longest_name = 100;

const std::vector<SceneKey>& scene_keys();
/// Writes the values of a resolved object into the struct that the table is made for.
void read_parameters(const Json& object, const ParameterTable& table, void* into);
/// The family of that name, or nullptr where the name is that of a single kind.
const KindFamily* find_family(const std::string& name);
/// Keys of one kind, in the order of the table. The family's tag is not among them.
const std::vector<const SceneKey*>& keys_of_kind(const std::string& kind);
/// True for a key that names a file wherever it stands.
bool is_file_key(const std::string& name);
/// "a b c" -> {"a", "b", "c"}
std::vector<std::string> split_words(const std::string& words);
/// What a key may hold, for messages: "a number greater than 0 [m]".
std::string describe_allowed(const SceneKey& key);
/// ", did you mean 'x'?" where a candidate is near, and the list of candidates, cut where it is long.
std::string suggest(const std::string& given, const std::vector<std::string>& candidates);

}  // namespace merganser
