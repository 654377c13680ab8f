#pragma once
/// merganser surface: the frames of a run -> surface meshes.
#include <string>

#include "host/services.h"
#include "host/surface/mesh_sequence.h"

namespace merganser {

struct SurfaceOptions : SequenceOptions {
  std::string method = "sum";  ///< topological, sum or levelSet
  std::string system;          ///< fluid system; empty = all of them, one surface each
  bool per_body = false;       ///< one surface a body
  double cell_size = 0.25;     ///< in h
  int smoothing = 0, refinements = 0;
};

/// Writes surface_NNNNNN in the format for each frame; those that are there already are left alone unless
/// `overwrite`. Returns the exit code. Throws InputError, DeviceError and FileError.
int make_surfaces(const SurfaceOptions& options, const Services& services);

}  // namespace merganser
