#pragma once
/// merganser skin: the frames of a run -> the surfaces of its solid bodies.
#include <filesystem>
#include <string>

#include "host/output/exporters.h"
#include "host/services.h"

namespace merganser {

struct SkinOptions {
  std::filesystem::path run;     ///< folder that `merganser run` wrote
  std::filesystem::path output;  ///< folder; empty = DIR/skin
  std::string body;              ///< empty = all that have a skin
  std::string frames;            ///< "A:B", "A:", ":B" or "N"; empty = all
  std::string format = "ply";    ///< word of a MeshExporter
  std::string device = "auto";
  int threads = 0;  ///< 0 = all
  bool overwrite = false, quiet = false;
};

/// Writes skin_NNNNNN in the format for each frame; those that are there already are left alone unless
/// `overwrite`. Returns what was made, as JSON. Throws InputError, DeviceError and FileError.
std::string make_skins(const SkinOptions& options, const Services& services);

}  // namespace merganser
