#pragma once
/// HDF5 files with a checksum: 512 bytes of text, then the HDF5 image. HDF5 calls such a front a user block;
/// every program that opens HDF5 files skips it.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace merganser {

/// The front "merganser KIND FORMAT" with length and CRC-32 (zlib) of the image. `format` counts layouts.
std::string seal_of(const std::string& kind, int format, std::string_view image);
/// Front and image in one.
std::vector<char> sealed(const std::string& kind, int format, const std::vector<char>& image);

struct SealedImage {
  std::string kind;  ///< "checkpoint", "frame", "surface" or "skins"
  int format = 0;
  std::string_view image;  ///< of the bytes that were given
};
/// Takes a file apart and verifies it. Throws FileError with what is wrong, without the file's name: too
/// short, another front, another length, another checksum.
SealedImage open_sealed(std::string_view file);
/// True where the image begins at once: frames were written so before they had a checksum.
bool is_unsealed(std::string_view file);
/// True where the front of a file fits its length, or it has none (is_unsealed). The rest is not read, and no
/// error is thrown.
bool has_whole_length(const std::filesystem::path& file);

}  // namespace merganser
