#include "host/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/atomic_file.h"
#include "host/checkpoint.h"

namespace merganser {

bool RunFolder::holds_run() const {
  std::error_code none;
  return std::filesystem::exists(scene(), none) || std::filesystem::exists(summary(), none) ||
         !list_checkpoints(checkpoints()).empty();
}

std::string RunFolder::state() const {
  try {
    const auto text = read_file(summary());
    const auto reason = nlohmann::json::parse(text.begin(), text.end()).at("exit_reason").get<std::string>();
    return reason == "running" ? "unfinished" : reason;
  } catch (const std::exception&) {
    return "unfinished";
  }
}

void RunFolder::remove_run() const {
  std::error_code error;
  const auto remove = [&](const std::filesystem::path& path) {
    std::filesystem::remove(path, error);
    if (error) throw_file_error("delete", path, error.value());
  };
  // A user's own files in these folders stay, and so do the folders then.
  for (const auto& [folder, front] :
       {std::pair{root / "frames", "frame"}, std::pair{checkpoints(), "checkpoint_"}}) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (entry.path().filename().string().starts_with(front)) files.push_back(entry.path());
    for (const auto& file : files) remove(file);
    std::filesystem::remove(folder, error);
  }
  for (const auto& file : {statistics(), summary(), scene()}) remove(file);
  remove_temporary_files(root);
}

RunFolder run_folder(const std::filesystem::path& scene_file, const std::filesystem::path& output) {
  if (!output.empty()) return {output};
  return {std::filesystem::path("runs") / scene_file.stem()};
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : directory_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (directory_ < 0) throw_file_error("open the folder", folder, errno);
  if (::flock(directory_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(directory_);
    throw InputError("'" + folder.string() +
                     "' is being written by another merganser process; wait for it or choose "
                     "another folder with -o");
  }  // file systems without locks go without
}

FolderLock::~FolderLock() { ::close(directory_); }

}  // namespace merganser
