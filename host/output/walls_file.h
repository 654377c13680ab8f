#pragma once
/// walls.vtkhdf in a run's folder: the walls of its scene for pictures.
#include <filesystem>

#include "host/files/atomic_file.h"
#include "solvers/core/initial_state.h"

namespace merganser {

/// The bytes of the file: triangles of all walls where the scene puts them, with the number of its wall for
/// each. Planes and endless cylinders end where the box around particles, emitters and other walls does.
/// Empty without walls.
std::vector<char> encode_walls(const InitialState& initial);
/// Throws FileError.
void write_walls_file(const std::filesystem::path& file, const InitialState& initial,
                      const InPlace& in_place = {});

}  // namespace merganser
