#pragma once
/// One frame of a run -> its surfaces.
#include <map>

#include "host/surface/surface_fluid_parts.h"
#include "host/surface/surface_run.h"

namespace merganser {

/// Throws DeviceError where the memory of the host or of the device does not hold the surface. `frame` names
/// the file in the message.
void expect_room_for_surface(const FluidPoints& points, const SurfaceParameters& parameters,
                             const Device& device, const std::string& frame);

class SurfaceMaker {
 public:
  SurfaceMaker(const SurfaceOptions& options, const Services& services, const SurfaceScene& scene,
               const Device& device);
  struct Made {
    SurfaceFrame frame;
    std::vector<std::pair<std::string, std::vector<char>>> level_sets;  ///< name of the part, .vdb bytes
  };
  /// True where neighborhoods are followed through the frames: then every frame must pass, in order, through
  /// follow() or make().
  bool follows() const { return follows_; }
  /// Looks into the first frame for neighborhoods that the run kept.
  void look_for_links(const FrameFile& file);
  /// Takes note of a frame that needs no surface.
  void follow(const FrameFile& file);
  Made make(const FrameFile& file);

 private:
  std::vector<TopologyLinks> links_of(const FrameFile& file, const FrameParticles& frame,
                                      const std::vector<FluidPart>& parts);
  void add_surface(Made& made, const FluidPart& part, const TopologyLinks* links, const SurfaceFluid& fluid,
                   int body) const;
  const SurfaceOptions& options_;
  const Services& services_;
  Device device_;
  std::vector<SurfaceFluid> fluids_;
  std::vector<std::string> bodies_;
  bool follows_ = false;
  double last_time_ = 0;
  std::map<int, std::unique_ptr<TopologyTracker>> trackers_;  ///< by system
  std::unique_ptr<SurfaceBuilder> builder_;
};

}  // namespace merganser
