#pragma once
/// JSON text -> values: comments, bases, overrides. Knows key paths but not what the keys mean.
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/text_encoding.h"

namespace merganser {

using Json = nlohmann::ordered_json;

/// Reads a JSON file with comments. Under the key "base" it may name another file, relative to itself; that
/// one is read first and this file is merged over it (RFC 7386: objects merge, everything else replaces, null
/// deletes). Strings under keys that name files become absolute paths, relative to the file that says them.
/// Throws InputError: no such file, no regular file, not JSON, nested too deep, keys twice, too many bases or
/// bases in a circle.
Json read_json_with_bases(const std::filesystem::path& file);
/// The same for text that is already there (no base); `origin` is its name in messages.
Json parse_json(const std::string& text, const std::string& origin);
/// Applies "path.to.key=VALUE": VALUE is JSON or else a bare string; elements of lists by index or by the
/// string under their "name"; a word with * names all elements whose name matches it, * alone every element;
/// null takes a key of an object away. Missing objects on the way are made. Throws InputError where the path
/// leads through something else, or a word names no element.
void apply_setting(Json& root, const std::string& setting);
/// Throws InputError "path: what".
[[noreturn]] void fail_at(const std::string& path, const std::string& what);
/// A value for messages: JSON, as `printable` shows it.
std::string shown(const Json& value);

}  // namespace merganser
