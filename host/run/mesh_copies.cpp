#include "host/run/mesh_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/files/atomic_file.h"
#include "host/scene/input_files.h"

namespace merganser {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t checksum_digits = 8;

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// File name for every file system: letters, digits and some signs, the last hundred of them.
std::string plain_name(std::string name) {
  constexpr size_t longest = 100;
  if (name.size() > longest) name.erase(0, name.size() - longest);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' && c != '_') c = '_';
  return name;
}

/// The files of a resolved scene.
Json files_of(const Json& scene) { return scene.value("inputFiles", Json::array()); }

/// Names of the copies, by the paths of the files.
std::map<std::string, std::string> copy_names(const Json& scene, const RunFolder& folder) {
  std::map<std::string, std::string> names;
  std::error_code none;
  for (const Json& record : files_of(scene)) {
    const fs::path file = record["file"].get<std::string>();
    const std::string name = file.filename().string();
    const bool is_copy = is_mesh_copy(name) && fs::equivalent(file.parent_path(), folder.meshes(), none);
    names[file.string()] =
        is_copy ? name : fmt::format("{:08x}_{}", record["crc32"].get<std::uint32_t>(), plain_name(name));
  }
  return names;
}

/// Replaces every text that is the path of a file by the text that it has in `others`.
void replace_files(Json& value, const std::map<std::string, std::string>& others) {
  for (auto& item : value) {
    if (item.is_structured()) {
      replace_files(item, others);
    } else if (item.is_string()) {
      const auto found = others.find(item.get<std::string>());
      if (found != others.end()) item = found->second;
    }
  }
}

}  // namespace

bool is_mesh_copy(std::string_view name) {
  return name.size() > checksum_digits + 1 && name[checksum_digits] == '_' &&
         std::all_of(name.begin(), name.begin() + checksum_digits, is_hex_digit);
}

std::string scene_text_of_run(const Scene& scene, const RunFolder& folder) {
  Json json = Json::parse(scene.resolved_json);
  if (files_of(json).empty()) return scene.resolved_json;
  auto names = copy_names(json, folder);
  for (auto& [file, name] : names) name = (folder.meshes().filename() / name).string();
  replace_files(json, names);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

MeshCopies::MeshCopies(const Scene& scene, const RunFolder& folder) {
  const Json json = Json::parse(scene.resolved_json);
  const auto names = copy_names(json, folder);
  for (const Json& record : files_of(json)) {
    const std::string file = record["file"];
    std::string bytes = read_input_file(file);
    if (checksum(bytes) != record["crc32"].get<std::uint32_t>())
      throw InputError("'" + file + "' has changed since the scene was read; start again");
    copies_.push_back({folder.meshes() / names.at(file), std::move(bytes)});
  }
}

void MeshCopies::write(const InPlace& in_place) const {
  in_place();
  for (const auto& [to, bytes] : copies_) {
    create_folder(to.parent_path());
    write_file_atomically(to, {bytes});
  }
}

std::string scene_by_content(const Scene& scene) {
  Json json = Json::parse(scene.resolved_json);
  std::map<std::string, std::string> contents;
  for (const Json& record : files_of(json))
    contents[record["file"]] = fmt::format("{} bytes, CRC-32 {:08x}", record["bytes"].get<long long>(),
                                           record["crc32"].get<std::uint32_t>());
  json.erase("inputFiles");
  replace_files(json, contents);
  return json.dump();
}

}  // namespace merganser
