#pragma once
/// A folder that lives as long as a test.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace merganser::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    // In memory where possible: runs bring hundreds of files to the disk one by one, and a busy disk takes
    // its time.
    const bool in_memory = access("/dev/shm", W_OK) == 0;
    const std::filesystem::path place = in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (place / "merganser_test_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace merganser::test
