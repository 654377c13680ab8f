#pragma once
/// merganser skin: the frames of a run -> the surfaces of its solid bodies.
#include <string>

#include "host/services.h"
#include "host/surface/mesh_sequence.h"

namespace merganser {

struct SkinOptions : SequenceOptions {
  std::string body;      ///< empty = all that have a skin
  double thickness = 0;  ///< [m] of sheets; 0 = a single layer
};

/// Writes skin_NNNNNN in the format for each frame; those that are there already are left alone unless
/// `overwrite`. Returns what was made, as JSON. Throws InputError, DeviceError and FileError.
std::string make_skins(const SkinOptions& options, const Services& services);

}  // namespace merganser
