#pragma once
/// Mesh files of tests, and what the reader says of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "device/errors.h"
#include "host/scene/mesh_file.h"

namespace merganser::test {

inline std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / name;
}
inline void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}
/// Empty where it is read.
inline std::string message_of(const std::filesystem::path& file) {
  try {
    read_mesh(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace merganser::test
