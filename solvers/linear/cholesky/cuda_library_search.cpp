#include "solvers/linear/cholesky/cuda_library_search.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>

MERGANSER_BEGIN

namespace fs = std::filesystem;

namespace {

/// Folders in `folder` whose names begin with `prefix`, names that come later in the alphabet first: newer
/// versions.
std::vector<fs::path> subfolders(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (entry->path().filename().string().rfind(prefix, 0) == 0 && entry->is_directory(unknown))
      found.push_back(entry->path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ':');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// A list of folders, each once and only where it exists.
class Folders {
 public:
  void add(const fs::path& folder) {
    std::error_code unknown;
    if (!fs::is_directory(folder, unknown)) return;
    const fs::path same = fs::canonical(folder, unknown);
    if (unknown || std::find(canonical_.begin(), canonical_.end(), same) != canonical_.end()) return;
    canonical_.push_back(same);
    list.push_back(folder);
  }
  /// The libraries of the packages in a site-packages folder: nvidia/cublas/lib, nvidia/cu13/lib.
  void add_packages(const fs::path& site) {
    for (const fs::path& package : subfolders(site / "nvidia", "")) add(package / "lib");
  }
  /// Those of the Python that is installed at `prefix`.
  void add_python(const fs::path& prefix) {
    for (const char* lib : {"lib", "lib64"})
      for (const fs::path& python : subfolders(prefix / lib, "python3"))
        for (const char* site : {"site-packages", "dist-packages"}) add_packages(python / site);
  }
  std::vector<fs::path> list;

 private:
  std::vector<fs::path> canonical_;
};

/// Folders of the python3 on PATH: the folder above that of the link, and of what it leads to.
std::vector<fs::path> python_prefixes(const std::string& path) {
  for (const std::string& folder : split(path)) {
    const fs::path python = fs::path(folder) / "python3";
    std::error_code error;
    const fs::path target = fs::canonical(python, error);
    if (!error) return {python.parent_path().parent_path(), target.parent_path().parent_path()};
  }
  return {};
}

}  // namespace

std::string process_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

std::vector<fs::path> cuda_library_folders(const Environment& environment, const fs::path& root) {
  Folders folders;
  std::vector<fs::path> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"})
    if (const std::string value = environment(variable); !value.empty()) toolkits.push_back(value);
  for (const fs::path& place : {root / "usr/local", root / "opt"}) {
    toolkits.push_back(place / "cuda");
    for (const fs::path& toolkit : subfolders(place, "cuda-")) toolkits.push_back(toolkit);
  }
  for (const fs::path& toolkit : toolkits)
    for (const char* lib : {"lib64", "lib", "targets/x86_64-linux/lib"}) folders.add(toolkit / lib);

  for (const std::string& site : split(environment("PYTHONPATH"))) folders.add_packages(site);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string value = environment(variable); !value.empty()) folders.add_python(value);
  for (const fs::path& prefix : python_prefixes(environment("PATH"))) folders.add_python(prefix);
  if (const std::string home = environment("HOME"); !home.empty())
    folders.add_python(fs::path(home) / ".local");
  folders.add_python(root / "usr/local");
  folders.add_python(root / "usr");
  return folders.list;
}

void* open_first_library(const std::vector<std::string>& files, const std::vector<fs::path>& folders,
                         std::string& failures) {
  failures.clear();
  for (const std::string& file : files) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    for (const fs::path& folder : folders) {
      std::error_code unknown;
      if (!fs::exists(folder / file, unknown)) continue;
      if (void* library = dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      failures += std::string(failures.empty() ? "" : "; ") + dlerror();
    }
  }
  return nullptr;
}

MERGANSER_END
