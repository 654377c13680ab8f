#pragma once
/// HDF5 files as bytes in memory. The library never touches the disk: a full disk is then an error of our own
/// write call with a cause, and not a file that the library can no longer close.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/state_archive.h"

namespace merganser {

/// Builds a file. Groups on the way to a data set are created as needed.
class Hdf5Builder {
 public:
  Hdf5Builder();
  ~Hdf5Builder();
  Hdf5Builder(const Hdf5Builder&) = delete;
  Hdf5Builder& operator=(const Hdf5Builder&) = delete;

  void group(const std::string& path);
  /// `shape` in elements, row by row. `compress` pays for data that a few bytes can say, such as 0, 1, 2, ...
  void dataset(const std::string& path, ElementType type, const std::vector<size_t>& shape, const void* data,
               bool compress = false);
  /// A list of texts of variable length with the tag ASCII, the only kind that VTK reads as a list.
  void texts(const std::string& path, const std::vector<std::string>& values);
  void attribute(const std::string& group, const std::string& name, const std::vector<std::int64_t>& values);
  void attribute(const std::string& group, const std::string& name, double value);
  /// A fixed-length ASCII string, the only kind that VTK reads.
  void attribute(const std::string& group, const std::string& name, const std::string& value);
  /// The bytes of the file.
  std::vector<char> finish();

 private:
  std::int64_t file_;
};

/// Reads a file from its bytes, which must outlive the reader and may be damaged: sizes are held against the
/// bytes that are there before anything is allocated, and only what Hdf5Builder writes is followed (no links
/// to other files, no filters but its own). Throws FileError where something is missing or wrong.
class Hdf5Reader {
 public:
  /// `file` may have a user block of 512 bytes, whose checksum is not looked at here.
  explicit Hdf5Reader(std::string_view file);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  std::int64_t integer_attribute(const std::string& name) const;
  double real_attribute(const std::string& name) const;
  std::string text_attribute(const std::string& name) const;
  /// True where the file has a group or data set of this path.
  bool holds(const std::string& path) const;
  /// The bytes of one data set of this type and `columns` values a row; 1 = a plain list.
  std::vector<char> dataset(const std::string& path, ElementType type, size_t columns = 1) const;
  /// Every data set below a group, named relative to it.
  std::vector<NamedArray> datasets(const std::string& group) const;

 private:
  std::string_view image_;
  std::int64_t file_;
};

}  // namespace merganser
