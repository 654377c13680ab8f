#pragma once
/// What a scene will take, from its text alone: no particle is made, and nothing here grows with their
/// number.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/device_selection.h"
#include "host/scene/json_reader.h"
#include "host/scene/sample_options.h"
#include "host/scene/scene.h"
#include "host/scene/scene_bodies.h"
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

struct BodyEstimate {
  std::string name;
  double particles = 0;
  double mass = 0;  ///< [kg]
};

struct SystemEstimate {
  std::string name, type;
  std::vector<BodyEstimate> bodies = {};
  double particles = 0, emitted = 0;  ///< at the start, and by emitters until the scene's end
  double springs = 0, bonds = 0, triangles = 0, neighbors = 0;
  double emitters = 0, layer = 0;           ///< discs, and the particles of one layer of all of them
  double host_bytes = 0, device_bytes = 0;  ///< at the worst moment; on the CPU both are the host's
};

struct SceneEstimate {
  std::vector<SystemEstimate> systems = {};
  double resolution = 1;
  double particles = 0, emitted = 0;
  double host_bytes = 0, device_bytes = 0;
  double frames = 0, disk_bytes = 0;
};

/// Size of a mesh, at resolution 1 as at any other.
struct MeshSize {
  double vertices = 0, triangles = 0;
  double volume = 0, area = 0;  ///< [m^3], [m^2]
  Point3 low{0, 0, 0}, high{0, 0, 0};
};
MeshSize size_of(const TriangleMesh& mesh);

/// Bytes for filling a closed mesh: its points, and OpenVDB's distances around its surface.
double bytes_of_filling(const MeshSize& mesh, double spacing);

class SceneEstimator {
 public:
  /// Reads the scene's meshes. Throws InputError.
  explicit SceneEstimator(const Scene& scene);
  /// The scene as it stands.
  SceneEstimate estimate() const { return at(resolution_, 1 << 20); }
  /// The largest resolution that fits into so many bytes on the host and on the device (0: the host's too),
  /// rounded down to two digits; 0 where none does.
  double resolution_within(double host_bytes, double device_bytes) const;

 private:
  SceneEstimate at(double resolution, double looked_at) const;
  SystemEstimate system_at(const Json& system, double resolution, double looked_at) const;

  std::shared_ptr<const Json> scene_;
  double resolution_ = 1, end_time_ = 0, frame_rate_ = 0;
  std::map<std::string, MeshSize> meshes_;                               ///< by the body's text
  std::map<std::string, std::shared_ptr<const BodyParameters>> bodies_;  ///< likewise, without their meshes
};

/// Why a scene does not fit into the memory of the host and of the device, with numbers and what would fit;
/// empty where it does.
std::string why_too_large(const Scene& scene, const SceneEstimator& estimator, const SceneEstimate& estimate,
                          const Device& device);
/// Throws DeviceError where it does not fit. Returns what else the user should know: too little space on the
/// disk that `folder` is or will be on.
std::vector<std::string> expect_resources(const Scene& scene, const Device& device,
                                          const std::filesystem::path& folder);

/// Throws DeviceError where the memory does not hold the particles of `merganser sample`.
void expect_room_for(const TriangleMesh& mesh, const SampleOptions& options);

}  // namespace merganser
