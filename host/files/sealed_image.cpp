#include "host/files/sealed_image.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "device/errors.h"
#include "host/files/atomic_file.h"

namespace merganser {
namespace {

constexpr size_t front_size = 512;  // the least user block that HDF5 allows
constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

}  // namespace

std::string seal_of(const std::string& kind, int format, std::string_view image) {
  std::string front =
      fmt::format("merganser {} {}\nlength {}\ncrc32 {:08x}\n", kind, format, image.size(), checksum(image));
  front.resize(front_size, '\n');
  return front;
}

std::vector<char> sealed(const std::string& kind, int format, const std::vector<char>& image) {
  const std::string front = seal_of(kind, format, {image.data(), image.size()});
  std::vector<char> file(front.begin(), front.end());
  file.insert(file.end(), image.begin(), image.end());
  return file;
}

SealedImage open_sealed(std::string_view file) {
  if (file.size() <= front_size) throw FileError("it is too short");
  const std::string front(file.substr(0, front_size));
  SealedImage sealed;
  sealed.image = file.substr(front_size);
  char kind[16] = "";
  size_t length = 0;
  unsigned crc = 0;
  if (std::sscanf(front.c_str(), "merganser %15s %d length %zu crc32 %x", kind, &sealed.format, &length,
                  &crc) != 4)
    throw FileError("its header is not one of merganser's");
  if (sealed.image.size() != length)
    throw FileError(fmt::format("{} of {} bytes are there", sealed.image.size(), length));
  sealed.kind = kind;
  if (front != seal_of(kind, sealed.format, sealed.image)) throw FileError("its checksum is wrong");
  return sealed;
}

bool has_whole_length(const std::filesystem::path& path) {
  std::string front(front_size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(front.data(), static_cast<std::streamsize>(front_size));
  front.resize(static_cast<size_t>(file.gcount()));
  if (is_unsealed(front)) return true;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  size_t length = 0;
  return !error && front.size() == front_size &&
         std::sscanf(front.c_str(), "merganser %*s %*d length %zu", &length) == 1 &&
         size == front_size + length;
}

bool is_unsealed(std::string_view file) { return file.starts_with(hdf5_signature); }

}  // namespace merganser
