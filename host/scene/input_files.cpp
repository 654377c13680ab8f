#include "host/scene/input_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/files/atomic_file.h"

namespace merganser {
namespace {

/// Change of a file since it was recorded; "" = none. `folder`: of the scene that names it.
std::string change_of(InputFile then, const std::filesystem::path& folder) {
  std::error_code none;
  then.file = (folder / then.file).string();
  if (!std::filesystem::exists(then.file, none)) return fmt::format("'{}' is missing", then.file);
  const InputFile now = describe_input_file(then.file);
  if (now.bytes != then.bytes)
    return fmt::format("'{}' has changed (it had {} bytes, now {})", then.file, then.bytes, now.bytes);
  return now.crc32 != then.crc32 ? fmt::format("'{}' has changed (its content is another)", then.file) : "";
}

}  // namespace

std::string read_input_file(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::exists(std::filesystem::status(file, none)) && none != std::errc::permission_denied)
    throw InputError("no such file: " + file.string());
  try {
    const std::vector<char> content = read_file(file);
    return {content.begin(), content.end()};
  } catch (const FileError& error) {
    const std::string said = error.what();  // its remedy is one for files of a run
    throw InputError(said.substr(0, said.rfind(';')) + "; name another file or check its permissions");
  }
}

InputFile describe_input_file(const std::filesystem::path& file) {
  const std::string content = read_input_file(file);
  return {file.string(), static_cast<long long>(content.size()), checksum(content)};
}

std::string compare_input_files(const std::string& scene_text, const std::filesystem::path& scene) {
  const auto parsed = nlohmann::json::parse(scene_text, nullptr, false, true);
  if (!parsed.is_object()) return "";  // the reader says what is wrong
  if (!parsed.contains("inputFiles"))
    return scene_text.find("\"geometryFile\"") == scene_text.npos
               ? ""
               : fmt::format(
                     "'{}' has no record of the files that it names; whether they have changed since "
                     "the run began is not known",
                     scene.string());
  std::string changes;
  try {
    for (const auto& record : parsed["inputFiles"]) {
      const std::string change =
          change_of({record.at("file"), record.at("bytes"), record.at("crc32")}, scene.parent_path());
      if (!change.empty()) changes += (changes.empty() ? "" : ", ") + change;
    }
  } catch (const nlohmann::json::exception&) {
    throw InputError("--resume: 'inputFiles' in '" + scene.string() +
                     "' is damaged; start again with --overwrite or -o DIR");
  }
  if (!changes.empty())
    throw InputError(
        fmt::format("--resume: {} since the run in '{}' began; restore what it was, or start again "
                    "with --overwrite or -o DIR",
                    changes, scene.parent_path().string()));
  return "";
}

}  // namespace merganser
