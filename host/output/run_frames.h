#pragma once
/// Frames of a run, read back.
#include <filesystem>
#include <string>
#include <vector>

#include "solvers/base/host_types.h"
#include "solvers/geometry/surface/surface_parameters.h"

namespace merganser {

struct FrameFile {
  int number;
  std::filesystem::path path;
};

/// The frames in a run's folder by number. Throws InputError where there is none.
std::vector<FrameFile> list_frames(const std::filesystem::path& run);

/// The particles of a frame, ordered by id.
struct FrameParticles {
  double time = 0;                         ///< [s]
  std::vector<Float3> position, velocity;  ///< [m], [m/s]
  std::vector<std::int32_t> id, body, system;
  std::vector<std::int32_t> fragment;  ///< of brittle solids, 0 elsewhere; empty where the run has none
};

// All of these verify the file's checksum, where it has one. They throw InputError that names the file where
// it is damaged, and FileError where it cannot be read.

/// [s] of a surface in VTKHDF.
double read_surface_time(const std::filesystem::path& file);
/// Every position is a number; bodies, systems and fragments are not negative.
FrameParticles read_frame(const std::filesystem::path& file);
/// Links of a system's particles, in indices of the frame's particles; no rows where the run kept none.
TopologyLinks read_links(const std::filesystem::path& file, const std::string& system);

}  // namespace merganser
