#pragma once
/// Wrong scenes: a scene changed in places that its structure offers.
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/fuzz.h"

namespace merganser::fuzz {

/// The scene as text after one to four changes: a value dropped, doubled, renamed, moved, of another type, or
/// one that JSON does not know (NaN, 1e999, bytes that are not UTF-8, depth). Notes what it did.
std::string changed_scene(Case& c, nlohmann::ordered_json scene);

/// A value as somebody might write it into a scene or behind --set KEY=; not always JSON.
std::string any_value(Draw& draw);

/// Near a number that stands in a scene, so that more than the first check is reached.
nlohmann::ordered_json scaled(Draw& draw, const nlohmann::ordered_json& number);

}  // namespace merganser::fuzz
