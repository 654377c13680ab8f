#pragma once
/// A scene as written -> a scene with every key present, checked against the table of keys.
#include "host/scene/json_reader.h"

namespace merganser {

/// All defaults filled in, keys in the table's order. Throws InputError that names the key path, the value
/// and what is allowed.
Json resolve_scene(const Json& scene);
/// What the table cannot say: names are unique, references lead somewhere, corners and times are in order,
/// bodies exist.
void check_scene_references(const Json& resolved);
/// "systems.water.bodies.beam": list elements by name where they have one, else by index.
std::string element_path(const std::string& list, size_t index, const Json& element);

}  // namespace merganser
