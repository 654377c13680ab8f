#pragma once
/// Search for CUDA's shared libraries on a machine: the first of them that opens.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "device/backend.h"

MERGANSER_BEGIN

/// Value of an environment variable, empty where it is not set.
using Environment = std::function<std::string(const char* variable)>;
std::string process_environment(const char* variable);

/// Folders that exist and may hold CUDA's libraries, in the order of the search: those of toolkits
/// (CUDA_HOME, CUDA_PATH, CONDA_PREFIX, /usr/local/cuda*), then nvidia/*/lib of Python packages (PYTHONPATH,
/// VIRTUAL_ENV, CONDA_PREFIX, the python3 on PATH, ~/.local, /usr). Python itself is not started. `root`
/// stands for "/" in tests.
std::vector<std::filesystem::path> cuda_library_folders(const Environment& environment,
                                                        const std::filesystem::path& root = "/");

/// Opens the first library that opens: for each of `files`, what the loader finds by itself (LD_LIBRARY_PATH,
/// run path, ld.so.cache), then folders[0]/file, folders[1]/file and so on. Null where none does; `failures`
/// then says why each file that is there did not open.
void* open_first_library(const std::vector<std::string>& files,
                         const std::vector<std::filesystem::path>& folders, std::string& failures);

MERGANSER_END
