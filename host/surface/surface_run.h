#pragma once
/// merganser surface: the frames of a run -> surface meshes.
#include <filesystem>
#include <string>

#include "host/output/exporters.h"
#include "host/services.h"

namespace merganser {

struct SurfaceOptions {
  std::filesystem::path run;           ///< folder that `merganser run` wrote
  std::filesystem::path output;        ///< folder; empty = DIR/surface
  std::string method = "topological";  ///< topological, sum or levelSet
  std::string system;                  ///< fluid system; empty = all of them, one surface each
  bool per_body = false;               ///< one surface a body
  double cell_size = 0.25;             ///< in h
  std::string frames;                  ///< "A:B", "A:", ":B" or "N"; empty = all
  std::string format = "ply";          ///< word of a MeshExporter
  int smoothing = 0, refinements = 0;
  std::string device = "auto";
  int threads = 0;  ///< 0 = all
  bool overwrite = false, quiet = false;
};

/// Writes surface_NNNNNN in the format for each frame; those that are there already are left alone unless
/// `overwrite`. Returns the exit code. Throws InputError, DeviceError and FileError.
int make_surfaces(const SurfaceOptions& options, const Services& services);

}  // namespace merganser
