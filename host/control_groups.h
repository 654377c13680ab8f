#pragma once
/// Limits of Linux control groups, versions 1 and 2, read from their text files.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace merganser {

inline std::string system_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Calls visit(folder, second_version) for the groups that limit `controller` ("cpu", "memory"), and for
/// every group above them, for its limit holds as well. `membership` is the text of /proc/self/cgroup: lines
/// such as "0::/user.slice/job" or "4:cpu,cpuacct:/job".
template <class Visit>
void for_each_control_group(const std::filesystem::path& root, const std::string& membership,
                            const std::string& controller, const Visit& visit) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool second_version = controllers.empty();
    if (!second_version && ("," + controllers + ",").find("," + controller + ",") == line.npos) continue;
    const std::filesystem::path base = second_version ? root : root / controller;
    for (std::filesystem::path group = line.substr(second + 1);; group = group.parent_path()) {
      visit(base / group.relative_path(), second_version);
      if (group.relative_path().empty()) break;
    }
  }
}

}  // namespace merganser
