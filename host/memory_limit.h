#pragma once
/// Limit of the memory that a command may take on this machine.
#include <filesystem>
#include <string>

#include "host/device_selection.h"

namespace merganser {

struct MemoryLimit {
  double bytes = 0;    ///< that are left
  std::string source;  ///< what sets the limit, in words
};

/// What is left of the host's memory: the least of what the kernel calls available, the limits of the control
/// groups (both versions) and the limit of the address space (ulimit -v). The environment variable
/// MERGANSER_MEMORY_LIMIT [bytes] takes the place of all of them. Throws InputError where it is no number.
MemoryLimit host_memory();
/// What is left of a device's memory; of the host's for the CPU.
MemoryLimit device_memory(const Device& device);

/// Bytes that the control groups of a process leave, infinity where none sets a limit. `root` and
/// `membership` are /sys/fs/cgroup and the text of /proc/self/cgroup. Pages of files that the kernel would
/// give up count as left.
double memory_left_in_groups(const std::filesystem::path& root, const std::string& membership);

/// "1.2 GB"
std::string bytes_text(double bytes);

}  // namespace merganser
