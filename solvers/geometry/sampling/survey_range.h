#pragma once
/// Range of translations of meshes.
#include "solvers/base/parameter_table.h"

namespace merganser {

/// [m] Translations of meshes: from coordinates of surveys, up to 1e7 m, in millimetres or larger units.
inline constexpr Range survey_range{-1e10, 1e10};

}  // namespace merganser
