#pragma once
/// Folder of the sources that tests read: scenes, tools.
#include <filesystem>

namespace merganser {

/// The folder that the environment variable MERGANSER_SOURCE_DIR names, else that of the build. Tests of a
/// package on another machine set it.
std::filesystem::path source_folder();

/// The folder of test meshes and reference numbers: MERGANSER_SHARED, else ../shared beside the source
/// folder.
std::filesystem::path shared_folder();

}  // namespace merganser
