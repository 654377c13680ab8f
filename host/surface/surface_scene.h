#pragma once
/// Properties of a run that surfaces and skins need, from its resolved scene.
#include <filesystem>
#include <string>
#include <vector>

namespace merganser {

struct SurfaceFluid {
  std::string name;
  int system = 0;            ///< index, as in the frames
  double h = 0;              ///< [m]
  double spacing = 0;        ///< [m] rest distance of particles
  double mass = 0;           ///< [kg] of a particle
  double fusion_time = 0.1;  ///< [s] gamma of [TN] eq. 6
};

struct SurfaceScene {
  std::vector<SurfaceFluid> fluids;
  std::vector<std::string> bodies;  ///< names by index
  std::string ropes;                ///< names, with commas between them
  bool periodic = false;
};

/// Reads DIR/scene.json. Throws InputError: no run there, a key that is missing.
SurfaceScene read_surface_scene(const std::filesystem::path& run);

}  // namespace merganser
