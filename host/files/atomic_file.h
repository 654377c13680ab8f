#pragma once
/// Files that are either there as a whole or not at all.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace merganser {

/// Name under which a file is written before it is renamed; a kill may leave it.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// Replaces `path` by the concatenated pieces: temporary name, fsync, rename, fsync of the directory. A kill
/// or a full disk at any moment leaves the old file. Throws FileError with the file, the cause and the
/// remedy, also where `path` is no regular file or its temporary name is taken: neither is ours to replace.
/// `in_place` throws where the folder of `path` is another one by now. It is called once that folder is
/// opened; all that follows goes into the opened folder, whatever its name becomes.
using InPlace = std::function<void()>;
void write_file_atomically(const std::filesystem::path& path, std::initializer_list<std::string_view> pieces,
                           const InPlace& in_place = {});

/// The whole file. Throws FileError, also where it is no regular file (a FIFO, a device, a folder).
std::vector<char> read_file(const std::filesystem::path& path);

/// Creates the folder and its parents. Throws FileError.
void create_folder(const std::filesystem::path& path);

/// What a folder holds, by name; nothing where there is none. Throws FileError where it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Deletes the temporary files that a killed run has left in a folder: those of names that are `own`, no
/// others.
void remove_temporary_files(const std::filesystem::path& folder, bool (*own)(std::string_view name));
/// True for a temporary name of a name that is `own`.
bool is_temporary_of(std::string_view name, bool (*own)(std::string_view name));

/// "a folder", "a FIFO", ...: what stands under a name, links not followed; empty for a regular file or
/// nothing.
std::string other_than_file(const std::filesystem::path& path);

/// Throws a FileError "cannot <action> '<path>': <cause>; <remedy>" for an errno value.
[[noreturn]] void throw_file_error(const std::string& action, const std::filesystem::path& path,
                                   int error_number);

/// CRC-32 (zlib) of some bytes.
std::uint32_t checksum(std::string_view bytes);

}  // namespace merganser
