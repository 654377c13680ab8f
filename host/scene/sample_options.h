#pragma once
#include <filesystem>

namespace merganser {

/// merganser sample: a mesh filled with particles.
struct SampleOptions {
  std::filesystem::path mesh;    ///< OBJ, PLY, STL, OFF or glTF
  double spacing = 0;            ///< [m]
  std::filesystem::path output;  ///< .vtkhdf or .csv
};

}  // namespace merganser
