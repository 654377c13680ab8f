#include "host/hdf5_faults.h"

#include <algorithm>
#include <cstring>

#include "device/errors.h"

namespace merganser {
namespace {

constexpr std::uint64_t no_free_place = 1;  // ends the list of free places

/// A number of the file, little-endian; 0 beyond the end.
template <class T>
T number_at(std::string_view image, std::uint64_t at) {
  T value = 0;
  if (at < image.size() && image.size() - at >= sizeof(T)) std::memcpy(&value, image.data() + at, sizeof(T));
  return value;
}

void check_local_heap(std::string_view image, std::uint64_t at) {
  const auto wrong = [](bool fault) {
    if (fault) throw FileError("HDF5: the names of a group are damaged");
  };
  const auto size = number_at<std::uint64_t>(image, at + 8),
             address = number_at<std::uint64_t>(image, at + 24);
  wrong(address > image.size() || size > image.size() - address);
  const std::string_view names = image.substr(address, size);
  auto free = number_at<std::uint64_t>(image, at + 16);
  wrong(names.empty() || (names.back() != '\0' && free == no_free_place));
  for (size_t steps = 0; free != no_free_place; ++steps) {
    wrong(free >= size || size - free < 16 || steps > size / 16);
    wrong(number_at<std::uint64_t>(names, free + 8) > size - free);
    free = number_at<std::uint64_t>(names, free);
  }
}

/// A place of the file that holds messages of an object header.
struct Piece {
  std::uint64_t at, length;
};

/// The number of a chunk's lengths, one more than the data set's rank; 0 where it is stored in one piece.
size_t check_layout(std::string_view layout) {
  constexpr char version = 3, chunked = 2;
  if (layout.size() < 3 || layout[0] != version) throw FileError("HDF5: the layout of a data set is damaged");
  if (layout[1] != chunked) return 0;
  const size_t lengths = static_cast<unsigned char>(layout[2]);  // the last one is an element's size
  for (size_t k = 0; k < lengths; ++k)
    if (number_at<std::uint32_t>(layout, 11 + 4 * k) == 0)
      throw FileError("HDF5: the chunks of a data set are damaged");
  return lengths;
}

}  // namespace

void check_local_heaps(std::string_view image) {
  constexpr std::string_view signature("HEAP\0\0\0\0", 8);  // with version and reserved bytes
  for (size_t at = image.find(signature); at != image.npos; at = image.find(signature, at + 1))
    check_local_heap(image, at);
}

void check_chunks(std::string_view image, std::uint64_t object_header) {
  constexpr std::uint16_t space_message = 0x0001, layout_message = 0x0008, continuation_message = 0x0010;
  constexpr std::uint64_t front = 8;  // of a message
  if (number_at<std::uint8_t>(image, object_header) != 1)
    throw FileError("HDF5: an object header is not of version 1");
  Piece piece{object_header + 16, number_at<std::uint32_t>(image, object_header + 8)};
  size_t rank = 0, lengths = 0;
  for (int pieces = 0; pieces < 64 && piece.length > 0; ++pieces) {
    if (piece.at > image.size() || piece.length > image.size() - piece.at)
      throw FileError("HDF5: an object header is damaged");
    std::string_view left = image.substr(piece.at, piece.length);
    Piece next{0, 0};
    while (left.size() >= front) {
      const auto type = number_at<std::uint16_t>(left, 0);
      const std::uint64_t length = number_at<std::uint16_t>(left, 2);
      const std::string_view message = left.substr(front, length);
      if (type == space_message) rank = number_at<std::uint8_t>(message, 1);
      if (type == layout_message) lengths = check_layout(message);
      if (type == continuation_message)
        next = {number_at<std::uint64_t>(message, 0), number_at<std::uint64_t>(message, 8)};
      left.remove_prefix(std::min(left.size(), front + length));
    }
    piece = next;
  }
  if (lengths > 0 && lengths != rank + 1) throw FileError("HDF5: the chunks of a data set have another rank");
}

}  // namespace merganser
