#include "host/run/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/files/atomic_file.h"
#include "host/run/checkpoint.h"

namespace merganser {
namespace {

/// A text of summary.json, or nothing where it is not there.
std::string text_in_summary(const std::filesystem::path& summary, const char* key) {
  try {
    const auto text = read_file(summary);
    return nlohmann::json::parse(text.begin(), text.end()).at(key).get<std::string>();
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace

bool RunFolder::holds_run() const {
  std::error_code none;
  return std::filesystem::exists(scene(), none) || std::filesystem::exists(summary(), none) ||
         !list_checkpoints(checkpoints()).empty();
}

std::string RunFolder::state() const {
  const std::string reason = text_in_summary(summary(), "exit_reason");
  return reason.empty() || reason == "running" ? "unfinished" : reason;
}

std::string RunFolder::last_checkpoint() const { return text_in_summary(summary(), "checkpoint"); }

RunFolder run_folder(const std::filesystem::path& scene_file, const std::filesystem::path& output) {
  if (!output.empty()) return {output};
  return {std::filesystem::path("runs") / scene_file.stem()};
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(folder), directory_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (directory_ < 0) throw_file_error("open the folder", folder, errno);
  if (::flock(directory_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(directory_);
    throw InputError("'" + folder.string() +
                     "' is being written by another merganser process; wait for it or choose "
                     "another folder with -o");
  }  // file systems without locks go without
}

void FolderLock::require_in_place() const {
  struct stat opened {
  }, named{};
  if (::fstat(directory_, &opened) == 0 && ::stat(folder_.c_str(), &named) == 0 &&
      opened.st_dev == named.st_dev && opened.st_ino == named.st_ino)
    return;
  throw FileError("the folder '" + folder_.string() + "' was removed or renamed while it was written");
}

FolderLock::~FolderLock() { ::close(directory_); }

}  // namespace merganser
