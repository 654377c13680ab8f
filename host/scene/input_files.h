#pragma once
/// Files that a scene names, and the scene files themselves: read whole, and recorded by size and checksum so
/// that a resumed run does not go on with others.
#include <cstdint>
#include <filesystem>
#include <string>

namespace merganser {

struct ParameterTable;

/// What a scene keeps of a file that it names.
struct InputFile {
  static const ParameterTable& table();
  std::string file;  ///< absolute path; in the scene.json of a run relative to it
  long long bytes = 0;
  std::uint32_t crc32 = 0;  ///< checksum() of the content
};

/// The whole file. Throws InputError that names it: there is none, it is no regular file (a FIFO, a device, a
/// folder) or cannot be read.
std::string read_input_file(const std::filesystem::path& file);
/// The file as it is now. Throws like read_input_file.
InputFile describe_input_file(const std::filesystem::path& file);
/// Holds the files as they are now against the record "inputFiles" in the scene.json of a run. Throws
/// InputError that names those that have changed or are missing. Returns a warning where the scene names
/// files but has no record (a run of an older version), else "".
std::string compare_input_files(const std::string& scene_text, const std::filesystem::path& scene);

}  // namespace merganser
