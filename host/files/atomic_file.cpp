#include "host/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "device/errors.h"

namespace merganser {
namespace {

constexpr std::string_view temporary_suffix = ".tmp";

/// Remedy for a failed file operation.
const char* remedy(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free disk space or quota, or choose another folder with -o";
    case EFBIG:
      return "raise the file size limit (ulimit -f) or lower the resolution";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check the folder's permissions or choose another one with -o";
    case ENOENT:
    case ENOTDIR:
      return "check that the folder still exists";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return "check the disk or choose another folder with -o";
  }
}

const char* kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISLNK(mode)  ? "a link"
         : S_ISFIFO(mode) ? "a FIFO"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

/// Writes all bytes; returns 0 or errno.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    // Linux writes at most 2 GiB a call; smaller portions also let a signal through.
    const ssize_t written = ::write(file, bytes.data(), std::min<size_t>(bytes.size(), size_t{1} << 28));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

/// A folder that is open: what is named in it is found there even where the folder is renamed meanwhile.
class OpenFolder {
 public:
  explicit OpenFolder(const std::filesystem::path& folder)
      : directory_(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  ~OpenFolder() {
    if (directory_ >= 0) ::close(directory_);
  }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;

  int descriptor() const { return directory_; }
  /// A rename is only durable once the directory that holds it is. Returns 0 or errno.
  int sync() const {
    if (::fsync(directory_) == 0) return 0;
    return errno == EINVAL || errno == ENOTSUP ? 0 : errno;  // some network file systems have none
  }

 private:
  int directory_;
};

}  // namespace

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  return path.parent_path() / (path.filename().string() + std::string(temporary_suffix));
}

void throw_file_error(const std::string& action, const std::filesystem::path& path, int error_number) {
  throw FileError(fmt::format("cannot {} '{}': {}; {}", action, path.string(), std::strerror(error_number),
                              remedy(error_number)));
}

void write_file_atomically(const std::filesystem::path& path, std::initializer_list<std::string_view> pieces,
                           const InPlace& in_place) {
  const OpenFolder folder(path.parent_path());
  if (folder.descriptor() < 0) throw_file_error("write", path, errno);
  if (in_place) in_place();
  const std::filesystem::path temporary = temporary_name(path);
  const std::filesystem::path name = path.filename(), temporary_in_folder = temporary.filename();
  if (const std::string other = other_than_file(path); !other.empty())
    throw FileError(fmt::format("cannot write '{}': it is {}, not a regular file; choose another name",
                                path.string(), other));
  const int file = ::openat(folder.descriptor(), temporary_in_folder.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST)
    throw FileError(fmt::format("cannot write '{}': '{}' is in the way; delete it if nothing needs it",
                                path.string(), temporary.string()));
  if (file < 0) throw_file_error("write", path, errno);
  int error = 0;
  for (const std::string_view piece : pieces)
    if (error == 0) error = write_all(file, piece);
  if (error == 0 && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;  // network file systems report a full disk here
  if (error == 0 &&
      ::renameat(folder.descriptor(), temporary_in_folder.c_str(), folder.descriptor(), name.c_str()) != 0)
    error = errno;
  if (error != 0) {
    ::unlinkat(folder.descriptor(), temporary_in_folder.c_str(), 0);
    throw_file_error("write", path, error);
  }
  if (const int failed = folder.sync()) throw_file_error("write", path, failed);
}

std::vector<char> read_file(const std::filesystem::path& path) {
  // A FIFO without a writer would hold up a plain open, a device would have no end.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) throw_file_error("read", path, errno);
  struct stat status {};
  int error = ::fstat(file, &status) == 0 ? 0 : errno;
  if (error == 0 && !S_ISREG(status.st_mode)) {
    ::close(file);
    throw FileError(fmt::format("cannot read '{}': it is {}, not a regular file; name another one",
                                path.string(), kind_of(status.st_mode)));
  }
  std::vector<char> content;
  if (error == 0) content.resize(static_cast<size_t>(status.st_size));
  for (size_t done = 0; error == 0 && done < content.size();) {
    const ssize_t count = ::read(file, content.data() + done, content.size() - done);
    if (count < 0 && errno != EINTR) error = errno;
    if (count == 0) content.resize(done);  // shortened meanwhile
    if (count > 0) done += static_cast<size_t>(count);
  }
  ::close(file);
  if (error != 0) throw_file_error("read", path, error);
  return content;
}

void create_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw_file_error("create the folder", path, error.value());
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> entries;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    entries.push_back(entry->path());
  if (error && error.value() != ENOENT && error.value() != ENOTDIR && error.value() != ENAMETOOLONG)
    throw_file_error("read the folder", folder, error.value());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_temporary_of(std::string_view name, bool (*own)(std::string_view name)) {
  if (!name.ends_with(temporary_suffix)) return false;
  name.remove_suffix(temporary_suffix.size());
  return own(name);
}

void remove_temporary_files(const std::filesystem::path& folder, bool (*own)(std::string_view name)) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (is_temporary_of(entry.path().filename().string(), own) && other_than_file(entry.path()).empty())
      std::filesystem::remove(entry.path(), ignored);
}

std::string other_than_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return "";
  return kind_of(status.st_mode);
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace merganser
