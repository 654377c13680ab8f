#pragma once
/// A file system of a few megabytes in memory, which a test fills.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <string>

#include "tests/support/temporary_folder.h"

namespace merganser::test {

/// Mounted in a namespace of the test's process, which its children share and nobody else sees. Needs the
/// right to make one: available() is false where the machine or its container does not give it.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path folder, size_t bytes) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    available_ = own_mounts() &&
                 mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
  }
  ~SmallDisk() {
    if (available_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool available() const { return available_; }
  /// A file takes so much room that `bytes` are left, to a page.
  void leave(size_t bytes) {
    make_room();
    struct statvfs state {};
    ASSERT_EQ(statvfs(folder_.c_str(), &state), 0);
    const size_t free = state.f_bavail * state.f_bsize;
    ASSERT_GE(free, bytes);
    const int file = open((folder_ / "ballast").c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_EQ(posix_fallocate(file, 0, static_cast<off_t>(free - bytes)), 0);
    close(file);
  }
  void make_room() { std::filesystem::remove(folder_ / "ballast"); }

 private:
  /// Once a process: a mount namespace, in a user namespace where that is what it takes.
  static bool own_mounts() {
    static const bool own = [] {
      const std::string user = std::to_string(getuid()), group = std::to_string(getgid());
      if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        write_text("/proc/self/setgroups", "deny");
        write_text("/proc/self/uid_map", user + " " + user + " 1");
        write_text("/proc/self/gid_map", group + " " + group + " 1");
      }
      return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    }();
    return own;
  }

  std::filesystem::path folder_;
  bool available_ = false;
};

}  // namespace merganser::test
