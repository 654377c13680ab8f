#pragma once
/// One frame of a run -> the surfaces of its solid bodies.
#include <memory>
#include <string>
#include <vector>

#include "host/output/exporters.h"
#include "host/output/run_frames.h"
#include "host/services.h"

namespace merganser {

/// Throws DeviceError where the memory of the host or of the device does not hold the skins.
void expect_room_for_skins(const SkinRecord& record, const Device& device);

class SkinMaker {
 public:
  struct Body {
    std::string name;
    const SkinBody* made_of;
    std::unique_ptr<BodySkin> skin;
  };
  /// `names` of all bodies of the run; `only` one of them, or empty for all. Throws InputError where there is
  /// no such body.
  SkinMaker(SkinRecord record, const std::vector<std::string>& names, const std::string& only,
            const Services& services, const Device& device);
  const std::vector<Body>& bodies() const { return bodies_; }
  /// Vertices that follow their nearest particle alone, of all bodies.
  size_t lone_vertices() const;
  /// Throws InputError that names the file where particles of a body are missing.
  SurfaceFrame make(const FrameFile& file) const;

 private:
  SkinRecord record_;
  std::vector<Body> bodies_;
};

}  // namespace merganser
